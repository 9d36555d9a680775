"""Serve the app on a database, or on the bundled pool."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
import urllib.request
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from celeus_label.certify import Design
from celeus_label.cli.options import Db, Port
from celeus_label.ingest import Loaded, bundled
from celeus_label.session import SessionInfo, Workspace

DEMO = "Bundled pool"


def demo(
    simulate: Annotated[
        bool, typer.Option("--simulate", help="A scripted rater answers with the hidden scores.")
    ] = False,
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="ADDRESS", help="The database; a temporary file if not given."),
    ] = None,
    port: Port = 8501,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the links and open nothing.")
    ] = False,
) -> None:
    """Open the app on the bundled pool: one link for a lead, one for a rater."""
    db = db or str(Path(tempfile.mkdtemp(prefix="celeus-label-")) / "demo.db")
    workspace = Workspace(db)
    local = workspace.local()
    known = [info for info in workspace.sessions(local) if info.name == DEMO]
    loaded = bundled()
    info = known[0] if known else workspace.create(local, DEMO, loaded, Design(seed=1), _guidelines())
    lead = link(port, workspace.invite(local, "lead", None, "Lead"))
    print(f"Database     {workspace.store.name}")
    print(f"Lead's link  {lead}")
    print(f"Rater's link {link(port, workspace.invite(local, 'rater', info.id, 'Rater'))}")
    if simulate:
        threading.Thread(target=_answer, args=(db, info, loaded), daemon=True).start()
        print("A scripted rater answers from now on; watch the Monitor.")
    if not no_browser:
        threading.Thread(target=_open_when_up, args=(port, lead), daemon=True).start()
    print("Press Ctrl+C to stop.", flush=True)
    serve_app(db, port)


def serve(
    db: Db,
    port: Port = 8501,
    address: Annotated[
        str,
        typer.Option("--address", help="Where to listen; beyond this machine only behind a proxy with TLS."),
    ] = "127.0.0.1",
    secrets_file: Annotated[
        Path | None,
        typer.Option("--secrets", help="A TOML file with [auth] and [[roles]]: sign-in by OpenID Connect."),
    ] = None,
) -> None:
    """Serve the app on a database."""
    workspace = Workspace(db)
    name = workspace.store.name
    if not workspace.store.invites() and not workspace.has_passwords():
        if sys.stdout.isatty():
            print(f"Lead's link  {link(port, workspace.invite(workspace.local(), 'lead', None, 'Lead'))}")
        else:  # a log, where no link belongs
            print(
                f"Nobody can come in yet: celeus-label password --db {name}, or invite --role lead, lets you in."
            )
    print(f"Serving {name} on http://localhost:{port}; press Ctrl+C to stop.", flush=True)
    workspace.store.close()  # the server has connections of its own, and opens them anew after trouble with the file
    serve_app(db, port, address, secrets_file)


def link(port: int, token: str) -> str:
    """An invite link for a browser on this machine."""
    return f"http://localhost:{port}/?invite={token}"


def serve_app(db: str, port: int, address: str = "127.0.0.1", secrets_file: Path | None = None) -> None:
    """Serve until somebody stops it."""
    from celeus_label.ui.server import serve as run

    run(db, port, address, secrets_file)


def _guidelines() -> str:
    return (
        "How helpful is the response to the person who wrote the prompt?\n\n"
        "5  Right, complete and to the point\n4  Right, with small gaps or padding\n3  Of some use\n"
        "2  Mostly wrong, vague or beside the point\n1  Useless, harmful, or no answer"
    )


def _answer(db: str, info: SessionInfo, loaded: Loaded) -> None:
    from celeus_label.simulation import hidden_scores, rate_all

    time.sleep(6)  # time to open the page
    rate_all(Workspace(db), info, hidden_scores(loaded), pause=0.1)


def _open_when_up(port: int, address: str) -> None:
    for _ in range(100):
        time.sleep(0.2)
        try:
            urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=1).close()
        except OSError:
            continue
        webbrowser.open(address)
        return
