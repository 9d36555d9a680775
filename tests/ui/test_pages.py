"""Each page's logic, run by AppTest on a real database; what only a browser shows is in tests/browser."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from celeus_label.certify import Aspect, Design, Scale
from celeus_label.ingest import Mapping, load, read_table
from celeus_label.session import Identity, SessionInfo, Task, Workspace
from celeus_label.ui import desk, signin
from tests.office import Office

PAGES = Path(__file__).resolve().parents[2] / "pages"
HOSTILE = "**A** $x$ and $y$ :smile: <b>b</b> ![](http://evil.example/x.png)"


def pool(rows: int = 8) -> bytes:
    lines = ["item_id,prompt,response,judge_score"]
    lines += [f"i{i},Prompt {i},Response {i},{1 + i % 5}" for i in range(rows)]
    return "\n".join(lines).encode()


@dataclass
class Desk:
    """A workspace with one session, its lead and a rater."""

    workspace: Workspace
    session: SessionInfo
    lead: Identity
    rater: Identity


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    db = tmp_path / "work.db"
    monkeypatch.setenv(signin.DATABASE, str(db))
    workspace = signin.workspace()
    local = workspace.local()
    loaded = load(
        read_table(pool(), "p.csv"), Mapping("judge_score", "item_id", "prompt", "response"), Scale(1, 5, 1)
    )
    session = workspace.create(local, HOSTILE, loaded, Design(seed=1))
    lead = workspace.sign_in(workspace.invite(local, "lead", None, "Lea"))
    rater = workspace.sign_in(workspace.invite(local, "rater", session.id, HOSTILE))
    assert lead is not None
    assert rater is not None
    known = {"lead": lead, "rater": rater}
    monkeypatch.setattr(signin, "identity", known.get)
    return Desk(workspace, session, lead, rater)


def run(name: str) -> AppTest:
    page = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=30).run()
    assert not page.exception, [one.message for one in page.exception]
    return page


def markdown(page: AppTest) -> str:
    """All that the page gives to Streamlit's Markdown."""
    kinds = (
        page.markdown,
        page.title,
        page.header,
        page.subheader,
        page.caption,
        page.error,
        page.info,
        page.success,
    )
    return "\n".join(str(one.value) for kind in kinds for one in kind)


def rate(office: Desk, value: float) -> None:
    task = office.workspace.claim(office.rater, office.session.id)
    assert isinstance(task, Task)
    office.workspace.rate(office.rater, office.session.id, task.lease, value, 1500)


def test_monitor_shows_the_numbers_of_the_session(office: Desk) -> None:
    rate(office, 4)
    page = run("monitor")
    shown = {one.label: one.value for one in page.metric}
    assert shown["Status"] == "open"
    assert shown["Ratings"] == "1"
    assert shown["Done"] == "1"
    interval = office.workspace.monitor(office.lead, office.session.id).interval
    low, high = shown["Interval"].split(" – ")
    assert float(low) <= interval.lower
    assert float(high) >= interval.upper
    assert page.dataframe[0].value["Rater"].tolist() == [HOSTILE]


def test_monitor_makes_a_figure_anew_only_when_a_rating_changed(office: Desk) -> None:
    page = run("monitor")
    first = page.session_state["figures"]
    page.run()
    assert page.session_state["figures"] is first
    rate(office, 4)
    page.run()
    assert page.session_state["figures"] is not first


@pytest.mark.parametrize("name", ["monitor", "certificate", "raters", "setup"])
def test_other_peoples_words_are_never_given_to_markdown(office: Desk, name: str) -> None:
    rate(office, 4)
    assert HOSTILE not in markdown(run(name))


def test_certificate_states_the_claim_as_text(office: Desk) -> None:
    rate(office, 4)
    page = run("certificate")
    next(one for one in page.text_input if one.label == "What is rated").set_value(HOSTILE[:60]).run()
    claim = next(one.value for one in page.text if "confidence at any stopping time" in one.value)
    assert f"the mean {HOSTILE[:60]} of this pool of 8 answers, rated 1 to 5, is between" in claim
    assert any("It is about these 8 items alone." in one.value for one in page.text)
    assert HOSTILE[:60] not in markdown(page)
    tables = [dict(one.value.to_numpy().tolist()) for one in page.dataframe]
    assert tables[0]["Ratings"] == "1 by 1 rater"
    assert tables[1]["Ratings corrected"] == "0"
    assert tables[2]["preset"] == "target-aware"


def test_a_session_is_archived_and_taken_back(office: Desk) -> None:
    page = button(run("certificate"), "Archive this session")
    assert office.workspace.session(office.lead, office.session.id).archived
    assert page.selectbox[0].options == [f"{HOSTILE} (archived)"]
    button(page, "Take it back from the archive")
    assert not office.workspace.session(office.lead, office.session.id).archived


def test_the_monitor_changes_when_the_session_stops(office: Desk) -> None:
    rate(office, 4)
    page = run("monitor")
    page.button_group[0].set_value("Stopping").run()
    assert not page.exception
    next(one for one in page.number_input if one.label.endswith("after so many items")).set_value(1)
    button(page, "Stop by these rules")
    assert office.workspace.monitor(office.lead, office.session.id).interval.status == "budget spent"
    next(one for one in page.number_input if one.label.startswith("Target width")).set_value(2.5)
    button(page, "Go on to this width")
    assert office.workspace.monitor(office.lead, office.session.id).design.width == 0.025


def test_the_monitor_shows_judge_and_slices(office: Desk) -> None:
    rate(office, 4)
    page = run("monitor")
    page.button_group[0].set_value("Judge").run()
    assert not page.exception
    assert next(one.value for one in page.metric if one.label.startswith("Correlation")) == "not yet"
    page.button_group[0].set_value("Slices").run()
    assert "no column of groups" in page.info[0].value


def test_the_monitor_names_the_main_aspect_letter_by_letter(office: Desk) -> None:
    local, name = office.workspace.local(), HOSTILE[:50]
    design = Design(seed=1, aspects=(Aspect("tone", Scale(1, 3, 1)),), main_aspect=name)
    table = Mapping("judge_score", "item_id", "prompt", "response")
    office.workspace.create(
        local, "a rubric", load(read_table(pool(), "p.csv"), table, Scale(1, 5, 1)), design
    )
    page = run("monitor")
    assert f"The interval is for {name}, the main aspect." in [one.value for one in page.text]
    assert name not in markdown(page)


def test_raters_makes_a_link_once_and_revokes_it(office: Desk) -> None:
    page = run("raters")
    page.text_input[0].set_value("Ben")
    page.button[0].click().run()
    assert not page.exception
    token = page.code[0].value.partition("?invite=")[2]
    who = office.workspace.sign_in(token)
    assert who is not None
    assert (who.name, who.role, who.session) == ("Ben", "rater", office.session.id)
    page.run()
    assert len(page.code) == 0
    revoke = [one for one in page.button if one.key and one.key.endswith(str(who.invite))]
    revoke[0].click().run()
    assert office.workspace.sign_in(token) is None


def test_a_lead_without_sessions_is_sent_to_set_up(
    office: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(signin.DATABASE, str(tmp_path / "empty.db"))
    empty = signin.workspace()
    lead = empty.sign_in(empty.invite(empty.local(), "lead", None, "Lea"))
    monkeypatch.setattr(signin, "identity", {"lead": lead}.get)
    assert "There is no session yet." in run("monitor").info[0].value


def upload(page: AppTest, data: bytes, name: str = "pool.csv") -> AppTest:
    page.file_uploader[0].set_value((name, io.BytesIO(data).getvalue(), "text/csv")).run()
    assert not page.exception, [one.message for one in page.exception]
    return page


def button(page: AppTest, label: str) -> AppTest:
    next(one for one in page.button if one.label == label).click().run()
    assert not page.exception, [one.message for one in page.exception]
    return page


def test_set_up_freezes_what_was_entered(office: Desk) -> None:
    page = button(upload(run("setup"), pool(30)), "Check every row")
    assert "30 rows read, 30 taken, 0 refused" in [one.value for one in page.text]
    next(one for one in page.text_input if one.label == "Name of the session").set_value("New")
    page.text_area[0].set_value("Be kind.")
    next(one for one in page.number_input if one.label == "Ratings for each item").set_value(2)
    button(page, "Freeze the design")
    made = office.workspace.sessions(office.lead)[-1]
    assert (made.name, made.items, made.guidelines) == ("New", 30, "Be kind.")
    assert (made.design.width, made.design.alpha, made.design.ratings_per_item) == (0.05, 0.05, 2)
    assert made.scale == Scale(1, 5, 1)
    assert len(page.code) == 2
    for link, role in zip(page.code, ("rater", "lead"), strict=True):
        who = office.workspace.sign_in(link.value.partition("?invite=")[2])
        assert who is not None
        assert (who.role, who.session) == (role, made.id)


def test_set_up_lists_refused_rows_and_keeps_what_was_entered(office: Desk) -> None:
    page = upload(run("setup"), pool() + b"\ni99,P,R,7.2\n")
    button(page, "Check every row")
    assert "9 rows read, 8 taken, 1 refused" in [one.value for one in page.text]
    refused = next(one.value for one in page.dataframe if "rule" in one.value)
    assert refused["rule"].tolist() == ["is 7.2, outside the scale 1 to 5"]
    next(one for one in page.text_input if one.label == "Name of the session").set_value(HOSTILE)
    button(page, "Freeze the design")  # that name is taken
    assert page.error[0].value == "The session was not made. Nothing that you entered is lost."
    assert any(HOSTILE in one.value for one in page.text)
    assert HOSTILE not in markdown(page)
    assert next(one for one in page.text_input if one.label == "Name of the session").value == HOSTILE


def test_set_up_shows_items_as_raters_see_them_letter_by_letter(office: Desk) -> None:
    page = upload(run("setup"), f"prompt,response,judge_score\n{HOSTILE},$1 and $2,3\n".encode())
    assert [one.value for one in page.code] == [HOSTILE, "$1 and $2"]
    assert HOSTILE not in markdown(page)


def test_set_up_reads_a_file_once_and_again_with_another_encoding(office: Desk) -> None:
    page = upload(run("setup"), "prompt;response;judge_score\nCafé;Thé;3\n".encode("cp1252"))
    first = page.session_state["table"]
    page.run()
    assert page.session_state["table"] is first
    next(one for one in page.selectbox if one.label == "Encoding of a text file").set_value("latin-1").run()
    assert page.session_state["table"] is not first
    assert page.code[0].value == "Café"


def test_set_up_lets_the_mean_stand_in_for_missing_judge_scores_and_records_it(office: Desk) -> None:
    page = upload(run("setup"), pool(30) + b"\ni99,P,R,\n")
    next(one for one in page.checkbox if one.label.startswith("Where the judge")).check()
    button(page, "Check every row")
    assert "31 rows read, 31 taken, 0 refused" in [one.value for one in page.text]
    next(one for one in page.text_input if one.label == "Name of the session").set_value("Filled")
    assert any("3, stands in for 1 that are missing" in one.value for one in page.caption)
    button(page, "Freeze the design")
    made = office.workspace.sessions(office.lead)[-1]
    design = office.workspace.store.events(made.id)[0].body
    assert design["judge_stand_in"] == {"items": 1, "value": 3.0}


def test_set_up_says_how_an_upload_stands_to_the_pool_of_a_session(office: Desk) -> None:
    rows = pool().decode().replace("Response 2", "Other").replace("i7,", "j7,").splitlines()
    before = office.workspace._loaded(office.session.id).pool.hash
    page = button(upload(run("setup"), "\n".join([*rows, "k1,P,R,2"]).encode()), "Check every row")
    told = [one.value for one in page.text]
    assert (
        "Against that pool: 1 new, 6 the same, 1 changed, 1 stored under another id, 1 no longer there."
        in told
    )
    shown = next(one.value for one in page.dataframe if "what" in one.value).to_numpy().tolist()
    assert shown == [
        ["i2", "texts changed"],
        ["j7", "stored as i7"],
        ["k1", "new"],
        ["i7", "no longer there"],
    ]
    page = button(upload(run("setup"), pool()), "Check every row")
    assert "Against that pool: all 8 rows are stored already, unchanged." in [one.value for one in page.text]
    assert Workspace(office.workspace.store.path).session(office.lead, office.session.id).items == 8
    assert office.workspace._loaded(office.session.id).pool.hash == before


def test_set_up_shows_half_a_character_by_its_number(office: Desk) -> None:
    lines = [
        {"item_id": f"i{n}", "response": "R", "judge_score": "\ud800" if n == 2 else 3} for n in range(9)
    ]
    lines[0]["response"] = "\udfff"
    text = "\n".join(map(json.dumps, lines)).encode()
    page = button(upload(run("setup"), text, "pool.jsonl"), "Check every row")
    refused = next(one.value for one in page.dataframe if "rule" in one.value)
    assert refused["value"].tolist() == ["'\\udfff'", "\\ud800"]


@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02", b"a,b\n1,2\n"])
def test_set_up_says_what_is_wrong_with_a_file(office: Desk, data: bytes) -> None:
    page = run("setup")
    upload(page, data)
    if not page.error:
        button(page, "Check every row")
    assert page.error
    assert page.text[-1].value


def test_set_up_plans_before_the_freeze(office: Desk) -> None:
    page = button(upload(run("setup"), pool(400)), "Check every row")
    told = next(one.value for one in page.text if one.value.startswith("About "))
    ratings = int(told.split()[1].replace(",", ""))
    assert 100 < ratings < 400
    assert "ratings to a width of 0.2 points (5 % of the scale)" in told
    next(one for one in page.number_input if one.label.startswith("Correlation")).set_value(0.7).run()
    better = next(one.value for one in page.text if one.value.startswith("About "))
    assert int(better.split()[1].replace(",", "")) < ratings
    next(one for one in page.selectbox if one.label == "Target").set_value("population").run()
    assert any("out of reach for the population: with all 400 items" in one.value for one in page.text)
    rows = page.dataframe[-1].value
    assert rows["Ratings an item"].tolist() == [1, 2, 3, 5] * 2
    assert all(one.startswith("out of reach: no width below 0.") for one in rows["Items"][4:])


def test_the_next_session_begins_as_the_last_one(office: Desk) -> None:
    page = AppTest.from_file(str(PAGES / "setup.py"), default_timeout=30)
    page.session_state["next_from"] = office.session.id
    page.run()
    assert f"Scale, guidelines and design are those of {HOSTILE} to begin with." in [
        one.value for one in page.text
    ]
    page = button(upload(page, pool(30)), "Check every row")
    assert not any(one.label.startswith("Begin with what") for one in page.checkbox)  # it learnt nothing yet
    next(one for one in page.text_input if one.label == "Name of the session").set_value("Next")
    button(page, "Freeze the design")
    assert office.workspace.sessions(office.lead)[-1].name == "Next"
    assert "next_from" not in page.session_state


@pytest.mark.parametrize(
    "before",
    [
        Design(width=0.0005, alpha=0.0001, ratings_per_item=25, unratable_after=30, seed=1),
        Design(width=0.995, alpha=0.75, budget=2**53 - 1, seed=1),
    ],
    ids=["small", "large"],
)
def test_the_forms_take_what_the_command_line_froze(office: Desk, before: Design) -> None:
    loaded = load(
        read_table(pool(), "p.csv"), Mapping("judge_score", "item_id", "prompt", "response"), Scale(1, 5, 1)
    )
    first = office.workspace.create(office.workspace.local(), "First", loaded, before)
    page = AppTest.from_file(str(PAGES / "setup.py"), default_timeout=30)
    page.session_state["next_from"] = first.id
    page.run()
    page = button(upload(page, pool(30)), "Check every row")
    next(one for one in page.text_input if one.label == "Name of the session").set_value("Next")
    button(page, "Freeze the design")
    made = office.workspace.sessions(office.lead)[-1].design
    assert (made.width, made.alpha) == (before.width, before.alpha)
    assert made.ratings_per_item == before.ratings_per_item
    page = AppTest.from_file(str(PAGES / "monitor.py"), default_timeout=30)
    page.session_state["session"] = first.id
    page.run().button_group[0].set_value("Stopping").run()
    assert not page.exception, [one.message for one in page.exception]
    assert (
        next(one for one in page.number_input if one.label.startswith("Target width")).value
        == before.width * 100
    )


def test_a_pilot_at_both_ends_of_the_scale_is_planned_with(office: Desk) -> None:
    rows = "".join(f"i{n},R,{n % 10 / 9},{n % 2}\n" for n in range(30))
    page = upload(run("setup"), f"item_id,response,judge_score,pilot\n{rows}".encode())
    next(one for one in page.selectbox if one.label == "Ratings of a pilot").set_value("pilot").run()
    for label, value in (("Lowest rating", 0.0), ("Highest rating", 1.0)):
        next(one for one in page.number_input if one.label == label).set_value(value).run()
    page = button(page, "Check every row")
    deviation = next(one for one in page.number_input if one.label.startswith("Standard deviation"))
    assert deviation.value == 0.5


def test_set_up_says_which_width_is_within_reach(office: Desk) -> None:
    page = button(upload(run("setup"), pool(30)), "Check every row")
    next(one for one in page.text_input if one.label == "Name of the session").set_value("Population")
    next(one for one in page.selectbox if one.label == "Target").set_value("population")
    button(page, "Freeze the design")
    assert "out of reach for the population" in page.text[-1].value


def test_the_card_is_told_nothing_but_the_item(office: Desk) -> None:
    state: dict[str, object] = {}
    card = desk.view(office.workspace, office.rater, office.session.id, state)
    assert set(card) == {
        "mode", "lease", "prompt", "response", "right", "pair", "rubric", "draft", "expires_in", "own", "guidelines",
        "guidelines_mark",
        "examples", "scale", "options", "ends", "answered",
        "turn", "name", "saved", "notice",
    }  # fmt: skip
    assert set(card["scale"]) == {"lower", "upper", "step"}


@pytest.mark.parametrize("score", [9, -1, 2.5, "4; drop", None, float("nan")])
def test_a_score_that_is_none_is_refused_with_a_sentence(office: Desk, score: object) -> None:
    state: dict[str, object] = {}
    card = desk.view(office.workspace, office.rater, office.session.id, state)
    sent = {"do": "rate", "lease": card["lease"], "score": score, "dwell_ms": 900}
    desk.act(office.workspace, office.rater, office.session.id, sent, state)
    assert str(state["notice"]).startswith("the rating is")
    again = desk.view(office.workspace, office.rater, office.session.id, state)
    assert (again["lease"], again["saved"]) == (card["lease"], None)


def test_a_made_up_lease_is_refused_with_a_sentence(office: Desk) -> None:
    state: dict[str, object] = {}
    sent = {"do": "rate", "lease": "made up", "score": 3, "dwell_ms": 900}
    desk.act(office.workspace, office.rater, office.session.id, sent, state)
    assert state["notice"]
    assert state["saved"] is None


def test_only_ones_own_last_rating_can_be_corrected(office: Desk) -> None:
    rate(office, 4)
    state: dict[str, object] = {}
    sent = {"do": "correct", "round": 1, "score": 1}
    desk.act(office.workspace, office.rater, office.session.id, sent, state)  # nobody asked to undo
    assert [e.kind for e in office.workspace.store.events(office.session.id)].count("correction") == 0


def test_a_draft_comes_back_with_the_item_and_says_nothing_of_itself(office: Desk) -> None:
    state: dict[str, object] = {}
    card = desk.view(office.workspace, office.rater, office.session.id, state)
    assert card["draft"] is None
    draft = {"do": "draft", "lease": card["lease"], "comment": HOSTILE, "flag": True, "n": 7}
    desk.act(office.workspace, office.rater, office.session.id, draft, state)
    again = desk.view(office.workspace, office.rater, office.session.id, {})
    assert (again["lease"], again["draft"]) == (card["lease"], {"comment": HOSTILE, "flag": True})
    long = {**draft, "comment": "x" * 6000}
    desk.act(office.workspace, office.rater, office.session.id, long, state)
    assert state["notice"] == "the comment is 6,000 letters long; the most is 5,000"


def test_the_last_ten_are_told_when_asked_for_and_only_the_raters_own(office: Desk) -> None:
    for value in range(1, 6):
        rate(office, value)
    other = office.workspace.sign_in(office.workspace.invite(office.lead, "rater", office.session.id, "Ben"))
    assert other is not None
    state: dict[str, object] = {}
    desk.act(office.workspace, office.rater, office.session.id, {"do": "recent"}, state)
    card = desk.view(office.workspace, office.rater, office.session.id, state)
    assert [row["value"] for row in card["recent"]] == ["5", "4", "3", "2", "1"]
    assert set(card["recent"][0]) == {"place", "value", "at", "start"}
    assert "recent" not in desk.view(office.workspace, office.rater, office.session.id, state)
    desk.act(office.workspace, office.rater, office.session.id, {"do": "fix", "place": 3}, state)
    assert desk.view(office.workspace, office.rater, office.session.id, state)["was"] == 2
    theirs: dict[str, object] = {}
    desk.act(office.workspace, other, office.session.id, {"do": "fix", "place": 3}, theirs)
    shown = desk.view(office.workspace, other, office.session.id, theirs)
    assert shown["mode"] == "rate"
    assert shown["own"]["ratings"] == 0


def test_nothing_that_the_browser_is_told_says_which_round_it_is(tmp_path: Path) -> None:
    """A round below 0 is a gold item, which raters must not know from others."""
    golden = Office(tmp_path / "gold.db", gold=20, gold_rate=0.4)
    state: dict[str, object] = {}
    rounds = set()
    for _ in range(30):
        rounds.add(golden.rate(golden.ada, 3).round < 0)
        desk.act(golden.workspace, golden.ada, golden.id, {"do": "recent"}, state)
        card = desk.view(golden.workspace, golden.ada, golden.id, state)
        desk.act(golden.workspace, golden.ada, golden.id, {"do": "fix", "place": 0}, state)
        fixing = desk.view(golden.workspace, golden.ada, golden.id, state)
        assert fixing["mode"] == "correct"
        desk.act(golden.workspace, golden.ada, golden.id, {"do": "back"}, state)
        for told in (card, fixing):
            assert '"round"' not in json.dumps(told)
            # a lease's token is random, and may begin with any sign
            assert not str(told["lease"]).startswith("own -")
    assert rounds == {True, False}


def test_an_error_that_is_meant_for_people_is_shown_as_text() -> None:
    def page() -> None:
        from celeus_label.session import NotAllowed
        from celeus_label.ui.server import tell

        assert tell(NotAllowed("your **invitation** has ended"))
        assert tell(KeyError("a fault of ours"))

    shown = AppTest.from_function(page).run()
    assert not shown.exception
    sentence, number = (one.value for one in shown.text)
    assert sentence == "your **invitation** has ended"
    assert [one.value[:20] for one in shown.error] == ["That was not done.", "Something went wrong"]
    assert re.fullmatch(r"Error \S+", number)  # of a fault of ours the trace is in the log
