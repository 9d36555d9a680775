"""The bundled pool: made by its script, described truly, and hard on a screen that mangles text."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from statistics import correlation, linear_regression, mean, stdev

import pytest

from data.make_pool import HERE, write

Row = dict[str, str]


def rows_of(name: str) -> list[Row]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def pool() -> list[Row]:
    return rows_of("answers.csv")


@pytest.fixture(scope="module")
def human() -> list[Row]:
    return rows_of("answers_human.csv")


def test_the_script_gives_the_files_byte_for_byte(tmp_path: Path) -> None:
    write(tmp_path)
    for name in ("answers.csv", "answers_human.csv"):
        assert (tmp_path / name).read_bytes() == (HERE / name).read_bytes()


def test_the_human_scores_belong_to_the_items_and_to_them_alone(pool: list[Row], human: list[Row]) -> None:
    assert [row["item_id"] for row in human] == [row["item_id"] for row in pool]
    assert {row["human_score"] for row in human} == {"1", "2", "3", "4", "5"}
    assert "human_score" not in pool[0]


def test_judge_and_spread_stay_in_their_ranges(pool: list[Row]) -> None:
    assert all(1 <= float(row["judge_score"]) <= 5 for row in pool)
    assert all(0 < float(row["judge_spread"]) < 2 for row in pool)


def test_no_two_items_are_the_same(pool: list[Row]) -> None:
    assert len(pool) >= 1200
    assert len({row["item_id"] for row in pool}) == len(pool)
    assert len({(row["prompt"], row["response"]) for row in pool}) == len(pool)


def test_no_text_is_empty_or_left_with_an_open_slot(pool: list[Row]) -> None:
    for row in pool:
        assert row["prompt"].strip() == row["prompt"] != ""
        assert row["response"].strip() == row["response"] != ""
        if row["topic"] not in ("code", "extraction"):
            assert not re.search(r"[{}]", row["prompt"] + row["response"]), row


def test_every_topic_and_system_has_its_share(pool: list[Row]) -> None:
    assert set(Counter(row["topic"] for row in pool).values()) == {125}
    assert set(Counter(row["system"] for row in pool).values()) == {300}


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("two dollar signs in a line", r"\$\d.*\$\d"),
        ("an emoji's name", r":smile:"),
        ("a Markdown list", r"(?m)^- \*\*"),
        ("a fenced block of code", r"(?s)```\w+\n.*```"),
        ("HTML", r"<script>|<img "),
        ("Arabic", r"[\u0600-\u06ff]"),
        ("Hebrew", r"[\u0590-\u05ff]"),
    ],
)
def test_the_texts_are_hard_on_a_screen(pool: list[Row], what: str, pattern: str) -> None:
    assert any(re.search(pattern, row["response"]) for row in pool), what


def test_the_readme_states_what_is_measured(pool: list[Row], human: list[Row]) -> None:
    judge = [float(row["judge_score"]) for row in pool]
    truth = [float(row["human_score"]) for row in human]
    spread = [float(row["judge_spread"]) for row in pool]
    errors = [abs(j - h) for _, j, h in sorted(zip(spread, judge, truth, strict=True))]
    third = len(errors) // 3
    ends = [mean(score < 2 or score > 4.5 for score in scores) for scores in (judge, truth)]
    slope = linear_regression(judge, truth).slope
    table = [
        ["mean", mean(judge), mean(truth)],
        ["standard deviation", stdev(judge), stdev(truth)],
        ["correlation with the human", correlation(judge, truth)],
        ["slope of human on judge", slope],
        ["share of items below 2 or above 4.5", *ends],
        ["mean error of the judge, third with the smallest spread", mean(errors[:third])],
        ["mean error of the judge, third with the largest spread", mean(errors[-third:])],
    ]
    readme = (HERE / "README.md").read_text("utf-8")
    for name, *values in table:
        cells = [f"{value:.2f}" for value in values] + [""] * (2 - len(values))
        assert f"| {name} | {' | '.join(cells)} |".replace("|  |", "| |") in readme
    assert 0.5 < correlation(judge, truth) < 0.7
    assert mean(judge) > mean(truth) + 0.3  # generous
    assert slope < 0.8  # and over-dispersed
    assert mean(errors[-third:]) > 1.2 * mean(errors[:third])  # its spread says where it is unsure
