"""`python -m tests.push_service.service`: takes push messages as RFC 8030 has it, for browsers that it plays itself."""

from __future__ import annotations

import asyncio
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from secrets import token_urlsafe
from urllib.parse import urlsplit

import http_ece
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webclient.demo.serving import serve_http
from webclient.domain.model import Json


@dataclass
class Browser:
    """A subscribed browser: its keys, the key that its sender must have, and the status of one that has expired."""

    key: ec.EllipticCurvePrivateKey
    auth: bytes
    sender: bytes
    expired: int = 0


browsers: dict[str, Browser] = {}
messages: asyncio.Queue[Json] = asyncio.Queue()


async def subscribe(request: Request) -> Response:
    """Subscribe a browser for the sender with this key (RFC 8292, section 4.1)."""
    key, auth, name = ec.generate_private_key(ec.SECP256R1()), os.urandom(16), token_urlsafe(12)
    browsers[name] = Browser(key, auth, _decoded((await request.json())["key"]))
    public = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    keys = {"p256dh": _encoded(public), "auth": _encoded(auth)}
    return JSONResponse({"endpoint": f"{request.base_url!s}push/{name}", "keys": keys})


async def push(request: Request) -> Response:
    """Take a message, and keep it as the browser decrypts it."""
    browser = browsers[request.path_params["name"]]
    if browser.expired:
        return Response(status_code=browser.expired)
    try:
        claims = _claims(request, browser)
    except (jwt.PyJWTError, ValueError) as error:
        return JSONResponse({"error": str(error)}, 403)
    body = await request.body()
    if len(body) > 4096 or "ttl" not in request.headers or request.headers["content-encoding"] != "aes128gcm":
        return Response(status_code=400)
    text = http_ece.decrypt(body, private_key=browser.key, auth_secret=browser.auth, version="aes128gcm")
    messages.put_nowait({"text": text.decode(), "headers": dict(request.headers), "claims": claims, "size": len(body)})
    return Response(status_code=201)


def _claims(request: Request, browser: Browser) -> Json:
    """Return the claims of the sender's token (RFC 8292, section 2). Raises ValueError and PyJWTError."""
    scheme, _space, parameters = request.headers["authorization"].partition(" ")
    values = dict(each.strip().split("=", 1) for each in parameters.split(","))
    if scheme.lower() != "vapid" or _decoded(values["k"]) != browser.sender:
        raise ValueError("not the sender of this subscription")
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), browser.sender)
    audience = str(request.base_url).rstrip("/")
    claims: Json = jwt.decode(
        values["t"], key, algorithms=["ES256"], audience=audience, options={"require": ["exp", "sub"]}
    )
    if not str(claims["sub"]).startswith(("mailto:", "https://")):
        raise ValueError("no contact")
    return claims


async def message(_request: Request) -> Response:
    """Wait for a message."""
    return JSONResponse(await messages.get())


async def expire(request: Request) -> Response:
    """End a subscription."""
    body = await request.json()
    browsers[urlsplit(body["endpoint"]).path.rpartition("/")[2]].expired = body["status"]
    return JSONResponse({})


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


ROUTES = [
    Route("/subscribe", subscribe, methods=["POST"]),
    Route("/push/{name}", push, methods=["POST"]),
    Route("/message", message),
    Route("/expire", expire, methods=["POST"]),
]

if __name__ == "__main__":
    serve_http(Starlette(routes=ROUTES), port=0, announce="Listening", path="")
