"""Every action with every role: who may do it, who is refused, and that a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from celeus_label.certify import Design
from celeus_label.session import Identity, NotAllowed, StoreError, Workspace
from tests.office import Office, pool_of

Call = Callable[[Workspace, Identity, int, Path], Any]

# Each public method of the workspace stands in exactly one of these; a new one fails the test until it does.
RATER: dict[str, Call] = {
    "claim": lambda w, who, s, _: w.claim(who, s),
    "rate": lambda w, who, s, _: w.rate(who, s, "lease", 3, 100),
    "later": lambda w, who, s, _: w.later(who, s, "lease"),
    "unratable": lambda w, who, s, _: w.unratable(who, s, "lease", "empty"),
    "renew": lambda w, who, s, _: w.renew(who, s, "lease"),
    "save_draft": lambda w, who, s, _: w.save_draft(who, s, "lease", "x"),
    "recent": lambda w, who, s, _: w.recent(who, s),
    "own_work": lambda w, who, s, _: w.own_work(who, s),
    "correct": lambda w, who, s, _: w.correct(who, s, 1, 3),
    "session": lambda w, who, s, _: w.session(who, s),
}
LEAD: dict[str, Call] = {
    "monitor": lambda w, who, s, _: w.monitor(who, s),
    "outlook": lambda w, who, s, _: w.outlook(who, s),
    "group_columns": lambda w, who, s, _: w.group_columns(who, s),
    "slices": lambda w, who, s, _: w.slices(who, s, "system"),
    "calibration": lambda w, who, s, _: w.calibration(who, s),
    "certificate": lambda w, who, s, _: w.certificate(who, s, "rating", "items"),
    "certificate_page": lambda w, who, s, _: w.certificate_page(who, s, "rating", "items"),
    "learnt": lambda w, who, s, _: w.learnt(who, s),
    "known_values": lambda w, who, s, _: w.known_values(who, s),
    "go_on": lambda w, who, s, _: w.go_on(who, s, 0.2),
    "stop_at": lambda w, who, s, _: w.stop_at(who, s, budget=50),
    "archive": lambda w, who, s, _: w.archive(who, s),
    "given": lambda w, who, s, _: w.given(who, s),
    "item_of": lambda w, who, s, _: w.item_of(who, s, 1),
    "corrections": lambda w, who, s, _: w.corrections(who, s),
    "remarks": lambda w, who, s, _: w.remarks(who, s),
    "take_back": lambda w, who, s, _: w.take_back(who, s, 1),
    "export": lambda w, who, s, out: w.export(who, s, out / "bundle.zip"),
    "compare": lambda w, who, s, _: w.compare(who, s, pool_of(5)),
    "agreement": lambda w, who, s, _: w.agreement(who, s),
    "rater_reports": lambda w, who, s, _: w.rater_reports(who, s),
    "controls": lambda w, who, s, _: w.controls(who, s),
    "control_rules": lambda w, who, s, _: w.control_rules(who, s),
    "disputes": lambda w, who, s, _: w.disputes(who, s),
    "adjudicate": lambda w, who, s, _: w.adjudicate(who, s, 1, 3),
    "invites": lambda w, who, s, _: w.invites(who, s),
    "invite": lambda w, who, s, _: w.invite(who, "rater", s, "x"),
    "revoke": lambda w, who, s, _: w.revoke(who, s, "0" * 64),
    "correct another's": lambda w, who, s, _: w.correct(who, s, 1, 3, "somebody"),
}
# A lead of one session is none of the database's.
LEAD_OF_ALL: dict[str, Call] = {
    "create": lambda w, who, _, __: w.create(who, f"made by {who.person}", pool_of(60), Design()),
    "likely_source": lambda w, who, _, __: w.likely_source(who, pool_of(5)),
    "invite a lead of all": lambda w, who, _, __: w.invite(who, "lead", None, "x"),
}
ADMIN: dict[str, Call] = {
    "backup": lambda w, who, _, out: w.backup(who, out / f"{who.person}.db"),
    "doctor": lambda w, who, _, __: w.doctor(who),
    "people": lambda w, who, _, __: w.people(who),
    "forget": lambda w, who, _, __: w.forget(who, "nobody"),
    "set_password": lambda w, who, _, __: w.set_password(who, "lea", "a long password"),
    "invite an admin": lambda w, who, _, __: w.invite(who, "admin", None, "x"),
    "revoke any": lambda w, who, _, __: w.revoke(who, None, "0" * 64),
}
# What is no action of somebody's: how one comes in, what is visible to whoever asks, and the server's own.
OTHER = {
    "local",
    "sign_in",
    "sign_in_by_password",
    "has_passwords",
    "admit",
    "sign_out",
    "sessions",
    "item_id",
}

ACTIONS = {**RATER, **LEAD, **LEAD_OF_ALL, **ADMIN}
ROLES = ("rater", "lead", "lead of all", "admin")
MAY = {
    **dict.fromkeys(RATER, ROLES),
    **dict.fromkeys(LEAD, ROLES[1:]),
    **dict.fromkeys(LEAD_OF_ALL, ROLES[2:]),
    **dict.fromkeys(ADMIN, ROLES[3:]),
}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    return Office(tmp_path_factory.mktemp("roles") / "work.db")


@pytest.fixture(scope="module")
def people(office: Office) -> dict[str, Identity]:
    workspace, local = office.workspace, office.workspace.local()

    def enter(role: str, session: int | None) -> Identity:
        who = workspace.sign_in(workspace.invite(local, role, session, f"a {role}"))
        assert who is not None
        return who

    other = workspace.create(local, "other session", pool_of(9), Design())
    ended = enter("admin", None)
    workspace.store.revoke_invite(str(ended.invite), office.clock())
    return {
        "rater": enter("rater", office.id),
        "lead": enter("lead", office.id),
        "lead of all": enter("lead", None),
        "admin": enter("admin", None),
        "rater of another session": enter("rater", other.id),
        "lead of another session": enter("lead", other.id),
        "admin whose link was revoked": ended,
        "rater who says to be an admin": replace(enter("rater", office.id), role="admin"),
        "lead who says to lead all": replace(enter("lead", office.id), session=None),
        "lead who says to be another": replace(enter("lead", None), person="somebody"),
    }


def content(office: Office) -> str:
    with office.workspace.store._reading() as db:
        return "\n".join(db.iterdump())


def test_every_action_is_in_the_table() -> None:
    public = {name for name in dir(Workspace) if not name.startswith("_")}
    assert public == {*(name for name in ACTIONS if " " not in name), *OTHER}


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_is_done_for_its_roles_and_refused_to_all_others(
    action: str, office: Office, people: dict[str, Identity], tmp_path: Path
) -> None:
    before = content(office)
    for name, who in people.items():
        if name not in MAY[action]:
            with pytest.raises(NotAllowed):
                ACTIONS[action](office.workspace, who, office.id, tmp_path)
                pytest.fail(f"{name} may {action}")
    assert content(office) == before
    assert list(tmp_path.iterdir()) == []
    for name in MAY[action]:
        try:
            ACTIONS[action](office.workspace, people[name], office.id, tmp_path)
        except (StoreError, ValueError):
            pass  # there is no such lease, person or invitation: past the check of the role


def test_everybody_sees_their_own_sessions_alone(office: Office, people: dict[str, Identity]) -> None:
    workspace = office.workspace
    for name, who in people.items():
        if name in ("rater", "lead"):
            assert [one.id for one in workspace.sessions(who)] == [office.id]
        elif name.endswith("of another session"):
            assert [one.name for one in workspace.sessions(who)] == ["other session"]
        elif name in ROLES:
            assert len(workspace.sessions(who)) > 1
        else:
            with pytest.raises(NotAllowed):
                workspace.sessions(who)


def test_signing_out_for_another_gives_nothing_back(office: Office, people: dict[str, Identity]) -> None:
    holder = people["rater"]
    office.workspace.archive(people["lead"], office.id, False)
    office.take(holder)
    office.workspace.sign_out(replace(people["lead of another session"], person=holder.person))
    assert holder.person in held(office)
    office.workspace.sign_out(holder)
    assert holder.person not in held(office)


def held(office: Office) -> set[str]:
    return {one.rater for one in office.workspace.store.counts(office.id, office.clock()).held}
