"""Check a certificate bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A bundle written by export.")],
    ledger_hash: Annotated[
        str | None, typer.Option("--ledger-hash", help="The hash that you were given when the session ended.")
    ] = None,
) -> None:
    """Re-compute a bundle. Exit code 0: VALID, 1: INVALID, 2: UNREADABLE."""
    from celeus_label.certificate import verify as check

    verdict = check(bundle, ledger_hash=ledger_hash)
    print(verdict.status)
    for difference in verdict.differences:
        print(difference)
    raise typer.Exit({"VALID": 0, "INVALID": 1}.get(verdict.status, 2))
