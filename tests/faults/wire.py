"""A rater's page without a browser: the app's own websocket, in the messages that Streamlit's page sends."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPResponse
from typing import IO, Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

Card = dict[str, Any]
Cookies = dict[str, str]


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


def cookies_of(link: str) -> Cookies:
    """Open an invite link as a browser does, and keep the cookies of its answer."""
    try:
        answer: HTTPResponse = urllib.request.build_opener(_Stay).open(link, timeout=30)
    except urllib.error.HTTPError as redirect:
        if redirect.status == 303:
            cookies: Cookies = {}
            _keep(cookies, redirect.headers.get_all("Set-Cookie", []))
            return cookies
        raise
    raise AssertionError(f"the link was not taken: {answer.status}")


def _keep(cookies: Cookies, answers: Iterable[str]) -> None:
    for answer in answers:
        name, _, value = answer.partition(";")[0].partition("=")
        cookies[name] = value


@contextmanager
def _line(port: int, cookies: Cookies) -> Iterator[ClientConnection]:
    with connect(
        f"ws://127.0.0.1:{port}/_stcore/stream",
        additional_headers={"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())},
        subprotocols=["streamlit"],  # type: ignore[list-item]
        max_size=None,
        open_timeout=30,
    ) as socket:
        if socket.response is not None:
            _keep(cookies, socket.response.headers.get_all("Set-Cookie"))
        yield socket


@contextmanager
def opened(port: int, cookies: Cookies) -> Iterator[Page]:
    """The page Label in one tab.

    Raises
    ------
    OSError, websockets.WebSocketException
        The server is away, went away, or can't say who is asking since its database is away.
    """
    with _line(port, cookies) as socket:
        yield Page(socket)


def figures(port: int, cookies: Cookies) -> dict[str, str]:
    """The figures on a lead's monitor, by their names."""
    message = BackMsg()
    message.rerun_script.query_string = ""
    shown: dict[str, str] = {}
    with _line(port, cookies) as socket:
        socket.send(message.SerializeToString())
        while True:
            heard = ForwardMsg.FromString(socket.recv(60))  # type: ignore[arg-type]
            if heard.WhichOneof("type") == "script_finished":
                return shown
            if heard.WhichOneof("type") == "delta" and heard.delta.new_element.WhichOneof("type") == "metric":
                metric = heard.delta.new_element.metric
                shown[metric.label] = metric.body


class Page:
    """What the tab has been told last is `card`."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._n = socket, 0
        self._component = self._fragment = self._script = ""
        message = BackMsg()
        message.rerun_script.query_string = ""
        self.card = self._said(message)

    def act(self, **message: Any) -> Card:
        """Send what the rating card sends, and return the card that the server answers with."""
        self._n += 1
        sent = BackMsg()
        sent.rerun_script.fragment_id = self._fragment
        sent.rerun_script.page_script_hash = self._script
        state = sent.rerun_script.widget_states.widgets.add()
        state.id, state.json_value = self._component, "{}"
        state = sent.rerun_script.widget_states.widgets.add()
        state.id = f"$$STREAMLIT_INTERNAL_KEY_{self._component}__events"
        state.json_trigger_value = json.dumps([{"event": "act", "value": {**message, "n": self._n}}])
        self.card = self._said(sent)
        assert self.card["answered"] == self._n
        return self.card

    def _said(self, message: BackMsg) -> Card:
        self._socket.send(message.SerializeToString())
        card: Card | None = None
        while True:
            heard = ForwardMsg.FromString(self._socket.recv(60))  # type: ignore[arg-type]
            kind = heard.WhichOneof("type")
            if kind == "new_session":
                self._script = heard.new_session.page_script_hash
            elif kind == "delta" and heard.delta.WhichOneof("type") == "new_element":
                element = heard.delta.new_element
                assert element.WhichOneof("type") != "exception", element.exception.message
                if element.WhichOneof("type") == "bidi_component":
                    self._component, self._fragment = element.bidi_component.id, heard.delta.fragment_id
                    card = json.loads(element.bidi_component.json)
            elif kind == "script_finished":
                if card is not None:
                    return card
                if heard.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    raise ConnectionError("the page has no card")
