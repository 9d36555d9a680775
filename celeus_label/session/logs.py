"""One JSON line for each action: who did what in which session, how long it took, and whether it was refused.

People stand in it by their opaque ids. What they wrote, and what they came in by, never does.
"""

from __future__ import annotations

import functools
import inspect
import json
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TypeVar

from celeus_label.session.types import Identity

log = logging.getLogger("celeus_label")

T = TypeVar("T")
_request: ContextVar[str | None] = ContextVar("request", default=None)


def begin_request() -> str:
    """A new id, for whatever is logged from here on in this thread or task."""
    made = secrets.token_hex(6)
    _request.set(made)
    return made


def request_id() -> str:
    """The id of the present request; what a person who met an error can tell whoever reads the log."""
    return _request.get() or begin_request()


@contextmanager
def action(name: str, session: int | None = None, rater: str | None = None) -> Iterator[dict[str, Any]]:
    """Log a block as one action; what is put into the dictionary stands in the line as well."""
    if not log.isEnabledFor(logging.INFO):
        yield {}
        return
    started = time.perf_counter()
    line: dict[str, Any] = {"session": session, "rater": rater, "action": name}
    try:
        yield line
    except Exception as refusal:
        # its kind alone: a sentence may quote what somebody wrote
        line["refused"] = type(refusal).__name__
        raise
    finally:
        line["duration_ms"] = round((time.perf_counter() - started) * 1000, 1)
        log.info(name, extra={"line": line})


def logged(workspace: type[T]) -> type[T]:
    """Have every public method log what an identity does by it."""
    for name, method in inspect.getmembers(workspace, inspect.isfunction):
        places = list(inspect.signature(method).parameters)
        if not name.startswith("_") and places[1:2] == ["who"]:
            setattr(workspace, name, _logged(name, method, places[2:3] == ["session"]))
    return workspace


def _logged(name: str, method: Callable[..., Any], of_session: bool) -> Callable[..., Any]:
    @functools.wraps(method)
    def run(self: Any, who: Identity, *args: Any, **named: Any) -> Any:
        session = (args[0] if args else named.get("session")) if of_session else None
        with action(name, session, who.person):
            return method(self, who, *args, **named)

    return run


class JsonLines(logging.Formatter):
    """A record as one JSON object: time, level, request, and the line of an action or a message."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "request": request_id(),
        }
        said = getattr(record, "line", None)
        line |= said if isinstance(said, dict) else {"message": record.getMessage()}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def to_standard_error() -> None:
    """Write the log to the standard error, where a service's log is gathered."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False
