"""Keep a database: copies of it, and whether it is sound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from celeus_label.cli.options import Db
from celeus_label.cli.sessions import existing
from celeus_label.session import Workspace
from celeus_label.session import copy as copy_database
from celeus_label.session import restore as restore_database


def backup(
    db: Db,
    out: Annotated[Path, typer.Option("--out", help="The file to write; it must not exist.")],
) -> None:
    """Copy a database into one file while people go on rating."""
    workspace = existing(db)
    workspace.backup(workspace.local(), out)
    print(f"Wrote {out}; to go back to it: celeus-label restore {out} --db NEW.db")


def restore(
    backup: Annotated[Path, typer.Argument(metavar="BACKUP", help="A file written by backup.")],
    db: Annotated[
        str, typer.Option("--db", metavar="ADDRESS", help="The new database; nothing may be in it yet.")
    ],
) -> None:
    """Make a new database from a backup, which is checked first."""
    restore_database(backup, db)
    workspace = Workspace(db)
    for info in workspace.sessions(workspace.local()):
        last = workspace.store.events(info.id)[-1]
        print(f"{info.name}: {info.ratings:,} items in the interval; the last event is of {last.at}")
    print(
        f"Restored into {workspace.store.name}; nothing that came after the backup is in it. "
        f"Next: celeus-label serve --db {workspace.store.name}"
    )


def copy(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help="The database to copy; people may go on in it.")
    ],
    target: Annotated[str, typer.Argument(metavar="TO", help="Where to; nothing may be in it yet.")],
) -> None:
    """Copy everything from one database to another, of whichever kind, and prove it by replaying both."""
    for session in copy_database(source, target):
        print(
            f"{session.name}: {session.events:,} events, the last of hash {session.hash[:12]}; {session.found}"
        )
    print("Both databases replay to the same draws and intervals, to the last bit.")


def doctor(db: Db) -> None:
    """Check a database: the file, its references, every hash chain, and each session replayed. Exit code 0 or 1."""
    workspace = existing(db)
    faults = workspace.doctor(workspace.local())
    for fault in faults:
        print(fault)
    if faults:
        print(
            f"Faults of {workspace.store.name}: {len(faults):,}."
            " Stop the server, keep the file, and restore the last backup."
        )
        raise typer.Exit(1)
    sessions = workspace.sessions(workspace.local())
    events = sum(len(workspace.store.events(info.id)) for info in sessions)
    many = f"{len(sessions):,} session{'' if len(sessions) == 1 else 's'}"
    print(f"{workspace.store.name} is sound: {many} with {events:,} events; each replays from its ledger")
