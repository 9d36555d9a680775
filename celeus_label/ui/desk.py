"""The rater's desk: what the card shows, and what each message from it does. No Streamlit in here."""

from __future__ import annotations

import secrets
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any

from celeus_label.certify import Scale
from celeus_label.session import Identity, Idle, StoreError, Workspace
from celeus_label.ui.words import RATER

MOST_BUTTONS = 10
REASONS = ("empty", "language", "context", "unsafe", "other")

State = MutableMapping[Any, Any]  # what the desk remembers between runs, Streamlit's session_state


def number(value: float) -> str:
    """A score as people write it: 4 and not 4.0.

    >>> number(4.0), number(0.25), number(-0.0)
    ('4', '0.25', '0')
    """
    return f"{value + 0.0:.10g}"


def options(scale: Scale) -> list[dict[str, Any]] | None:
    """The score buttons of a scale, smallest first, each with its key; None where a number must be entered.

    Scores of one digit are their own keys; otherwise keys count 1, 2, … 9, 0 from the left.
    """
    if scale.step is None:
        return None
    steps = round(scale.range / scale.step)
    if not 1 <= steps < MOST_BUTTONS:
        return None
    lowest = min(scale.lower, scale.upper)
    values = [round(lowest + i * scale.step, 10) + 0.0 for i in range(steps + 1)]
    words = list(scale.labels) if len(scale.labels) == len(values) else [""] * len(values)
    if scale.lower > scale.upper:
        words.reverse()
    digits = all(value in range(10) for value in values)
    return [
        {
            "value": value,
            "text": number(value),
            "key": number(value) if digits else str((place + 1) % 10),
            "word": words[place],
        }
        for place, value in enumerate(values)
    ]


def ends(scale: Scale) -> list[str]:
    """Words for the smallest and the largest score, where the scale has words for its ends alone."""
    if len(scale.labels) != 2 or len(options(scale) or ()) == 2:
        return []
    return list(scale.labels if scale.lower < scale.upper else reversed(scale.labels))


def act(workspace: Workspace, who: Identity, session: int, message: dict[str, Any], state: State) -> None:
    """Do what the card asks for; what to say about it is left in `state["saved"]` or `state["notice"]`.

    The sentences of refused actions are shown as they are; nothing that the rater did is lost by one.
    """
    if message["do"] != "renew":  # which nobody asked for, and nobody is told of
        state["notice"], state["saved"] = None, None
    try:
        saved = _done(workspace, who, session, message, state)
        if saved is not None:
            state["saved"] = saved
    except (ValueError, StoreError) as refusal:
        state["notice"] = str(refusal)


def _done(
    workspace: Workspace, who: Identity, session: int, message: dict[str, Any], state: State
) -> dict[str, str] | None:
    lease = str(message.get("lease"))
    match message["do"]:
        case "rate":
            saved = workspace.rate(who, session, lease, message["score"], int(message["dwell_ms"]))
            return {"kind": "saved", "value": number(saved.value), "at": saved.at.isoformat()}
        case "later":
            workspace.later(who, session, lease)
            return {"kind": "passed"}
        case "unratable":
            workspace.unratable(who, session, lease, message["reason"], str(message.get("text", "")))
            return {"kind": "passed"}
        case "renew":
            workspace.renew(who, session, lease)
        case "undo":
            last = workspace.recent(who, session, limit=1)
            state["correcting"] = last[0].round if last else None
            state["notice"] = None if last else RATER["no_undo"]
        case "back":
            state["correcting"] = None
        case "correct" if state.get("correcting") is not None:
            workspace.correct(who, session, state["correcting"], message["score"])
            state["correcting"] = None
            at = datetime.now(UTC).isoformat()
            return {"kind": "corrected", "value": number(message["score"]), "at": at}
    return None


def view(workspace: Workspace, who: Identity, session: int, state: State) -> dict[str, Any]:
    """Everything that the rater's browser is told. No item's id, judge score, group, and no interval.

    While the database can't be used, the card stays as it is and says so.
    """
    try:
        card = _item(workspace, who, session, state)
        state["card"] = card
    except StoreError as trouble:
        state["notice"] = str(trouble)
        card = state.get("card", {"mode": "idle", "reason": "trouble"})
    return card | {
        "turn": secrets.token_hex(8),  # no two answers are the same, not even those of a server started again
        "name": who.name,
        "saved": state.get("saved"),
        "notice": state.get("notice"),
        "words": RATER,
    }


def _item(workspace: Workspace, who: Identity, session: int, state: State) -> dict[str, Any]:
    info = workspace.session(who, session)
    scale = info.scale
    card = {
        "guidelines": info.guidelines,
        "scale": {
            "lower": min(scale.lower, scale.upper),
            "upper": max(scale.lower, scale.upper),
            "step": scale.step,
        },
        "options": options(scale),
        "ends": ends(scale),
    }
    if state.get("correcting") is not None:
        for own in workspace.recent(who, session, limit=10):
            if own.round == state["correcting"]:
                return card | {
                    "mode": "correct",
                    "lease": "own",
                    "prompt": own.prompt,
                    "response": own.response,
                    "was": own.value,
                    "was_text": number(own.value),
                }
        state["correcting"] = None
    task = workspace.claim(who, session)
    now = datetime.now(UTC)
    if isinstance(task, Idle):
        return card | {
            "mode": "idle",
            "reason": task.reason,
            "held": task.held,
            "today": task.own_today,
            "next_free_in": None if task.next_free_at is None else (task.next_free_at - now).total_seconds(),
        }
    return card | {
        "mode": "rate",
        "lease": task.lease,
        "prompt": task.prompt,
        "response": task.response,
        "expires_in": (task.expires - now).total_seconds(),
        "today": task.own_today,
    }
