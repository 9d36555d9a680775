"""Who comes in by which way, and what they find at every address; what the server tells browsers and its log."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from celeus_label.session import SessionInfo
from tests.browser.people import Card, Server
from tests.browser.provider import CLIENT, SECRET, Provider
from tests.browser.test_accessible import faults
from tests.browser.test_sign_in import answer, expect_door

TEXTS = [(f"Prompt {i}", f"Response {i}") for i in range(12)]
PASSWORD = "correct horse battery"
New = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    one = Provider()
    one.start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def office(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with every way in: links, a password, and a provider."""
    folder = tmp_path_factory.mktemp("access")
    one = Server(folder / "work.db")
    secrets = folder / "secrets.toml"
    secrets.write_text(
        f"""
        [auth]
        redirect_uri = "{one.url}/oauth2callback"
        cookie_secret = "a-long-random-text-of-this-test"
        client_id = "{CLIENT}"
        client_secret = "{SECRET}"
        server_metadata_url = "{provider.url}/.well-known/openid-configuration"

        [[roles]]
        role = "lead"
        groups = ["evaluation-leads"]

        [[roles]]
        role = "rater"
        emails = ["*@example.org"]
        session = "held together"
        """,
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "celeus_label.cli", "password", "--db", str(one.db), "--login", "lea"],
        input=f"{PASSWORD}\n",
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    one.start("--secrets", str(secrets))
    yield one
    one.stop()


@pytest.fixture(scope="module")
def session(office: Server) -> SessionInfo:
    return office.session(TEXTS, name="held together")


# --- every page by its address -----------------------------------------------------------------------------

PAGES = {
    "monitor": "Monitor",
    "setup": "Set up a session",
    "certificate": "Certificate",
    "raters": "Raters",
    "compare": "Compare",
    "people": "People",
    "label": "",
}
LEADS = {"monitor", "certificate", "raters", "compare"}
MAY_OPEN = {
    "nobody": set(),
    "rater": {"label"},
    "lead": LEADS,
    "lead of all": LEADS | {"setup"},
    "admin": LEADS | {"setup", "people"},
}


@pytest.mark.parametrize("role", MAY_OPEN)
def test_every_page_by_its_address(role: str, office: Server, session: SessionInfo, new_context: New) -> None:
    page = new_context().new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if "Security Policy" in said.text else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    if role != "nobody":
        one_session = role in ("rater", "lead")
        page.goto(office.link(role.split()[0], session.id if one_session else None))
    for path, heading in PAGES.items():
        page.goto(f"{office.url}/{path}")
        if path in MAY_OPEN[role] and heading:
            expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
            continue
        # whatever is not theirs leads to where they belong
        if role == "nobody":
            expect_door(page)
        elif role == "rater":
            page.locator("section.response .text").wait_for()
        else:
            expect(page.get_by_role("heading", name="Monitor", exact=True)).to_be_visible()
        for foreign in set(filter(None, PAGES.values())) - {
            "Monitor" if role not in ("nobody", "rater") else ""
        }:
            assert page.get_by_role("heading", name=foreign, exact=True, level=1).count() == 0, (
                path,
                foreign,
            )
    assert complaints == []


@pytest.mark.parametrize("look", [(360, 800, "dark"), (1280, 800, "light")], ids=str)
def test_the_door_set_up_and_people_are_legible(
    office: Server, session: SessionInfo, new_context: New, look: tuple[int, int, str]
) -> None:
    width, height, scheme = look
    page = new_context(viewport={"width": width, "height": height}, color_scheme=scheme).new_page()
    page.goto(f"{office.url}/?refused=password")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    assert faults(page) == []
    page.goto(office.link("admin", None, "Ida"))
    page.goto(f"{office.url}/people")
    expect(page.get_by_role("button", name="Download a backup")).to_be_visible()
    assert faults(page) == []
    page.goto(f"{office.url}/setup")
    rows = "".join(f"i{n},Question,Answer,{1 + n % 5}\n" for n in range(9))
    pool = f"item_id,prompt,response,judge_score\n{rows}".encode()
    page.locator("input[type=file]").set_input_files(
        {"name": "pool.csv", "mimeType": "text/csv", "buffer": pool}
    )
    page.get_by_role("button", name="Check every row").click()
    expect(page.get_by_role("button", name="Freeze the design")).to_be_visible()
    page.get_by_text("Further aspects", exact=True).click()
    expect(page.get_by_text("Raters score these as well")).to_be_visible()
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# --- a password --------------------------------------------------------------------------------------------


def sign_in(page: Page, office: Server, password: str) -> None:
    page.goto(office.url)
    page.get_by_label("Name or e-mail").fill("Lea")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_a_password_signs_in_survives_a_reload_and_is_signed_out(
    office: Server, session: SessionInfo, new_context: New
) -> None:
    context = new_context()
    page = context.new_page()
    sign_in(page, office, "wrong, but long enough")
    expect(page.get_by_text("The name or the password is wrong.")).to_be_visible()
    sign_in(page, office, PASSWORD)
    expect(page.get_by_role("heading", name="Monitor")).to_be_visible()
    assert page.url.rstrip("/").startswith(office.url)
    (cookie,) = [one for one in context.cookies() if one["name"].startswith("celeus_lead_")]
    assert cookie["httpOnly"]
    page.reload()
    expect(page.get_by_role("heading", name="Monitor")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect_door(page)
    context.add_cookies([cookie])  # whoever kept it has nothing of it
    page.goto(office.url)
    expect_door(page)
    log = office.log.read_text("utf-8")
    assert not [
        secret
        for secret in (PASSWORD, "wrong, but", str(cookie["value"]), str(cookie["value"])[:43])
        if secret in log
    ]
    assert '"action": "sign_in_by_password"' in log


def post(url: str, fields: dict[str, str], **headers: str) -> int:
    body = urllib.parse.urlencode(fields).encode()
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        with urllib.request.urlopen(request) as found:
            return int(found.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_a_form_of_another_site_or_a_large_one_signs_nobody_in(office: Server) -> None:
    right = {"login": "lea", "password": PASSWORD}
    assert post(f"{office.url}/sign-in", right, Origin="https://evil.example") == 403
    assert post(f"{office.url}/sign-in", right, Origin="null") == 403
    assert post(f"{office.url}/sign-in", right | {"more": "x" * 9000}, Origin=office.url) == 413
    assert post(f"{office.url}/sign-out", {}, Origin="https://evil.example") == 403  # nor out
    assert post(f"{office.url}/sign-out", {}, Origin=office.url) == 200
    assert answer(f"{office.url}/sign-in")[0] in (404, 405, 200)  # a GET is no sign-in
    assert "set-cookie" not in answer(f"{office.url}/sign-in")[1]


# --- a provider --------------------------------------------------------------------------------------------


def by_provider(page: Page, office: Server, provider: Provider, **user: object) -> None:
    provider.user = {"sub": str(user.get("email")), "email_verified": True, **user}
    page.goto(office.url)
    page.get_by_role("button", name="Sign in with your organisation").click()


def test_the_providers_word_gives_the_role_that_the_rules_say(
    office: Server, session: SessionInfo, provider: Provider, new_context: New
) -> None:
    page = new_context().new_page()
    by_provider(page, office, provider, email="Ada@example.org", name="Ada L.")
    card = Card(page).wait()
    card.rate("4")
    person = office.workspace.store.person_of("ada@example.org")
    assert person is not None
    assert person.name == "Ada L."
    assert [row.rater for row in office.workspace.store.ratings(session.id)] == [person.id]
    page.goto(f"{office.url}/monitor")
    card.wait()
    page.reload()
    card.wait()

    second = page.context.new_page()
    second.goto(office.url)
    Card(second).wait()
    assert person.id in [
        one.rater for one in office.workspace.store.counts(session.id, office.workspace._clock()).held
    ]
    second.get_by_role("button", name="Sign out").click()
    expect_door(second)
    assert person.id not in [
        one.rater for one in office.workspace.store.counts(session.id, office.workspace._clock()).held
    ]
    page.bring_to_front()
    page.wait_for_timeout(400)
    card.press("5", "5")  # this tab still shows an item
    expect_door(page)

    by_provider(second, office, provider, email="lea@elsewhere.example", groups=["staff", "evaluation-leads"])
    expect(second.get_by_role("heading", name="Monitor")).to_be_visible()


@pytest.mark.parametrize(
    "user",
    [
        {"email": "eve@elsewhere.example", "groups": ["Evaluation-Leads"]},
        {"email": "ada@example.org", "email_verified": False},
    ],
)
def test_whom_no_rule_fits_stays_at_the_door(
    user: dict[str, object], office: Server, provider: Provider, new_context: New
) -> None:
    page = new_context().new_page()
    by_provider(page, office, provider, **user)
    expect(page.get_by_text("nobody has given you a role here")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect_door(page)


def test_a_revoked_person_stays_out_whatever_the_provider_says(
    office: Server, session: SessionInfo, provider: Provider, new_context: New
) -> None:
    page = new_context().new_page()
    by_provider(page, office, provider, email="bob@example.org", name="Bob")
    card = Card(page).wait()
    workspace = office.workspace
    (invite,) = [one for one in workspace.invites(workspace.local(), session.id) if one.name == "Bob"]
    workspace.revoke(workspace.local(), session.id, invite.id)
    card.press("3", "3")
    expect(page.get_by_text("nobody has given you a role here")).to_be_visible()


# --- an admin ----------------------------------------------------------------------------------------------


def test_an_admin_deletes_what_is_personal_and_takes_a_backup(
    office: Server, session: SessionInfo, new_context: New
) -> None:
    rater = new_context().new_page()
    rater.goto(office.link("rater", session.id, "Mallory <b>& co</b>"))
    Card(rater).wait().rate("2")
    page = new_context().new_page()
    page.goto(office.link("admin", None, "Ida"))
    page.goto(f"{office.url}/people")
    expect(page.get_by_text("Mallory <b>& co</b>", exact=True)).to_be_visible()
    mallory = next(one for one in office.workspace.store.people() if one.name.startswith("Mallory"))
    page.locator(f".st-key-ask-{mallory.id}").get_by_role("button").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text(f"deleted {mallory.id[:4]}", exact=True)).to_be_visible()
    assert "Mallory" not in page.content()
    rater.reload()
    expect_door(rater)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download a backup").click()
    copy = sqlite3.connect(str(download.value.path()))
    assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert (
        copy.execute("SELECT name FROM person WHERE id = ?", (mallory.id,))
        .fetchone()[0]
        .startswith("deleted")
    )
    copy.close()


# --- what the server tells browsers, and its log ----------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/monitor", "/plotly.js", "/_stcore/health", "/sign-in", "/nothing/here"]
)
def test_every_answer_carries_the_headers(path: str, office: Server) -> None:
    _, headers = answer(office.url + path)
    policy = headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert re.fullmatch(r"[0-9a-f]{12}", headers["x-request-id"])
    assert "access-control-allow-origin" not in headers


def test_nothing_is_told_or_taken_without_a_sign_in(office: Server) -> None:
    assert answer(f"{office.url}/_stcore/metrics")[0] == 404
    request = urllib.request.Request(f"{office.url}/_stcore/upload_file/x/y", b"x" * 100, method="PUT")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(request)
    assert upgrade(office, "https://evil.example") == 403
    assert upgrade(office, office.url) == 101


def upgrade(office: Server, origin: str) -> int:
    """The status for a page of that origin that asks for a websocket."""
    lines = (
        "GET /_stcore/stream HTTP/1.1",
        f"Host: 127.0.0.1:{office.port}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
        f"Origin: {origin}",
        "",
        "",
    )
    with socket.create_connection(("127.0.0.1", office.port), timeout=20) as line:
        line.sendall("\r\n".join(lines).encode())
        return int(line.recv(64).split()[1])


def test_an_invite_token_is_never_logged(office: Server, session: SessionInfo, new_context: New) -> None:
    link = office.link("rater", session.id, "Carla Quiet")
    page = new_context().new_page()
    page.goto(link)
    Card(page).wait()
    log = office.log.read_text("utf-8")
    assert link.partition("=")[2] not in log
    assert "Carla" not in log
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    claims = [line for line in lines if line.get("action") == "claim"]
    assert {"request", "session", "rater", "action", "duration_ms"} <= set(claims[-1])


def test_an_error_shows_its_id_and_leaves_its_trace_to_the_log(
    office: Server, session: SessionInfo, new_context: New
) -> None:
    page = new_context().new_page()
    db = sqlite3.connect(office.db, isolation_level=None)
    (settings,) = db.execute("SELECT settings FROM session WHERE id = ?", (session.id,)).fetchone()
    db.execute("UPDATE session SET settings = '{' WHERE id = ?", (session.id,))
    try:
        page.goto(office.link("lead", None))
        expect(page.get_by_text("Something went wrong here.")).to_be_visible()
        told = page.get_by_text(re.compile(r"^Error [0-9a-f]{12}$")).text_content() or ""
        assert page.get_by_text("JSONDecodeError").count() == 0
    finally:
        db.execute("UPDATE session SET settings = ? WHERE id = ?", (settings, session.id))
        db.close()
    lines = [json.loads(line) for line in office.log.read_text("utf-8").splitlines() if line.startswith("{")]
    (line,) = [one for one in lines if one["request"] == told.split()[1] and "trace" in one]
    assert "JSONDecodeError" in line["trace"]
    assert office.log.read_text("utf-8").count("JSONDecodeError: ") == 1  # in that line alone


def test_a_request_that_fails_shows_its_id_too(office: Server) -> None:
    db = sqlite3.connect(office.db, isolation_level=None)
    db.execute("ALTER TABLE password RENAME TO elsewhere")
    try:
        with pytest.raises(urllib.error.HTTPError) as failed:
            urllib.request.urlopen(f"{office.url}/sign-in", b"login=lea&password=secret-of-lea")
    finally:
        db.execute("ALTER TABLE elsewhere RENAME TO password")
        db.close()
    told = failed.value.read().decode()
    assert failed.value.code == 500
    assert "All that was saved is safe." in told
    (request,) = re.findall(r"Error ([0-9a-f]{12})$", told)
    log = office.log.read_text("utf-8")
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    (line,) = [one for one in lines if one["request"] == request and "trace" in one]
    assert "no such table" in line["trace"]
    assert "secret-of-lea" not in log
