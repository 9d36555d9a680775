"""The `celeus-label` command."""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer

from celeus_label.cli.care import backup, copy, doctor, restore
from celeus_label.cli.people import forget, password, people
from celeus_label.cli.serving import demo, serve
from celeus_label.cli.sessions import export, invite, new, status
from celeus_label.cli.simulating import simulate
from celeus_label.cli.verifying import verify
from celeus_label.compare.command import study
from celeus_label.session import NotAllowed, StoreError

app = typer.Typer(
    help="Certify how good a pool of LLM outputs is, by human ratings and with as few of them as possible.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

# In the order of the list that --help shows, each with its example.
EXAMPLES: dict[Callable[..., None], str] = {
    demo: "demo --simulate",
    new: "new answers.csv --db work.db --name helpfulness --judge gpt4 --scale 1 5 --step 1",
    invite: "invite --db work.db --name helpfulness --role rater --person 'Ada L.'",
    serve: "serve --db work.db --port 8501",
    status: "status --db work.db --name helpfulness --json",
    export: "export --db work.db --name helpfulness --out bundle.zip",
    backup: "backup --db work.db --out monday.db",
    restore: "restore monday.db --db work2.db",
    copy: "copy work.db postgresql://celeus@db.example.org/ratings",
    doctor: "doctor --db work.db",
    verify: "verify bundle.zip",
    simulate: "simulate pool.csv --judge judge_score --human human_score --scale 1 5 --seeds 20",
    password: "password --db work.db --login lea@example.org --role admin",
    people: "people --db work.db",
    forget: "forget 3fa29c01d2e4b586 --db work.db",
    study: "study efficiency --quick --out results/efficiency",
}
for command, example in EXAMPLES.items():
    app.command(epilog=f"Example: celeus-label {example}")(command)


def main() -> None:
    """Run the command; what goes wrong is said in one sentence."""
    try:
        app()
    except (ValueError, StoreError, NotAllowed, OSError) as fault:
        print(f"error: {fault}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
