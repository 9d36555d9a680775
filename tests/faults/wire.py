"""A rater's page without a browser: the app's own websocket, in the messages that Streamlit's page sends."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPResponse
from typing import IO, Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

Card = dict[str, Any]


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


def cookie_of(link: str) -> str:
    """Open an invite link as a browser does, and keep the cookie of its answer."""
    try:
        answer: HTTPResponse = urllib.request.build_opener(_Stay).open(link, timeout=30)
    except urllib.error.HTTPError as redirect:
        return str(redirect.headers["Set-Cookie"]).partition(";")[0]
    raise AssertionError(f"the link was not taken: {answer.status}")


@contextmanager
def opened(port: int, cookie: str) -> Iterator[Page]:
    """The page Label in one tab.

    Raises
    ------
    OSError, websockets.WebSocketException
        The server is away, or went away.
    """
    with connect(
        f"ws://127.0.0.1:{port}/_stcore/stream",
        additional_headers={"Cookie": cookie},
        subprotocols=["streamlit"],  # type: ignore[list-item]
        max_size=None,
        open_timeout=30,
    ) as socket:
        yield Page(socket)


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
            elif kind == "script_finished" and card is not None:
                return card
