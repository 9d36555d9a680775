"""What leads are told of their raters: agreement, gold items, differences; and how it is set up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from celeus_label.session import Task
from celeus_label.ui import signin
from tests.office import Office
from tests.ui.test_pages import HOSTILE, PAGES, button, markdown, upload

Enter = Callable[..., Office]


@pytest.fixture
def enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Enter:
    """Make an office whose lead has the page open."""

    def made(**rules: object) -> Office:
        office = Office(tmp_path / "work.db", **rules)  # type: ignore[arg-type]
        monkeypatch.setenv(signin.DATABASE, str(tmp_path / "work.db"))
        monkeypatch.setattr(signin, "_open", lambda _: office.workspace)  # the office's clock, too
        monkeypatch.setattr(signin, "identity", {"lead": office.lead}.get)
        return office

    return made


def run(name: str, view: str | None = None) -> AppTest:
    page = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=30).run()
    if view is not None:
        page.button_group[0].set_value(view).run()
    assert not page.exception, [one.message for one in page.exception]
    return page


def metrics(page: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in page.metric}


def choose(page: AppTest, label: str, value: object) -> AppTest:
    fields = [*page.selectbox, *page.number_input, *page.text_input]
    return next(one for one in fields if one.label.startswith(label)).set_value(value).run()


def decide(page: AppTest, value: float) -> AppTest:
    next(one for one in page.selectbox if one.label == "Value").set_value(value)
    return button(page, next(one.label for one in page.button if one.label.startswith("Decide")))


def together(office: Office, *pairs: tuple[float, float]) -> None:
    for one, two in pairs:
        office.rate(office.ada, one)
        office.rate(office.bob, two)


def test_agreement_is_shown_overall_and_of_each_rater(enter: Enter) -> None:
    office = enter(ratings_per_item=2)
    together(office, (2, 2), (3, 4), (5, 5), (1, 1))
    page = run("raters", "Agreement")
    overall = office.workspace.agreement(office.lead, office.id)
    assert overall.interval.value is not None
    shown = metrics(page)
    assert (shown["Items with two ratings or more"], shown["Percent agreement"]) == ("4", "75%")
    assert shown["Alpha, interval"] == f"{overall.interval.value:.3f}"
    rows = page.dataframe[0].value
    assert rows["Items"].tolist() == [4, 4]
    assert rows["Percent agreement"].tolist() == ["75%", "75%"]
    assert "Why none" not in rows


def test_where_there_is_no_agreement_the_page_says_why(enter: Enter) -> None:
    office = enter()
    office.rate(office.ada, 3)
    page = run("raters", "Agreement")
    assert set(metrics(page).values()) == {"0", "none"}
    assert "Percent agreement and Alpha: no item has ratings by two raters." in markdown(page)
    assert "This session asks for one rating an item." in markdown(page)
    assert page.dataframe[0].value["Why none"].tolist() == ["no item of this rater has a rating by another"]


def test_ratings_all_alike_have_percent_agreement_and_no_alpha(enter: Enter) -> None:
    office = enter(ratings_per_item=2)
    together(office, (3, 3), (3, 3))
    page = run("raters", "Agreement")
    assert metrics(page)["Percent agreement"] == "100%"
    assert "Alpha: all ratings are the same value" in markdown(page)


def test_gold_and_repeated_items_are_shown_of_each_rater(enter: Enter) -> None:
    office = enter(gold=20, gold_rate=0.4, repeat_rate=0.2, width=0.001)
    while isinstance(task := office.workspace.claim(office.ada, office.id), Task):
        item = office.workspace.item_id(office.id, task)
        value = 1 + int(item[1:]) % 5
        off = item == "g2"  # the answer is 3
        office.workspace.rate(office.ada, office.id, task.lease, value + off, 900)
    page = run("raters", "Gold items")
    assert metrics(page) == {
        "Gold items": "20",
        "Share of gold items": "40 %",
        "Share of own items again": "20 %",
    }
    known, again, tests = (one.value for one in page.dataframe)
    gold = tests[tests["Kind"] == "gold"]
    wrong = gold[gold["Expected"] != gold["Rated"]]
    assert wrong["Item"].tolist() == ["g2"]
    assert known["Rated"].tolist() == [len(gold)]
    assert known["Gives more"].tolist() == [pytest.approx(1 / len(gold))]
    assert again["Same"].tolist() == [1.0]


def test_a_session_without_tests_says_how_to_have_them(enter: Enter) -> None:
    enter()
    assert "This session tests nobody." in run("raters", "Gold items").info[0].value


def test_a_lead_decides_what_waits_and_the_next_one_is_shown(enter: Enter) -> None:
    office = enter(ratings_per_item=2, disagreement=1.0)
    together(office, (1, 5), (3, 3), (2, 5))
    assert "decide them on the page Raters" in markdown(run("monitor"))
    page = run("raters", "Differences")
    counts = ("Waiting for a decision", "Settled by a further rating", "Decided by a lead")
    assert [metrics(page)[name] for name in counts] == ["2", "0", "0"]
    assert page.selectbox[1].options == ["Draw 1, waiting", "Draw 3, waiting"]
    assert [one.value for one in page.dataframe][-1]["Rating"].tolist() == [1, 5]
    texts = office.workspace.store.shown(office.id, 1)
    assert [one.value for one in page.code] == [texts.prompt, texts.response]

    page = button(page, "Decide")  # nothing is chosen
    assert page.error[0].value == "There is no value yet."
    page = decide(page, 4.0)
    assert page.success[0].value == "Draw 1 is decided: 4."
    assert page.selectbox[1].options == ["Draw 3, waiting", "Draw 1, decided: 4"]
    cid = office.enter("rater")
    assert office.rate(cid, 2).round == 3
    page = run("raters", "Differences")
    assert [metrics(page)[name] for name in counts] == ["0", "1", "1"]
    events = [one for one in office.workspace.store.events(office.id) if one.kind == "adjudication"]
    assert [(one.body["round"], one.body["new"], one.body["by"]) for one in events] == [
        (1, 4, office.lead.person)
    ]
    assert office.workspace.monitor(office.lead, office.id).counts.open == 0


def test_the_decision_is_refused_by_a_disk_that_is_full(enter: Enter) -> None:
    office = enter(ratings_per_item=2, disagreement=1.0)
    together(office, (1, 5))
    page = run("raters", "Differences")
    before = office.workspace.store.events(office.id)
    with office.workspace.store._reading() as db:
        # as many pages as there are, and no more
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
    while not (page := decide(page, 2)).error:  # the last page has some room
        before = office.workspace.store.events(office.id)
    assert page.error[0].value == "Nothing was changed."
    assert "can't grow: the disk is full; nothing of this step was stored" in page.text[-1].value
    assert office.workspace.store.events(office.id) == before
    with office.workspace.store._reading() as db:
        db.execute("PRAGMA max_page_count = 1000000")
    assert decide(page, 3).success[0].value == "Draw 1 is decided: 3."


def test_a_lead_corrects_a_rating_and_sees_who_changed_what(enter: Enter) -> None:
    office = enter(width=0.4)
    office.rate(office.ada, 2)
    assert "No rating was corrected." in markdown(run("raters", "Corrections"))
    while isinstance(task := office.workspace.claim(office.ada, office.id), Task):
        office.workspace.rate(office.ada, office.id, task.lease, 3, 900)
    office.workspace.correct(office.ada, office.id, 1, 5)
    page = run("raters", "Corrections")
    choose(page, "Rating", (2, office.ada.person))
    assert office.workspace.store.shown(office.id, 2).response in [one.value for one in page.code]
    next(one for one in page.selectbox if one.label == "Value").set_value(1)
    page = button(page, "Correct")
    assert page.success[0].value == "Draw 2: 3 was corrected to 1."
    rows = page.dataframe[0].value
    assert rows[["Draw", "Was", "Is", "By"]].to_numpy().tolist() == [
        [2, "3", "1", "a lead"],
        [1, "2", "5", "a rater"],
    ]
    told = office.workspace.certificate(office.lead, office.id, "rating", "answers")
    assert told.claim.corrections == 2


def test_without_the_rule_nothing_waits(enter: Enter) -> None:
    enter(ratings_per_item=2)
    assert "asks for no further rating" in run("raters", "Differences").info[0].value


@pytest.mark.parametrize("view", ["Agreement", "Gold items", "Differences", "Corrections"])
def test_no_name_text_or_comment_is_given_to_markdown(enter: Enter, view: str) -> None:
    office = enter(ratings_per_item=2, disagreement=0.5, gold=10, gold_rate=0.4)
    token = office.workspace.invite(office.workspace.local(), "rater", office.id, HOSTILE)
    eve = office.workspace.sign_in(token)
    assert eve is not None
    # until there is something to show of each kind: who gets a gold item when is left to chance
    while not (
        office.workspace.disputes(office.lead, office.id)
        and any(one.rater == eve.person for one in office.workspace.controls(office.lead, office.id))
    ):
        task = office.take(eve)
        office.workspace.rate(eve, office.id, task.lease, 1, 900, HOSTILE)
        office.rate(office.ada, 5)
    rounds = [one.round for one in office.workspace.recent(eve, office.id)]
    office.workspace.correct(eve, office.id, max(rounds), 2)
    page = run("raters", view)
    assert HOSTILE in " ".join(str(one.value.to_dict()) for one in page.dataframe)
    assert HOSTILE not in markdown(page)


def test_the_monitor_says_who_holds_what_others_wait_for_and_it_is_taken_back(enter: Enter) -> None:
    office = enter()
    slow = office.take(office.ada)
    assert slow.round == 1
    for value in (2, 3, 4):
        office.rate(office.bob, value)
    page = run("monitor")
    told = next(one.value for one in page.text if "finished item" in one.value)
    assert told.startswith(
        f"3 finished items wait for draw 1, which a rater holds until {slow.expires:%H:%M:%S} UTC."
    )
    button(page, "Take back")
    told = next(one.value for one in run("monitor").text if "finished item" in one.value)
    assert "draw 1, which nobody holds: the next rater is given it." in told
    assert office.rate(office.bob, 5).round == 1
    assert not [one for one in run("monitor").text if "finished item" in one.value]


def pool_with_answers(rows: int) -> bytes:
    lines = ["item_id,prompt,response,judge_score,expert"]
    lines += [f"i{i},Prompt {i},Response {i},{1 + i % 5},{3 if i < 4 else ''}" for i in range(rows)]
    return "\n".join(lines).encode()


def test_set_up_takes_gold_items_and_the_rules_of_rating(
    enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = enter()
    boss = office.workspace.sign_in(office.workspace.invite(office.workspace.local(), "lead", None, "Lea"))
    monkeypatch.setattr(signin, "identity", {"lead": boss}.get)
    page = upload(run("setup"), pool_with_answers(30))
    choose(page, "Known answers", "expert")
    page = button(page, "Check every row")
    assert "30 rows read, 26 taken, 4 set apart as gold items, 0 refused" in [one.value for one in page.text]
    choose(page, "Name of the session", "Tested")
    assert not [one for one in page.number_input if one.label.startswith("One more rating")]
    choose(page, "Ratings for each item", 2)
    choose(page, "One more rating", 1.5)
    next(one for one in page.selectbox if one.label == "Value of an item").set_value("median").run()
    choose(page, "Raters who can't", 3)
    choose(page, "Value of an item given up", "worst")
    choose(page, "Gold items, %", 25.0)
    choose(page, "Own items again, %", 5.0)
    button(page, "Freeze the design")
    made = office.workspace.sessions(office.workspace.local())[-1]
    assert (made.name, made.items) == ("Tested", 26)
    design = made.design
    assert (design.ratings_per_item, design.disagreement, design.aggregate) == (2, 1.5, "median")
    assert (design.unratable_after, design.unratable) == (3, "worst")
    frozen = office.workspace.control_rules(office.workspace.local(), made.id)
    assert frozen is not None
    assert (frozen.gold, frozen.gold_rate, frozen.repeat_rate) == (4, 0.25, 0.05)
