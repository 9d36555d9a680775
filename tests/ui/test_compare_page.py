"""The page Compare, on a real database: a session's items and the bundled pool."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from celeus_label.certify import Design, Scale
from celeus_label.ingest import Mapping, load, read_table
from celeus_label.session import Identity, NotAllowed, SessionInfo, Task, Workspace
from celeus_label.ui import signin

PAGE = Path(__file__).resolve().parents[2] / "pages" / "compare.py"
ITEMS = 60


@pytest.fixture
def session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Workspace, SessionInfo, dict[str, Identity]]:
    monkeypatch.setenv(signin.DATABASE, str(tmp_path / "work.db"))
    workspace = signin.workspace()
    lines = ["item_id,prompt,response,judge_score", *(f"i{i},P {i},R {i},{1 + i % 5}" for i in range(ITEMS))]
    table = read_table("\n".join(lines).encode(), "p.csv")
    loaded = load(table, Mapping("judge_score", "item_id", "prompt", "response"), Scale(1, 5, 1))
    local = workspace.local()
    made = workspace.create(local, "helpful", loaded, Design(seed=1, width=0.01))
    people = {
        role: workspace.sign_in(workspace.invite(local, role, made.id, role)) for role in ("lead", "rater")
    }
    known = {role: person for role, person in people.items() if person is not None}
    monkeypatch.setattr(signin, "identity", known.get)
    return workspace, made, known


def rate(workspace: Workspace, made: SessionInfo, who: Identity, count: int) -> dict[str, float]:
    given = {}
    for number in range(count):
        task = workspace.claim(who, made.id)
        assert isinstance(task, Task)
        given[workspace.item_id(made.id, task)] = float(1 + number % 5)
        workspace.rate(who, made.id, task.lease, 1 + number % 5, 900)
    return given


def run() -> AppTest:
    page = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not page.exception, [one.message for one in page.exception]
    return page


def compared(page: AppTest) -> AppTest:
    page.number_input[1].set_value(1).run()
    next(button for button in page.button if button.label == "Compare").click().run()
    assert not page.exception, [one.message for one in page.exception]
    return page


def test_a_sessions_items_are_compared_once_there_are_enough(session) -> None:  # type: ignore[no-untyped-def]
    workspace, made, people = session
    rate(workspace, made, people["rater"], 10)
    page = run()
    assert "it takes 30 rated items" in page.info[0].value
    assert not page.dataframe
    rate(workspace, made, people["rater"], 35)
    table = compared(run()).dataframe[0].value
    assert table["System"].tolist()[:2] == ["EValue", "Celeus (w/o surrogate)"]
    assert (table["Items rated, median"] <= 45).all()
    assert any("not valid" in note for note in table["What speaks against certifying with it"])


def test_the_bundled_pool_needs_no_session(session) -> None:  # type: ignore[no-untyped-def]
    page = run()
    page.radio[0].set_value("The bundled pool").run()
    page.multiselect[0].set_value(["celeus", "target-aware"]).run()
    page.number_input[0].set_value(20).run()
    table = compared(page).dataframe[0].value
    assert table["System"].tolist() == ["Celeus", "target-aware"]
    assert page.caption[-1].value.startswith("1,500 items, mean 3.155")


def test_what_is_known_are_the_ratings_in_the_interval(session) -> None:  # type: ignore[no-untyped-def]
    workspace, made, people = session
    given = rate(workspace, made, people["rater"], 12)
    pool, values = workspace.known_values(people["lead"], made.id)
    known = {pool.item_ids[row]: values[row] for row in np.flatnonzero(~np.isnan(values))}
    assert known == given
    with pytest.raises(NotAllowed):
        workspace.known_values(people["rater"], made.id)
