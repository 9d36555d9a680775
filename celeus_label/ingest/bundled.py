"""The bundled sample pool with its hidden human scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from celeus_label.certify import Scale
from celeus_label.ingest.limits import IngestError
from celeus_label.ingest.loading import Loaded, load
from celeus_label.ingest.mapping import guess_mapping
from celeus_label.ingest.read import read_table

DATA = Path(__file__).resolve().parents[2] / "data"


def bundled() -> Loaded:
    """The pool, with the human score of every item on the raters' scale in `human`.

    Raises
    ------
    IngestError
        The files are not there, as in an installation that is no checkout, or a score is missing.
    """
    table = read_table(DATA / "answers.csv")
    loaded = load(table, guess_mapping(table), Scale(1, 5, step=1))
    scores = {row["item_id"]: row["human_score"] for _, row in read_table(DATA / "answers_human.csv").rows()}
    missing = next((item for item in loaded.pool.item_ids if item not in scores), None)
    if missing is not None:
        raise IngestError(f"answers_human.csv: the score of {missing} is missing")
    return replace(loaded, human=np.array([float(str(scores[item])) for item in loaded.pool.item_ids]))
