"""A small real provider of OpenID Connect: it signs in whoever stands in `user`, without asking."""

from __future__ import annotations

import base64
import hashlib
import secrets
import socket
import threading
import time
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "celeus", "the-provider-shares-this-with-the-app"


class Provider:
    """Authorization code flow with PKCE and ID tokens signed by RS256."""

    def __init__(self) -> None:
        self.user: dict[str, Any] = {}
        self._key = RSAKey.generate_key(2048, parameters={"kid": "one"})
        self._codes: dict[str, dict[str, Any]] = {}
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        app = Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._about),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/keys", self._keys),
            ]
        )
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    def start(self) -> None:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()

    async def _about(self, _: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def _authorize(self, request: Request) -> Response:
        asked = request.query_params
        assert asked["client_id"] == CLIENT
        code = secrets.token_urlsafe()
        self._codes[code] = {
            "nonce": asked["nonce"],
            "challenge": asked["code_challenge"],
            "user": dict(self.user),
        }
        answer = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{answer}", 302)

    async def _token(self, request: Request) -> Response:
        given = base64.b64decode(request.headers["authorization"].removeprefix("Basic ")).decode()
        assert given == f"{CLIENT}:{SECRET}"
        form = await request.form()
        known = self._codes.pop(str(form["code"]))
        digest = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == known["challenge"]
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": known["nonce"]}
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims | known["user"], self._key)
        return JSONResponse(
            {
                "access_token": secrets.token_urlsafe(),
                "token_type": "Bearer",
                "expires_in": 300,
                "id_token": token,
            }
        )

    async def _keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})
