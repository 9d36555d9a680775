"""A pool, names and comments made to attack: on import, on every screen, in the export and in verify."""

from __future__ import annotations

import csv
import http.client
import io
import json
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from celeus_label.certificate import verify
from celeus_label.certify import Design, Scale
from celeus_label.ingest import IngestError, Mapping, load, read_table
from celeus_label.session import SessionInfo, Task
from tests.browser.people import Card, Server

SCRIPT = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
MARKUP = "![](http://127.0.0.1:9/x.png) [a](javascript:window.hacked=1) $x$ :smile: **b** `c`"
FORMULAS = ('=HYPERLINK("http://127.0.0.1:9")', "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1")
TURNED = "\u202egnp.exe\u2066 \x1b[31m \x07 \x7f end"
EVIL = [f"{formula} {SCRIPT} {MARKUP} {TURNED}" for formula in FORMULAS]
New = Callable[..., BrowserContext]


def rows(**instead: str) -> bytes:
    lines = [
        {
            "item_id": f"{text.strip().split(TURNED)[0]} {place}",
            "prompt": text,
            "response": text,
            "judge": place % 5 / 4,
            f"=topic {SCRIPT}": f"{text[:60]} {place % 2}",
        }
        for place, text in enumerate(EVIL * 5)
    ]
    return "\n".join(json.dumps(line | instead) for line in lines[: 1 if instead else None]).encode()


@pytest.fixture(scope="module")
def session(server: Server) -> SessionInfo:
    topic = f"=topic {SCRIPT}"
    mapping = Mapping("judge", "item_id", "prompt", "response", groups=(topic,))
    loaded = load(read_table(rows(), "pool.jsonl"), mapping, Scale(1, 5, 1, (SCRIPT, "=2")), Scale(0, 1))
    assert loaded.texts[0] == (EVIL[0], EVIL[0])  # taken as they are, letter by letter
    with pytest.raises(IngestError, match=r"item_id is .* with a line break or control character"):
        load(read_table(rows(item_id=EVIL[0]), "pool.jsonl"), mapping, Scale(1, 5, 1), Scale(0, 1))
    name = f"=1+1 {SCRIPT} {MARKUP}"
    workspace, local = server.workspace, server.workspace.local()
    made = workspace.create(local, name, loaded, Design(seed=2, width=0.5), f"{SCRIPT} {MARKUP} {TURNED}")
    rater = workspace.sign_in(workspace.invite(local, "rater", made.id, f"=cmd {SCRIPT} {MARKUP}"))
    assert rater is not None
    for turn in range(6):
        task = workspace.claim(rater, made.id)
        assert isinstance(task, Task)
        workspace.rate(rater, made.id, task.lease, 1 + turn % 5, 900, comment=EVIL[turn], flag=True)
    task = workspace.claim(rater, made.id)
    assert isinstance(task, Task)
    workspace.unratable(rater, made.id, task.lease, "other", EVIL[0])
    return made


def watched(new_context: New, server: Server) -> tuple[Page, list[str]]:
    """A page, and what an attack would show by: dialogs, errors, refused scripts, requests that leave the server."""
    page, signs = new_context().new_page(), []
    page.on("dialog", lambda one: (signs.append(f"dialog {one.message}"), one.dismiss()))
    page.on("pageerror", lambda one: signs.append(f"error {one}"))
    page.on("console", lambda one: signs.append(one.text) if "Security Policy" in one.text else None)
    page.on(
        "request",
        lambda one: (
            signs.append(one.url)
            if urlsplit(one.url).scheme in ("http", "https") and not one.url.startswith(server.url)
            else None
        ),
    )
    return page, signs


def unhurt(page: Page, signs: list[str]) -> None:
    assert page.evaluate("window.hacked") is None
    assert signs == []


def test_on_every_screen_it_is_text(server: Server, session: SessionInfo, new_context: New) -> None:
    page, signs = watched(new_context, server)
    page.goto(server.link("admin", None, f"@admin {SCRIPT}"))
    for path, shown in (
        ("monitor", "=cmd <script>"),
        ("certificate", "What is certified"),
        ("raters", "=cmd <script>"),
        ("people", "@admin <script>"),
    ):
        page.goto(f"{server.url}/{path}?session={session.id}")
        expect(page.get_by_text(shown).first).to_be_attached()
        page.wait_for_timeout(300)
        unhurt(page, signs)
    page.goto(f"{server.url}/setup")
    page.locator("input[type=file]").set_input_files(
        {"name": "=x<img src=x onerror=window.hacked=1>.jsonl", "mimeType": "text/plain", "buffer": rows()}
    )
    expect(page.get_by_text("gnp.exe").first).to_be_attached()
    unhurt(page, signs)


def test_on_the_raters_card_it_is_text(server: Server, session: SessionInfo, new_context: New) -> None:
    page, signs = watched(new_context, server)
    page.goto(server.link("rater", session.id, f"-rater {SCRIPT}"))
    card = Card(page)
    card.response.wait_for()
    page.keyboard.press("Escape")  # the guidelines, which are shown first
    page.wait_for_timeout(400)
    assert SCRIPT in str(card.response.text_content())
    assert TURNED.split()[0] in str(card.response.text_content())
    card.rate("3")
    card.press("v")
    page.wait_for_timeout(300)
    unhurt(page, signs)


def test_in_the_export_no_cell_is_a_formula_and_it_verifies(
    server: Server, session: SessionInfo, tmp_path: Path
) -> None:
    workspace, local = server.workspace, server.workspace.local()
    path = workspace.export(local, session.id, tmp_path / "bundle.zip", names=True)
    verdict = verify(path)
    assert verdict.valid, verdict.differences
    cells = 0
    with zipfile.ZipFile(path) as bundle:
        for name in bundle.namelist():
            if name.endswith(".csv"):
                for row in csv.reader(io.StringIO(bundle.read(name).decode("utf-8"), newline="")):
                    for cell in row:
                        cells += 1
                        assert not cell.startswith(("=", "@", "\t", "\r")), (name, cell)
                        if cell.startswith(("+", "-")):
                            float(cell)
    assert cells > 100
    page = workspace.certificate_page(local, session.id, SCRIPT, MARKUP)
    assert "<script>window" not in page
    assert "<img src=x" not in page


def test_a_bundle_that_lies_is_refused_in_plain_words(
    server: Server, session: SessionInfo, tmp_path: Path
) -> None:
    workspace, local = server.workspace, server.workspace.local()
    path = workspace.export(local, session.id, tmp_path / "bundle.zip")
    with zipfile.ZipFile(path) as bundle:
        members = {name: bundle.read(name) for name in bundle.namelist()}
    members["ratings.csv"] = members["ratings.csv"].replace(b",", f",{SCRIPT}{TURNED}".encode(), 1)
    with zipfile.ZipFile(path, "w") as bundle:
        for name, content in members.items():
            bundle.writestr(name, content)
    verdict = verify(path)
    assert not verdict.valid
    assert all(sentence.isprintable() for sentence in verdict.differences)


def test_ten_million_characters_in_a_cell_can_be_rated(
    server: Server, rater: Callable[..., Card], new_context: New
) -> None:
    long = "word " * 1_999_999 + "<b>x"
    made = server.session([("P", long)], name="ten megabytes", design=replace(Design(seed=7), width=0.5))
    card = rater(made)
    assert str(card.response.text_content()) == long
    card.press("4")
    card.page.locator(".score[aria-pressed=true]").wait_for()
    card.press("4")
    until = time.monotonic() + 30
    while server.ratings(made.id) != [(1, 4)]:
        assert time.monotonic() < until
        card.page.wait_for_timeout(100)


def test_a_file_over_the_limit_is_refused_by_the_page_and_by_the_server(
    server: Server, session: SessionInfo, new_context: New, tmp_path: Path
) -> None:
    page = new_context().new_page()
    page.goto(server.link("lead", None))
    page.goto(f"{server.url}/setup")
    chooser = page.locator("input[type=file]")
    with page.expect_request(lambda one: "/_stcore/upload_file/" in one.url and one.method == "PUT") as sent:
        chooser.set_input_files({"name": "pool.jsonl", "mimeType": "text/plain", "buffer": rows()})
    headers = dict(sent.value.all_headers())
    xsrf = {name: value for name, value in headers.items() if name in ("cookie", "x-xsrftoken")}
    assert set(xsrf) == {"cookie", "x-xsrftoken"}
    assert put(sent.value.url, b"a,b", xsrf, length=51 * 1024**2) == 413
    assert put(sent.value.url, b"a,b", {"cookie": headers["cookie"]}) == 403
    assert put(sent.value.url, b"a,b", xsrf) == 204
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(51 * 1024**2)
    page.reload()
    page.locator("input[type=file]").set_input_files(str(large))
    expect(page.get_by_text("File must be 50.0MB or smaller.")).to_be_visible()


def put(url: str, content: bytes, headers: dict[str, str], length: int | None = None) -> int:
    """The status for a file of that content, sent as Streamlit's page sends one; `length` is what it says to have."""
    edge = "edge-of-a-part"
    body = (
        f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="x.csv"\r\n\r\n'.encode()
        + content
        + f"\r\n--{edge}--\r\n".encode()
    )
    kind = {
        "Content-Type": f"multipart/form-data; boundary={edge}",
        "Content-Length": str(length or len(body)),
    }
    to = urlsplit(url)
    line = http.client.HTTPConnection(to.netloc, timeout=20)
    try:
        line.request("PUT", to.path, body, headers | kind)
        return line.getresponse().status
    finally:
        line.close()
