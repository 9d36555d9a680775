from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.store.desk import Desk


@pytest.fixture
def make_desk(address: Callable[[], str]) -> Iterator[Callable[..., Desk]]:
    """Make desks with settings of their own; every one must be sound at the end."""
    desks: list[Desk] = []

    def make(**settings: Any) -> Desk:
        desks.append(Desk(address(), **settings))
        return desks[-1]

    yield make
    for desk in desks:
        assert desk.store.check() == []
        desk.store.close()


@pytest.fixture
def file_desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk on a SQLite file, for what only a file can suffer."""
    desk = Desk(tmp_path / "file.db")
    yield desk
    assert desk.store.check() == []
    desk.store.close()


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    return make_desk()
