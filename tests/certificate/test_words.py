from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from celeus_label.certificate import Claim, certificate_html, claim_of, claim_sentence, not_claimed
from celeus_label.certificate.figure import figure
from celeus_label.certificate.words import ends
from celeus_label.certify import Design, Scale
from tests.certificate.driver import Session, busy_session, contradicted_session, make_pool


@pytest.fixture(scope="module")
def claim() -> Claim:
    session = busy_session()
    met = claim_of(session.certifier, session.events)
    return replace(
        met, items=6333, scale=Scale(1, 5), lower_unit=0.36313, upper_unit=0.41201, unratable=0, ratings=330
    )


def test_the_claim_in_one_sentence(claim: Claim) -> None:
    assert claim_sentence(claim) == (
        "The mean rating of this pool of 6,333 answers, rated 1 to 5, is between 2.45 and 2.65, with 95 % "
        "confidence at any stopping time."
    )


def test_the_words_of_the_scale_and_of_the_task_are_used(claim: Claim) -> None:
    words = replace(claim, scale=Scale(1, 5, 1, ("useless", "so so", "perfect")), alpha=0.07)
    assert claim_sentence(words, "helpfulness", "stories") == (
        "The mean helpfulness of this pool of 6,333 stories, rated 1 (useless) to 5 (perfect), is between 2.45 and "
        "2.65, with 93 % confidence at any stopping time."
    )


def test_the_population_is_named_with_what_it_takes(claim: Claim) -> None:
    population = replace(claim, target="population")
    assert "of the population that this pool of 6,333 answers was sampled from, rated" in claim_sentence(
        population
    )
    assert "independent random sample" in not_claimed(population)[0]
    assert "these 6,333 items alone" in not_claimed(claim)[0]


def test_an_open_session_is_no_certificate_yet(claim: Claim) -> None:
    sentence = claim_sentence(replace(claim, status="open"))
    assert sentence.startswith(
        "Open — not a certificate yet: no stopping rule has fired. So far, the mean rating"
    )


def test_a_contradicted_session_claims_nothing() -> None:
    session = contradicted_session()
    claim = claim_of(session.certifier, session.events)
    sentence = claim_sentence(claim)
    assert sentence.startswith("Contradicted — not a certificate: ")
    assert "between" not in sentence
    assert "%" not in sentence
    assert len(not_claimed(claim)) == 1


def test_unratable_items_are_told_with_their_rule(claim: Claim) -> None:
    for rule, told in (("bound", "whatever"), ("worst", "rated 1"), ("best", "rated 5")):
        last = not_claimed(replace(claim, unratable=3, unratable_rule=rule))[-1]
        assert "could not be rated: 3" in last
        assert told in last


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e4), st.floats(0, 1), st.floats(0, 1))
def test_ends_are_rounded_outwards_and_not_far(lower: float, size: float, one: float, other: float) -> None:
    scale = Scale(lower, lower + size)
    low, high = (scale.from_unit(unit) for unit in sorted((one, other)))
    texts = ends(low, high, scale)
    shown_low, shown_high = map(Fraction, texts)
    step = Fraction(10) ** -len(texts[0].partition(".")[2])
    assert Fraction(low) - step < shown_low <= Fraction(low)
    assert Fraction(high) <= shown_high < Fraction(high) + step
    assert float(step) <= 1.0001 * max((high - low) / 10, scale.range / 10_000)


@pytest.mark.parametrize(
    ("low", "high", "scale", "shown"),
    [
        (0.3101, 0.3599, Scale(0, 1), ("0.310", "0.360")),
        (52.004, 56.0, Scale(0, 100), ("52.0", "56.0")),
        (-0.00001, 0.2, Scale(-1, 1), ("-0.01", "0.21")),
        (-0.004, -0.0, Scale(-1, 1), ("-0.0041", "0.0000")),
        (2.0, 2.0, Scale(1, 5), ("2.0000", "2.0000")),
        (2.9999999999996, 3.0000000000004, Scale(1, 5), ("2.9999", "3.0001")),
        (1.0, 5.0, Scale(1, 5), ("1.0", "5.0")),
    ],
)
def test_ends_have_the_places_that_matter(
    low: float, high: float, scale: Scale, shown: tuple[str, str]
) -> None:
    assert ends(low, high, scale) == shown


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [
            str(value) for name, value in attrs if name in ("src", "href", "onload", "onerror")
        ]

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def test_the_page_shows_the_claim_and_loads_nothing() -> None:
    session = busy_session()
    claim = claim_of(session.certifier, session.events)
    page = certificate_html(session.certifier, session.events)
    found = read(page)
    assert claim_sentence(claim) in found.text
    assert all(sentence in found.text for sentence in not_claimed(claim))
    assert claim.ledger_hash in found.text
    assert "Target width at the start30 % of the scale" in found.text
    assert found.tags.count("svg") == 1
    assert "script" not in found.tags
    assert found.addresses == []
    points = re.search(r'<polyline points="([^"]*)" fill="none" stroke="#2b568c"', page)
    assert points is not None
    assert len(points[1].split()) == session.certifier.ratings


def test_no_text_of_a_session_is_markup_on_the_page() -> None:
    pool, truth = make_pool(
        scale=Scale(1, 5, 1, ("<img src=x onerror=alert(1)>", "</p><script>alert(2)</script>"))
    )
    session = Session(pool, Design(width=0.2), "<script>alert(3)</script>").run(truth)
    found = read(certificate_html(session.certifier, session.events, "<b>x</b>", '"><script>'))
    assert {"script", "img", "b"}.isdisjoint(found.tags)
    assert "<script>alert(3)</script>" in found.text


def test_the_page_of_any_status_says_so() -> None:
    pool, truth = make_pool()
    for session, told in (
        (Session(pool, Design()), "Open — not a certificate yet: first session"),
        (Session(pool, Design()).run(truth, 1), "Open — not a certificate yet: first session"),
        (contradicted_session(), "Contradicted — not a certificate: first session"),
        (Session(pool, Design(width=0.4)).run(truth), "Certificate: first session"),
    ):
        assert f"<h1>{told}</h1>" in certificate_html(session.certifier, session.events)


def test_a_long_session_is_thinned_to_what_a_page_can_show() -> None:
    rounds = 5000
    lower = [1 + t / rounds for t in range(rounds)]
    drawing = figure(lower, [5.0] * rounds, [3.0] * rounds, Scale(1, 5), 0.2)
    points = re.search(r'<polyline points="([^"]*)" fill="none" stroke="#2b568c"', drawing)
    assert points is not None
    assert 300 < len(points[1].split()) <= 401
    assert points[1].split()[-1].startswith("628.0,")  # the last round is there
    assert len(figure([2.0], [4.0], [3.0], Scale(1, 5), 0.2)) < 3000
