"""Short ways from a file's content to what it becomes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from celeus_label.certify import Scale
from celeus_label.ingest import Loaded, Mapping, Table, load, read_table

Read = Callable[..., Table]
Load = Callable[..., Loaded]


@pytest.fixture
def read() -> Read:
    """A table from text (as UTF-8) or bytes."""

    def from_content(content: str | bytes, name: str = "pool.csv", **options: str) -> Table:
        return read_table(content.encode() if isinstance(content, str) else content, name, **options)

    return from_content


@pytest.fixture
def take(read: Read) -> Load:
    """A loaded pool from content; columns that have the usual names are mapped."""

    def from_content(
        content: str | bytes,
        name: str = "pool.csv",
        *,
        scale: Scale | None = None,
        judge_scale: Scale | None = None,
        missing_judge: str | None = None,
        **columns: object,
    ) -> Loaded:
        table = read(content, name)
        usual = {role: role if role in table.columns else None for role in ("item_id", "prompt", "response")}
        mapping = Mapping(**{"judge": "judge_score", **usual, **columns})  # type: ignore[arg-type]
        return load(table, mapping, scale or Scale(1, 5), judge_scale, missing_judge=missing_judge)

    return from_content
