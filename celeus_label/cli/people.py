"""The commands of whoever keeps the server: who may come in, and what is known of them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from celeus_label.cli.options import Db
from celeus_label.cli.sessions import existing
from celeus_label.session import Workspace


def password(
    db: Db,
    login: Annotated[str, typer.Option("--login", help="Name or e-mail address to sign in by.")] = "lead",
    role: Annotated[str, typer.Option("--role", help="lead or admin, of every session.")] = "lead",
) -> None:
    """Let somebody sign in by a password, which is asked for, or read from the standard input where that is a pipe."""
    if sys.stdin.isatty():
        chosen = typer.prompt("Password, at least 12 characters", hide_input=True, confirmation_prompt=True)
    else:
        chosen = sys.stdin.readline().rstrip("\r\n")
    workspace = Workspace(db)
    workspace.set_password(workspace.local(), login, chosen, role)
    print(f"{login!r} signs in as {role} by this password; whoever was signed in by another is signed out.")


def people(db: Db) -> None:
    """List everybody whom a database knows: id, name, login, and how they come in."""
    workspace = existing(db)
    for one in workspace.people(workspace.local()):
        ways = [f"{way.role} by {way.via}" for way in one.invites if not way.revoked]
        if one.password is not None:
            ways.append(f"{one.password} by password")
        login = "" if one.login is None else f" <{one.login!r}>"
        print(f"{one.id}  {one.name!r}{login}  {', '.join(sorted(set(ways))) or 'no way in'}")


def forget(
    person: Annotated[str, typer.Argument(metavar="ID", help="As celeus-label people lists it.")], db: Db
) -> None:
    """Delete a person's name, login and password; the ratings stay, under the opaque id. It can't be undone."""
    workspace = existing(db)
    workspace.forget(workspace.local(), person)
    print(
        f"Nothing personal is left of {person} in {workspace.store.name}, nor a way in; older backups still have it."
    )
