from __future__ import annotations

from datetime import timedelta

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
