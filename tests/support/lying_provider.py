"""A provider that issues whatever ID token a test wants, as an attacker's would."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from support.small_server import Reply, Request, SmallServer, serving

Claims = dict[str, Any]


def new_key() -> RSAKey:
    return RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256"}, private=True, auto_kid=True)


@dataclass
class LyingProvider:
    """Honest until a test changes `claims` or `sign`."""

    key: RSAKey = field(default_factory=new_key)
    published: list[RSAKey] = field(default_factory=list)
    claims: Callable[[Claims], Claims] = lambda honest: honest
    sign: Callable[[Claims], str] | None = None
    nonce: str = ""
    userinfo: Claims = field(default_factory=dict)
    about: Claims = field(default_factory=dict)
    server: SmallServer | None = None

    @property
    def issuer(self) -> str:
        assert self.server is not None
        return self.server.url

    def answer(self, request: Request) -> Reply:
        if request.path == "/authorize":
            return self._redirect(request)
        answers: dict[str, Callable[[], Any]] = {
            "/.well-known/openid-configuration": self._about,
            "/jwks": lambda: KeySet([*(self.published or [self.key])]).as_dict(private=False),
            "/token": self._token,
            "/userinfo": lambda: self.userinfo,
        }
        told = answers[request.path]()
        return Reply(json.dumps(told).encode(), headers={"Content-Type": "application/json"})

    def signed(self, claims: Claims, key: RSAKey | None = None) -> str:
        used = key or self.key
        return jwt.encode({"alg": "RS256", "kid": used.kid}, claims, used)

    def _redirect(self, request: Request) -> Reply:
        self.nonce = request.query["nonce"][0]
        back = f"{request.query['redirect_uri'][0]}?code=x&state={request.query['state'][0]}"
        return Reply(b"", 302, {"Location": back})

    def _about(self) -> Claims:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            **self.about,
        }

    def _token(self) -> Claims:
        now = int(time.time())
        honest = {
            "iss": self.issuer,
            "sub": "eve",
            "aud": "diamond",
            "exp": now + 600,
            "iat": now,
            "nonce": self.nonce,
            "email": "eve@example.org",
            "email_verified": True,
            "name": "Eve",
        }
        claims = self.claims(honest)
        token = self.sign(claims) if self.sign else self.signed(claims)
        return {"access_token": "a", "token_type": "Bearer", "id_token": token}


def unsigned(claims: Claims) -> str:
    """`alg: none`, which some libraries once accepted."""
    parts = ({"alg": "none"}, claims)
    packed = [base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=") for one in parts]
    return b".".join([*packed, b""]).decode()


@contextmanager
def lying_provider() -> Iterator[LyingProvider]:
    liar = LyingProvider()
    with serving(liar.answer) as server:
        liar.server = server
        yield liar
