"""Passwords, a provider's word, and what is left of a person who is deleted."""

from __future__ import annotations

import json
import logging
import sys
import zipfile
from pathlib import Path

import pytest

from celeus_label.certificate import verify
from celeus_label.certify import Design
from celeus_label.session import NotAllowed, StoreError, Workspace
from celeus_label.session.access import FOR_ACCOUNT, FOR_ADDRESS, SIGNED_IN, TooMany
from celeus_label.session.logs import JsonLines, begin_request
from celeus_label.session.rules import Rule, read_rules, rule_for
from tests.office import Office, pool_of

RIGHT = "correct horse battery"


@pytest.fixture
def office(tmp_path: Path) -> Office:
    office = Office(tmp_path / "work.db")
    office.workspace.set_password(office.workspace.local(), "Lea", RIGHT)
    return office


def test_a_password_signs_in_until_it_ends_is_signed_out_or_replaced(office: Office) -> None:
    workspace = office.workspace
    tokens = [workspace.sign_in_by_password(" LEA ", RIGHT, "::1") for _ in range(3)]
    first, second, third = (workspace.sign_in(str(token)) for token in tokens)
    assert first is not None and second is not None and third is not None
    assert (first.name, first.role, first.session) == ("lea", "lead", None)
    assert len(workspace.sessions(first)) == 1

    workspace.sign_out(first)
    assert workspace.sign_in(str(tokens[0])) is None
    with pytest.raises(NotAllowed):
        workspace.sessions(first)
    assert workspace.sign_in(str(tokens[1])) == second

    office.clock.pass_time(days=SIGNED_IN.days)
    assert workspace.sign_in(str(tokens[1])) is None

    token = workspace.sign_in_by_password("lea", RIGHT, "::1")
    workspace.set_password(workspace.local(), "lea", "another long one", "admin")
    assert workspace.sign_in(str(token)) is None
    assert workspace.sign_in_by_password("lea", RIGHT, "::1") is None
    again = workspace.sign_in(str(workspace.sign_in_by_password("lea", "another long one", "::1")))
    assert again is not None
    assert (again.person, again.role) == (first.person, "admin")


def test_only_a_hash_is_stored_and_none_is_logged(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "celeus_label")
    token = str(office.workspace.sign_in_by_password("lea", RIGHT, "203.0.113.9"))
    office.workspace.sign_in_by_password("lea", "wrong but long enough", "203.0.113.9")
    with office.workspace.store._reading() as db:
        stored = "\n".join(db.iterdump())
    logged = "\n".join(map(JsonLines().format, caplog.records))
    for text in (stored, logged):
        assert not [secret for secret in (RIGHT, token, "wrong but", "203.0.113.9") if secret in text]
    assert "$argon2id$" in stored
    lines = [json.loads(line) for line in logged.splitlines()]
    assert [(line["action"], line.get("refused")) for line in lines] == [
        ("sign_in_by_password", None),
        ("sign_in_by_password", "wrong"),
    ]
    assert lines[0]["rater"] in stored
    assert "lea" not in logged.replace("celeus_label", "")


def test_after_some_wrong_passwords_the_right_one_waits_too(office: Office) -> None:
    workspace = office.workspace
    for _ in range(FOR_ACCOUNT - 1):
        assert workspace.sign_in_by_password("lea", "wrong", "::1") is None
    assert workspace.sign_in_by_password("lea", RIGHT, "::1")  # which forgives the ones before
    for turn in range(FOR_ACCOUNT):
        assert workspace.sign_in_by_password("lea", "wrong", f"::{turn}") is None
    started_again = Workspace(workspace.store.path, office.clock)
    with pytest.raises(TooMany, match="wait 15 minutes"):
        started_again.sign_in_by_password("Lea", RIGHT, "::99")
    office.clock.pass_time(minutes=15)
    assert workspace.sign_in_by_password("lea", RIGHT, "::99")


def test_one_address_can_not_try_every_account(office: Office) -> None:
    for turn in range(FOR_ADDRESS):
        assert office.workspace.sign_in_by_password(f"person {turn}", "wrong", "::1") is None
    with pytest.raises(TooMany):
        office.workspace.sign_in_by_password("lea", RIGHT, "::1")
    assert office.workspace.sign_in_by_password("lea", RIGHT, "::2")


@pytest.mark.parametrize(
    ("login", "password", "role", "sentence"),
    [
        (" ", RIGHT, "lead", "1 to 200 characters"),
        ("lea", "short", "lead", "the password has 5 characters; it must have 12 to 1,000"),
        ("lea", "x" * 1001, "lead", "has 1,001 characters"),
        ("ada", RIGHT, "rater", "role 'rater' can't have a password"),
    ],
)
def test_a_password_must_make_sense(
    office: Office, login: str, password: str, role: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        office.workspace.set_password(office.workspace.local(), login, password, role)


def test_a_provider_lets_in_again_the_person_whom_it_let_in_before(office: Office) -> None:
    workspace = office.workspace
    ada = workspace.admit("Ada@Example.org", "Ada L.", "rater", "helpful")
    assert ada is not None
    assert (ada.name, ada.role, ada.session) == ("Ada L.", "rater", office.id)
    assert workspace.admit("ada@example.org", "Ada", "rater", "helpful") == ada
    office.rate(ada, 3)
    assert workspace.sign_in(str(ada.invite)) is None  # what is stored is no token
    lead = workspace.admit("ada@example.org", "Ada", "lead", None)
    assert lead is not None
    assert lead.person == ada.person
    assert workspace.admit("bob@example.org", "Bob", "rater", "no such session") is None

    for _ in range(5):  # it stays open as long as she comes
        office.clock.pass_time(days=20)
        assert workspace.admit("ada@example.org", "Ada", "rater", "helpful") == ada
    workspace.revoke(office.workspace.local(), office.id, str(ada.invite))
    with pytest.raises(NotAllowed):
        office.take(ada)
    office.clock.pass_time(days=40)
    assert workspace.admit("ada@example.org", "Ada", "rater", "helpful") is None


RULES = read_rules(
    [
        {"role": "admin", "emails": ["root@example.org"]},
        {"role": "lead", "groups": ["leads"], "session": "helpful"},
        {"role": "lead", "emails": ["*@leads.example.org"]},
        {"role": "rater", "emails": ["*"], "session": "helpful"},
    ]
)


@pytest.mark.parametrize(
    ("side", "claims", "rule"),
    [
        ("lead", {"email": "Root@example.org"}, 0),
        ("lead", {"email": "x@leads.example.org", "groups": ["staff", "leads"]}, 1),
        ("lead", {"groups": "leads"}, 1),
        ("lead", {"email": "x@leads.example.org", "groups": None}, 2),
        ("lead", {"email": "x@leads.example.org.evil.example"}, None),
        ("lead", {"email": "root@example.org", "email_verified": False}, None),
        ("lead", {"email": "root@example.org", "email_verified": "true"}, 0),
        ("lead", {"email": "x@example.org", "groups": ["Leads", "leads2"]}, None),
        ("lead", {}, None),
        ("rater", {"email": "root@example.org"}, 3),
        ("rater", {"sub": "17"}, None),
    ],
)
def test_the_first_rule_that_fits_gives_the_role(
    side: str, claims: dict[str, object], rule: int | None
) -> None:
    assert rule_for(RULES, side, claims) == (None if rule is None else RULES[rule])


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"role": "boss", "emails": ["a"]}, "role is 'boss', none of rater, lead, admin"),
        ({"role": "lead"}, "neither emails nor groups"),
        ({"role": "lead", "emails": "a@example.org"}, "emails must be a list of texts"),
        ({"role": "lead", "groups": [7]}, "groups must be a list of texts"),
        ({"role": "rater", "emails": ["*"]}, "a rater's rule needs the session's name"),
        ({"role": "lead", "email": ["a"]}, "there is no 'email'; it may have emails, groups, role, session"),
        ({"role": "lead", "emails": ["a"], "session": 1}, "not a session's name"),
    ],
)
def test_a_rule_that_makes_no_sense_is_named(table: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=rf"^\[\[roles\]\] number 2: .*{sentence}"):
        read_rules([{"role": "lead", "emails": ["a"]}, table])
    assert Rule("lead").fits("", ()) is False


def test_a_name_is_in_one_table_and_deleting_it_leaves_ratings_and_chain_whole(
    office: Office, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "celeus_label")
    workspace, admin = office.workspace, office.workspace.local()
    eve = workspace.admit("eve@example.org", "Eve Adams", "rater", "helpful")
    assert eve is not None
    for value in (4, 2):
        office.rate(eve, value)
    workspace.save_draft(eve, office.id, office.take(eve).lease, "as Eve Adams thinks")

    def places() -> set[str]:
        with workspace.store._reading() as db:
            tables = [
                row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            ]
            return {
                table
                for table in tables
                for row in db.execute(f"SELECT * FROM {table}").fetchall()
                if any(isinstance(cell, str) and ("Eve" in cell or "eve@" in cell) for cell in row)
            }

    assert places() == {"person", "lease"}  # the lease holds her own draft
    before = workspace.monitor(office.lead, office.id).interval
    plain, named = tmp_path / "plain.zip", tmp_path / "named.zip"
    workspace.export(office.lead, office.id, plain)
    workspace.export(office.lead, office.id, named, names=True)
    assert eve.name in _unzipped(named)
    assert eve.name not in _unzipped(plain)
    assert eve.person in _unzipped(plain)

    (known,) = [one for one in workspace.people(admin) if one.id == eve.person]
    assert (known.name, known.login, known.invites[0].via) == ("Eve Adams", "eve@example.org", "provider")
    workspace.forget(admin, eve.person)
    assert places() == set()
    assert workspace.monitor(office.lead, office.id).interval == before
    assert workspace.doctor(admin) == []
    with pytest.raises(NotAllowed):
        office.take(eve)
    workspace.export(office.lead, office.id, named, names=True)
    assert "Eve" not in _unzipped(named)
    for bundle in (plain, named):
        assert verify(bundle).valid
    shown = workspace.monitor(office.lead, office.id).raters
    assert [one.name for one in shown if one.rater == eve.person] == [f"deleted {eve.person[:4]}"]
    assert "Eve" not in "".join(map(JsonLines().format, caplog.records))
    with pytest.raises(StoreError, match="no person"):
        workspace.forget(admin, "nobody")


def _unzipped(path: Path) -> str:
    with zipfile.ZipFile(path) as bundle:
        return "".join(bundle.read(name).decode() for name in bundle.namelist())


def test_each_action_is_one_line_of_json(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "celeus_label")
    request = begin_request()
    task = office.take(office.ada)
    office.workspace.rate(office.ada, office.id, task.lease, 4, 100, comment="a secret\nremark")
    with pytest.raises(NotAllowed):
        office.workspace.monitor(office.ada, session=office.id)
    lines = [JsonLines().format(record) for record in caplog.records]
    assert not [line for line in lines if "\n" in line or "secret" in line]
    told = [json.loads(line) for line in lines]
    assert [(one["action"], one.get("refused")) for one in told] == [
        ("claim", None),
        ("rate", None),
        ("monitor", "NotAllowed"),
    ]
    for one in told:
        assert (one["request"], one["session"], one["rater"]) == (request, office.id, office.ada.person)
        assert one["duration_ms"] >= 0
    assert begin_request() != request


def test_what_goes_wrong_unforeseen_is_logged_with_its_trace() -> None:
    try:
        raise RuntimeError("boom\nand more")
    except RuntimeError:
        record = logging.LogRecord("celeus_label", logging.ERROR, "", 0, "it broke", None, sys.exc_info())
    line = JsonLines().format(record)
    assert "\n" not in line
    assert "RuntimeError: boom" in json.loads(line)["trace"]


def test_a_name_can_not_change_the_words_that_it_stands_among(office: Office) -> None:
    workspace, local = office.workspace, office.workspace.local()
    for name in ("Ada\u202e", "A\nB", "\u2066Ada", "A\x00", "A\u2028B", "A\x1b[31m"):
        with pytest.raises(ValueError, match=r"^the name holds the invisible character U\+"):
            workspace.invite(local, "rater", office.id, name)
        with pytest.raises(ValueError, match=r"^the session's name holds the invisible character"):
            workspace.create(local, name, pool_of(60), Design())
        with pytest.raises(ValueError, match="invisible character"):
            workspace.set_password(local, name + "x", RIGHT)
    who = workspace.admit("eve@example.org", "Eve\u202e\n the admin", "rater", "helpful")
    assert who is not None
    assert who.name == "Eve the admin"
