"""The bundled sample pool with its hidden human scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from celeus_label.certify import Pool, Scale
from celeus_label.certify.pool import Floats
from celeus_label.ingest import IngestError, guess_mapping, load, read_table

DATA = Path(__file__).resolve().parents[2] / "data"


def bundled() -> tuple[Pool, Floats]:
    """The pool, and the human score of every item on the raters' scale.

    Raises
    ------
    IngestError
        The files are not there, as in an installation that is no checkout.
    """
    table = read_table(DATA / "answers.csv")
    pool = load(table, guess_mapping(table), Scale(1, 5, step=1)).pool
    scores = {row["item_id"]: row["human_score"] for _, row in read_table(DATA / "answers_human.csv").rows()}
    missing = next((item for item in pool.item_ids if item not in scores), None)
    if missing is not None:
        raise IngestError(f"answers_human.csv: the score of {missing} is missing")
    return pool, np.array([float(str(scores[item])) for item in pool.item_ids])
