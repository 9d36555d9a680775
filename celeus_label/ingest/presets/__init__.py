"""What evaluation tools write, recognised by its shape and spread into plain columns."""

from __future__ import annotations

from celeus_label.ingest.presets.base import Preset
from celeus_label.ingest.presets.benchmarks import (
    ALPACA_ANNOTATIONS,
    ALPACA_OUTPUTS,
    MT_ANSWERS,
    MT_PAIRS,
    MT_QUESTIONS,
    MT_SINGLE,
)
from celeus_label.ingest.presets.chat import CHAT, CHAT_BATCH, CHAT_REQUESTS
from celeus_label.ingest.presets.harness import HARNESS
from celeus_label.ingest.presets.labelling import (
    ARGILLA,
    ARGILLA_FLAT,
    ARGILLA_OLD,
    LABEL_STUDIO,
    LABEL_STUDIO_SHORT,
)
from celeus_label.ingest.presets.logs import INSPECT, PROMPTFOO
from celeus_label.ingest.presets.spread import recognise

# Those with the most telling keys first; a chat's `messages` stand in many others too.
PRESETS: tuple[Preset, ...] = (
    HARNESS,
    INSPECT,
    PROMPTFOO,
    MT_SINGLE,
    MT_PAIRS,
    MT_ANSWERS,
    MT_QUESTIONS,
    ALPACA_ANNOTATIONS,
    ALPACA_OUTPUTS,
    LABEL_STUDIO,
    LABEL_STUDIO_SHORT,
    ARGILLA,
    ARGILLA_OLD,
    ARGILLA_FLAT,
    CHAT_BATCH,
    CHAT_REQUESTS,
    CHAT,
)

__all__ = ["PRESETS", "Preset", "recognise"]
