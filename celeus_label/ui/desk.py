"""The rater's desk: what the card shows, and what each message from it does. No Streamlit in here."""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from collections.abc import MutableMapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from celeus_label.certify import Scale, pairs
from celeus_label.certify.rubric import MOST as MOST_FURTHER
from celeus_label.session import Example, Identity, Idle, OwnRating, SessionInfo, StoreError, Workspace
from celeus_label.ui import trouble
from celeus_label.ui.chat import shown

MOST_BUTTONS = 10
RECENT = 10
MOST_ASPECTS = MOST_FURTHER + 1
START_LETTERS = 90
MOST_LETTERS = 5_000
UNASKED = (
    "renew",
    "draft",
    "recent",
    "look",
)  # what is no action of the rater's, so that the last one's answer stays

# The card of a rater who comes in while the database can't be used.
TROUBLE: dict[str, Any] = {
    "mode": "idle", "reason": "trouble", "held": 0, "own": None, "guidelines": "", "guidelines_mark": "",
    "examples": [], "pair": False, "rubric": None, "scale": None, "options": None, "ends": [],
}  # fmt: skip

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


def verdicts() -> list[dict[str, Any]]:
    """The buttons under a pair; the card has a word for each in the rater's language."""
    return [
        {"value": verdict, "text": verdict, "key": str(place), "word": ""}
        for place, verdict in enumerate(pairs.VERDICTS, start=1)
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
    state["answered"] = message.get("n")
    if message["do"] not in UNASKED:
        state["notice"], state["saved"] = None, None
    try:
        saved = _done(workspace, who, session, message, state)
        if saved is not None:
            state["saved"] = saved
            state.pop("card", None)  # it is done with, and must not stay if there is no next one
    except (ValueError, StoreError) as refusal:
        state["notice"] = trouble.notice(refusal)


def refuse(message: dict[str, Any], error: StoreError, state: State) -> None:
    """Of a message that nothing was done for, since nobody can say whose it is."""
    state["answered"] = message.get("n")
    state["notice"], state["saved"] = trouble.notice(error), None


def _done(
    workspace: Workspace, who: Identity, session: int, message: dict[str, Any], state: State
) -> dict[str, str] | None:
    lease = str(message.get("lease"))
    if "half" in message:
        _keep_draft(workspace, who, session, message["half"])
    match message["do"]:
        case "rate":
            comment = _comment(message).strip() or None
            flag = message.get("flag") is True
            saved = workspace.rate(
                who,
                session,
                lease,
                message["score"],
                int(message["dwell_ms"]),
                comment,
                flag,
                message.get("aspects"),
            )
            told = _told(saved.value, saved.answer)
            if told != _said(message):  # the receipt of another rating, which was given in a second tab
                state["notice"] = "lost_rated"
                return None
            return {"kind": "saved", "value": told, "at": saved.at.isoformat()}
        case "later":
            workspace.later(who, session, lease)
            return {"kind": "passed"}
        case "unratable":
            workspace.unratable(who, session, lease, message["reason"], _text(message.get("text")))
            return {"kind": "passed"}
        case "renew":
            workspace.renew(who, session, lease)
        case "draft":
            _keep_draft(workspace, who, session, message)
        case "undo":
            last = workspace.recent(who, session, limit=1)
            state["correcting"] = last[0].round if last else None
            state["notice"] = None if last else "no_undo"
        case "recent":
            state["listing"] = True
        case "fix":
            # the browser is told no round: one below 0 is a gold item, and any other says how far the session is
            listed = state.get("listed", [])
            place = int(message["place"])
            state["correcting"] = listed[place] if 0 <= place < len(listed) else None
        case "back":
            state["correcting"] = None
        case "correct" if (round := _corrected(workspace, who, session, lease, state)) is not None:
            aspects = message.get("aspects")
            workspace.correct(who, session, round, message["score"], aspects=aspects)
            state["correcting"] = None
            return {"kind": "corrected", "value": _said(message), "at": datetime.now(UTC).isoformat()}
    return None


def _own_lease(own: OwnRating) -> str:
    """What stands for a lease while a rating is corrected; it tells no round."""
    return f"own {own.at.isoformat()}"


def _corrected(workspace: Workspace, who: Identity, session: int, lease: str, state: State) -> int | None:
    """The round of the rating that is corrected, also by a card that is older than this server."""
    round: int | None = state.get("correcting")
    if round is not None:
        return round
    last = workspace.recent(who, session, limit=RECENT)
    return next((own.round for own in last if _own_lease(own) == lease), None)


def _keep_draft(workspace: Workspace, who: Identity, session: int, half: dict[str, Any]) -> None:
    written = {"comment": _comment(half), "flag": half["flag"] is True, **_given(half)}
    workspace.save_draft(who, session, str(half["lease"]), json.dumps(written, ensure_ascii=False))


def view(workspace: Workspace, who: Identity, session: int, state: State) -> dict[str, Any]:
    """Everything that the rater's browser is told. No item's id, judge score, group, and no interval.

    While the database can't be used, the card stays as it is and says so.
    """
    state["name"] = who.name
    try:
        card = _item(workspace, who, session, state)
        state["card"] = card
        if state.pop("listing", False):
            card = card | {"recent": _recent(workspace, who, session, state)}
    except StoreError as error:
        return meanwhile(error, state)
    return _told_to_the_browser(card, state)


def meanwhile(error: StoreError, state: State) -> dict[str, Any]:
    """The card as it stands, and why it does not go on; without an item, one that looks again by itself."""
    done = "card" not in state and state.get("saved") is not None
    notice = trouble.notice(error, saved=done)
    return _told_to_the_browser(state.get("card", TROUBLE), state) | {"notice": notice}


def _told_to_the_browser(card: dict[str, Any], state: State) -> dict[str, Any]:
    return card | {
        "turn": secrets.token_hex(8),  # no two answers are the same, not even those of a server started again
        "answered": state.get("answered"),
        "name": state.get("name", ""),
        "saved": state.get("saved"),
        "notice": state.get("notice"),  # a sentence, or the name of one of the card's own
    }


def _recent(workspace: Workspace, who: Identity, session: int, state: State) -> list[dict[str, Any]]:
    last = workspace.recent(who, session, limit=RECENT)
    state["listed"] = [own.round for own in last]
    return [
        {
            "place": place,
            "value": own.verdict or scores(own.value, own.aspects),
            "at": own.at.isoformat(),
            "start": " ".join((own.response or own.prompt)[: 4 * START_LETTERS].split())[:START_LETTERS],
        }
        for place, own in enumerate(last)
    ]


def _told(value: float, answer: dict[str, Any] | None) -> str:
    """A rating as its rater gave it: of a pair its value would say which response is A."""
    said = answer or {}
    return str(said["verdict"]) if "verdict" in said else scores(value, said.get("aspects"))


def _said(message: dict[str, Any]) -> str:
    """A rating as the card sent it, in the words of `_told`."""
    score = message["score"]
    return score if isinstance(score, str) else scores(score, message.get("aspects"))


def scores(value: float, aspects: dict[str, float] | None) -> str:
    """The score, and after it those of the further aspects."""
    return " · ".join(map(number, [value, *(aspects or {}).values()]))


def _given(message: dict[str, Any]) -> dict[str, Any]:
    """The half-done scores of a rubric, as the card will put them back."""
    given = message.get("given")
    if not isinstance(given, list) or len(given) > MOST_ASPECTS:
        return {}
    return {"given": [_number_or_text(one) for one in given]}


def _number_or_text(said: object) -> float | str | None:
    if isinstance(said, int | float) and math.isfinite(said):
        return said
    return _text(said)[:40] or None


def _mark(guidelines: str, examples: tuple[Example, ...]) -> str:
    """Tells one version of the guidelines from another; each is shown once by itself."""
    return hashlib.sha256(repr((guidelines, examples)).encode()).hexdigest()[:16]


def _text(written: object) -> str:
    """What somebody wrote; half a character, which no database stores, as the sign of a lost one."""
    return str(written or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _comment(message: dict[str, Any]) -> str:
    text = _text(message.get("comment"))
    if len(text) > MOST_LETTERS:
        raise ValueError(f"the comment is {len(text):,} letters long; the most is {MOST_LETTERS:,}")
    return text


def _draft(kept: str | None) -> dict[str, Any] | None:
    return json.loads(kept) if kept else None


def _buttons(scale: Scale) -> dict[str, Any]:
    """How a score on a scale is given."""
    low, high = min(scale.lower, scale.upper), max(scale.lower, scale.upper)
    return {
        "scale": {"lower": low, "upper": high, "step": scale.step},
        "options": options(scale),
        "ends": ends(scale),
    }


def _rubric(info: SessionInfo) -> list[dict[str, Any]] | None:
    """The aspects with their scales, the main one first; None where there is one alone."""
    design = info.design
    if not design.aspects:
        return None
    parts = [(design.main_aspect, info.scale), *((aspect.name, aspect.scale) for aspect in design.aspects)]
    return [{"name": name, **_buttons(scale)} for name, scale in parts]


def _item(workspace: Workspace, who: Identity, session: int, state: State) -> dict[str, Any]:
    info = workspace.session(who, session)
    scale = info.scale
    pair = info.design.task == "pairwise"
    card = {
        "pair": pair,
        "rubric": _rubric(info),
        "guidelines": info.guidelines,
        "guidelines_mark": _mark(info.guidelines, info.examples),
        "examples": [asdict(one) for one in info.examples],
        "own": asdict(workspace.own_work(who, session)),
        **({"scale": None, "options": verdicts(), "ends": []} if pair else _buttons(scale)),
    }
    if state.get("correcting") is not None:
        for own in workspace.recent(who, session, limit=RECENT):
            if own.round == state["correcting"]:
                return card | {
                    "mode": "correct",
                    "lease": _own_lease(own),
                    "prompt": shown(own.prompt),
                    "response": shown(own.response),
                    "right": None if own.right is None else shown(own.right),
                    "was": [own.value, *own.aspects.values()] if own.aspects else own.verdict or own.value,
                    "was_text": own.verdict or scores(own.value, own.aspects),
                    "was_at": own.at.isoformat(),
                }
        state["correcting"] = None
    task = workspace.claim(who, session)
    now = datetime.now(UTC)
    if isinstance(task, Idle):
        return card | {
            "mode": "idle",
            "reason": task.reason,
            "held": task.held,
            "next_free_in": None if task.next_free_at is None else (task.next_free_at - now).total_seconds(),
        }
    return card | {
        "mode": "rate",
        "lease": task.lease,
        "prompt": shown(task.prompt),
        "response": shown(task.response),
        "right": None if task.right is None else shown(task.right),
        "draft": _draft(task.draft),
        "expires_in": (task.expires - now).total_seconds(),
    }
