"""Coming in and going out, over plain HTTP: only an answer of HTTP can set a cookie that scripts can't read."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from celeus_label.session.access import TooMany
from celeus_label.ui import signin

COOKIE_SECONDS = 180 * 24 * 3600  # the browser's limit; the invite's own end counts, and comes sooner
MOST_BYTES = 8_192  # of a form with a name and a password


class InviteDoor:
    """Answers `/?invite=TOKEN` with a cookie and the same address without the token.

    The token thus leaves the address bar, the history and the referrer at once. Files are taken from leads alone:
    Streamlit itself keeps in memory what anybody uploads who has a page open, be it the door.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        token = None
        if scope["type"] == "http":
            request = Request(scope)
            if scope["method"] in ("GET", "HEAD"):
                token = request.query_params.get("invite")
            elif "/_stcore/upload_file/" in scope["path"] and not await run_in_threadpool(_leads, request):
                await Response("Sign in first", 403)(scope, receive, send)
                return
        if token is None:
            await self.app(scope, receive, send)
            return
        who = await run_in_threadpool(signin.workspace().sign_in, token)
        here = "/" + scope["path"].lstrip("/")  # "//host" would lead to another site
        response: Response
        if who is None:
            response = RedirectResponse(f"{here}?refused=link", 303)
        else:
            response = RedirectResponse(here, 303)
            _remember(response, request, signin.slot(who.role), token)
        response.headers["Cache-Control"] = "no-store"
        await response(scope, receive, send)


async def sign_in(request: Request) -> Response:
    """Take a name and a password from the door's form."""
    if not _from_here(request.headers):  # another site must not sign its visitors in as somebody
        return Response("This form was sent from another site", 403)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return Response("This form is too large", 413)
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    login, password = (fields.get(name, [""])[0] for name in ("login", "password"))
    address = request.client.host if request.client is not None else ""
    try:
        token = await run_in_threadpool(signin.workspace().sign_in_by_password, login, password, address)
    except TooMany:
        return RedirectResponse("./?refused=wait", 303)
    if token is None:
        return RedirectResponse("./?refused=password", 303)
    response = RedirectResponse("./", 303, headers={"Cache-Control": "no-store"})
    _remember(response, request, "lead", token)
    return response


async def sign_out(request: Request) -> Response:
    """End every sign-in of this browser."""
    if not _from_here(request.headers):
        return Response("This form was sent from another site", 403)
    vouched = signin.provider_mark(request.cookies)
    response = RedirectResponse("./" if vouched is None else "./auth/logout", 303)
    for side in signin.SLOTS:
        name = signin.cookie_name(side)
        await run_in_threadpool(signin.end, request.cookies.get(name))
        response.delete_cookie(name, httponly=True, samesite="lax")
    await run_in_threadpool(signin.end_vouched, vouched)
    return response


def _remember(response: Response, request: Request, side: str, token: str) -> None:
    response.set_cookie(
        signin.cookie_name(side),
        signin.cookie_value(token),
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="lax",  # a link in a mail must carry it; another site's form must not
        secure=request.url.scheme == "https",
    )


def _from_here(headers: Headers) -> bool:
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


def _leads(request: Request) -> bool:
    who = signin.read_cookie(request.cookies.get(signin.cookie_name("lead")))
    return (who is not None and signin.slot(who.role) == "lead") or signin.provider_mark(
        request.cookies
    ) is not None
