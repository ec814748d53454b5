"""A minimal OpenID Connect provider on loopback: discovery, authorization, token and userinfo."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "tablechat", "shared secret"
KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
Json = dict[str, Any]


class Provider(ThreadingHTTPServer):
    """`user` is the signed-in user.

    `claims` replace claims of the ID token; `broken` is a path with an invalid answer.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.user: Json = {}
        self.claims: Json = {}
        self.challenges: dict[str, str] = {}
        self.broken = ""
        self.audience = CLIENT
        self.sends_id_token = True

    def visit(self, address: str) -> str:
        """Return the callback URL with a code for an authorization request."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert (query["client_id"], query["response_type"], query["code_challenge_method"]) == (CLIENT, "code", "S256")
        code = f"code{len(self.challenges)}"
        self.challenges[code] = query["code_challenge"]
        back = urlsplit(query["redirect_uri"])
        return f"{back.path}?{urlencode({'code': code, 'state': query['state']})}"


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        base, path = self.server.address, urlsplit(self.path).path
        public = jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True)
        found: dict[str, Json] = {
            "/.well-known/openid-configuration": {
                "issuer": base, "authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/token",
                "userinfo_endpoint": f"{base}/user", "jwks_uri": f"{base}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            },
            "/keys": {"keys": [{**public, "kid": "1", "alg": "RS256", "use": "sig"}]},
            "/user": self.server.user,
        }  # fmt: skip
        self._send(found.get(path), path=path)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        query = {name: values[0] for name, values in parse_qs(body).items()}
        digest = hashlib.sha256(query.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        challenge = self.server.challenges.pop(query.get("code", ""), None)
        if challenge != proof or query.get("client_secret") != SECRET:
            self._send({"error": "invalid_grant"}, path="/token", status=400)
            return
        times = {"iat": int(time.time()), "exp": int(time.time()) + 60}
        about = {"iss": self.server.address, "aud": self.server.audience, **times}
        claims = {**about, **self.server.user, **self.server.claims}
        token = jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": "1"})
        answer = {"access_token": "any", "token_type": "Bearer"}
        self._send(answer | {"id_token": token} if self.server.sends_id_token else answer, path="/token")

    def _send(self, content: Json | None, *, path: str, status: int = 200) -> None:
        text = "nonsense" if path == self.server.broken else json.dumps(content)
        self.send_response(404 if content is None else status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def identity_provider() -> Iterator[Provider]:
    """Run a provider."""
    provider = Provider()
    # By default `shutdown` takes up to half a second, in each test.
    thread = threading.Thread(target=provider.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.shutdown()
        provider.server_close()
        thread.join()
