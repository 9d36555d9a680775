"""Raters at their pages who go on whatever happens to servers and database, and remember what they were told."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass
from itertools import cycle

from websockets import WebSocketException

from tests.faults.wire import Cookies, Page, opened

AGAIN_SECONDS = 0.5  # a page that has lost its server looks for it again


@dataclass(frozen=True)
class Receipt:
    """A rating that the card called saved: when it was first sent, and how long its rater waited."""

    lease: str
    value: float
    sent: float
    wait: float
    tries: int


class Rater(threading.Thread):
    """Rates about every so many seconds; a page whose server is gone is opened anew at the next port.

    A rating whose answer did not come is sent again, as the card does, and told from one that was refused.
    """

    def __init__(self, ports: list[int], cookies: Cookies, seed: int, every: float) -> None:
        super().__init__(daemon=True)
        self._ports, self._cookies, self._every = cycle(ports), cookies, every
        self._chance = random.Random(seed)
        self.receipts: list[Receipt] = []
        self.refused: list[str] = []
        self.servers: list[str] = []  # what the proxy's cookie said at each opening
        # pages opened anew with the same item in hand, and with the next one: then its rating was stored already
        self.kept = self.beyond = 0
        self.going = True
        self.fault: BaseException | None = None
        self._unsure: tuple[str, int, float, int] | None = None  # lease, value, when, tries

    def run(self) -> None:
        held = None
        while self.going:
            try:
                with opened(next(self._ports), self._cookies) as page:
                    self.servers.append(self._cookies.get("celeus_server", ""))
                    if held is not None and page.card["mode"] == "rate":
                        self.kept += page.card["lease"] == held
                        self.beyond += page.card["lease"] != held
                    while self.going:
                        held = page.card.get("lease")
                        self._work(page)
            except (OSError, WebSocketException):
                time.sleep(AGAIN_SECONDS)
            except BaseException as fault:
                self.fault = fault
                return

    def _work(self, page: Page) -> None:
        if self._unsure is None:
            time.sleep(self._every * self._chance.uniform(0.5, 1.5))
            if page.card["mode"] == "idle":
                page.act(do="look")
                return
            self._unsure = page.card["lease"], self._chance.randint(1, 5), time.monotonic(), 0
        lease, value, sent, tries = self._unsure
        self._unsure = lease, value, sent, tries + 1
        told = page.act(do="rate", lease=lease, score=value, dwell_ms=2000)
        if told["saved"] is not None:
            assert told["saved"]["value"] == str(value)
            self.receipts.append(Receipt(lease, value, sent, time.monotonic() - sent, tries + 1))
            self._unsure = None
        elif told["notice"] in ("trouble_away", "trouble_busy"):  # as the sentence says: in a moment, again
            time.sleep(AGAIN_SECONDS)
        else:
            self.refused.append(told["notice"])
            self._unsure = None
