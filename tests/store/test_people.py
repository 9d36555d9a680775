from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from celeus_label.store import NotFound
from tests.store.desk import START, Desk

SOON = START + timedelta(days=30)


def test_a_person_has_an_opaque_id(desk: Desk) -> None:
    person = desk.store.person(desk.ann)
    assert (person.name, person.at) == ("Ann", START)
    assert "ann" not in desk.ann.lower()
    with pytest.raises(NotFound, match="no person 'x'"):
        desk.store.person("x")
    with pytest.raises(ValueError, match="not blank"):
        desk.store.add_person(" ", START)


def test_two_persons_may_bear_one_name(desk: Desk) -> None:
    assert desk.store.add_person("Ann", START) != desk.ann


def test_an_invite_lets_in_until_it_expires(desk: Desk) -> None:
    desk.store.add_invite("hash", "rater", desk.session, desk.ann, SOON, START)
    invite = desk.store.invite("hash", START)
    assert invite is not None
    assert (invite.role, invite.session, invite.person, invite.name) == (
        "rater",
        desk.session,
        desk.ann,
        "Ann",
    )
    assert (invite.expires, invite.revoked) == (SOON, None)
    assert desk.store.invite("hash", SOON - timedelta(seconds=1)) == invite
    assert desk.store.invite("hash", SOON) is None
    assert desk.store.invite("another", START) is None


def test_a_revoked_invite_lets_nobody_in(desk: Desk) -> None:
    desk.store.add_invite("hash", "lead", None, desk.bob, SOON, START)
    desk.store.revoke_invite("hash", START)
    desk.store.revoke_invite("hash", SOON)
    assert desk.store.invite("hash", START) is None
    assert [(row.session, row.revoked) for row in desk.store.invites()] == [(None, START)]
    with pytest.raises(NotFound, match="no such invite"):
        desk.store.revoke_invite("another", START)


def test_invites_are_listed_by_session(desk: Desk) -> None:
    desk.store.add_invite("one", "rater", desk.session, desk.ann, SOON, START)
    desk.store.add_invite("all", "admin", None, desk.bob, SOON, START)
    assert [row.token_hash for row in desk.store.invites()] == ["one", "all"]
    assert [row.token_hash for row in desk.store.invites(desk.session)] == ["one"]


def test_an_invite_must_make_sense(desk: Desk) -> None:
    for role, session, person, expires, error, sentence in (
        ("boss", None, desk.ann, SOON, ValueError, "role 'boss' is none of rater, lead, admin"),
        ("rater", None, desk.ann, START, ValueError, "would have expired already"),
        ("rater", 9, desk.ann, SOON, NotFound, "there is no session 9"),
        ("rater", None, "x", SOON, NotFound, "there is no person 'x'"),
    ):
        with pytest.raises(error, match=sentence):
            desk.store.add_invite("hash", role, session, person, expires, START)
    assert desk.store.invites() == []


def test_a_login_finds_its_person_again(desk: Desk) -> None:
    eve = desk.store.add_person("Eve", START, "eve@example.org")
    assert desk.store.add_person("Eve Other", SOON, "eve@example.org") == eve
    assert desk.store.person(eve).name == "Eve"
    assert [row.login for row in desk.store.people()].count("eve@example.org") == 1
    with pytest.raises(ValueError, match="not blank"):
        desk.store.add_person("Eve", START, "")


def test_the_end_of_an_invite_moves_and_a_revoked_one_stays_so(desk: Desk) -> None:
    for days in (1, 20):
        desk.store.add_invite("h", "lead", None, desk.ann, START + timedelta(days=days), START, "provider")
    (row,) = desk.store.invites()
    assert (row.via, row.expires) == ("provider", START + timedelta(days=20))
    desk.store.revoke_invite("h", START)
    desk.store.add_invite("h", "lead", None, desk.ann, SOON, START, "provider")
    assert desk.store.invite("h", START) is None


def test_what_is_known_of_a_person_is_deleted_and_what_the_person_did_stays(
    desk: Desk, tmp_path: Path
) -> None:
    eve = desk.store.add_person("Eve Adams", START, "eve@example.org")
    desk.store.set_password(eve, "lead", "a hash", START)
    desk.store.add_invite("hash", "rater", desk.session, eve, SOON, START)
    desk.rate(desk.claim(eve), eve, 4)
    held = desk.claim(eve)
    desk.store.save_draft(held.lease, eve, "signed, Eve Adams")
    before = desk.store.events(desk.session)
    desk.store.forget(eve, START)
    assert desk.store.person(eve).name == f"deleted {eve[:4]}"
    assert desk.store.password("eve@example.org") is None
    assert desk.store.invite("hash", START) is None
    assert desk.store.draft(held.lease, eve) is None
    assert desk.store.counts(desk.session, desk.now).held == ()
    assert desk.store.events(desk.session) == before
    assert desk.store.check() == []
    assert [row.value for row in desk.store.recent(desk.session, eve, 9)] == [4]
    desk.store.backup(tmp_path / "all.db")
    db = sqlite3.connect(tmp_path / "all.db")
    assert not [line for line in db.iterdump() if "Eve" in line or "eve@" in line]
    db.close()
    with pytest.raises(NotFound, match="no person 'x'"):
        desk.store.forget("x", START)


def test_attempts_are_counted_by_key_until_they_are_old(desk: Desk) -> None:
    def attempt(minute: float, **limits: int) -> bool:
        now = START + timedelta(minutes=minute)
        return desk.store.count_attempt(limits, now - timedelta(minutes=15), now)

    assert [attempt(0, eve=2, here=3), attempt(1, eve=2, here=3), attempt(2, eve=2, here=3)] == [
        True,
        True,
        False,
    ]
    assert attempt(3, ann=2, here=3)
    assert not attempt(4, bob=2, here=3)  # each account is within its limit, the address is not
    assert attempt(15, eve=2)  # the first one no longer counts
    desk.store.forgive_attempts("eve")
    assert [attempt(15.1, eve=2), attempt(15.2, eve=2), attempt(15.3, eve=2)] == [True, True, False]


def test_a_password_replaces_the_one_before(desk: Desk) -> None:
    eve = desk.store.add_person("Eve", START, "eve")
    assert not desk.store.has_passwords()
    desk.store.set_password(eve, "lead", "one", START)
    desk.store.set_password(eve, "admin", "two", START)
    row = desk.store.password("eve")
    assert row is not None
    assert (row.person, row.role, row.hash) == (eve, "admin", "two")
    assert desk.store.password("ann") is None
    assert desk.store.has_passwords()
    with pytest.raises(NotFound):
        desk.store.set_password("x", "lead", "one", START)
