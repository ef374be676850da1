"""The identity of a workload (SEP-1933): its assertion, read for each token, opens a server without a person."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import jwt
import pytest

from tests.oauth.conftest import Desk
from tests.oauth.provider import ISSUER, SERVER, answer, error
from webclient.domain.model import ReasonCode, now

pytestmark = pytest.mark.anyio

KEY = "a key that the platform signs with, of 32 bytes"


def assertion(audience: Any = ISSUER, seconds: int = 86_400, **claims: str) -> str:
    """Return what a platform issues; it outlasts a whole run, as some are issued when tests are collected."""
    issued = {"iss": "https://platform.example", "aud": audience, "exp": int(time.time()) + seconds}
    return jwt.encode(issued | claims, KEY)


def put(file: Path, text: str | None) -> None:
    """Write the file, or remove it."""
    file.unlink(missing_ok=True)
    if text:
        file.write_text(text, "utf-8")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file in which the platform puts the assertion."""
    path = tmp_path / "token"
    put(path, assertion(jti="first") + "\n")
    return path


@pytest.fixture
async def workload(desk: Desk, file: Path) -> Desk:
    """A server that the workload uses, with a client ID."""
    await desk.use({"grant": "jwt_bearer", "assertion_file": str(file), "client_id": "robot"})
    desk.provider.client_id = "robot"
    return desk


async def test_the_assertion_in_a_file_is_read_for_each_token(workload: Desk, file: Path) -> None:
    old = await workload.refused('Bearer scope="read"')
    assert workload.provider.accepts(old)
    put(file, assertion(jti="second"))
    grants = workload.store.of(workload.server.user_id).grants
    grant = await grants.get(workload.server.server_id)
    assert grant
    await grants.save(replace(grant, expires_at=now() + timedelta(seconds=5)))
    await workload.restart()
    assert await workload.token() != old
    first, second = workload.provider.posted("/token")
    claims = [jwt.decode(body["assertion"], options={"verify_signature": False}) for body in (first, second)]
    assert [each["jti"] for each in claims] == ["first", "second"]
    assert (first["grant_type"], first["resource"], first["scope"]) == (
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
        SERVER,
        "read",
    )
    assert workload.auth.wanted is None


@pytest.mark.parametrize("audience", [f"{ISSUER}/", f"{ISSUER}/token", ["https://other.example", ISSUER]])
async def test_the_audience_may_name_the_server_in_several_ways(workload: Desk, file: Path, audience: Any) -> None:
    put(file, assertion(audience))
    assert await workload.refused()


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (assertion("https://other.example"), ReasonCode.SIGN_IN_ASSERTION_OF_OTHER),
        (assertion(None), ReasonCode.SIGN_IN_ASSERTION_OF_OTHER),
        (assertion(seconds=-60), ReasonCode.SIGN_IN_ASSERTION_ENDED),
        ("not a token", ReasonCode.SIGN_IN_NO_ASSERTION),
        (None, ReasonCode.SIGN_IN_NO_ASSERTION),
    ],
)
async def test_an_assertion_of_no_use_is_not_sent(
    workload: Desk, file: Path, written: str | None, reason: ReasonCode
) -> None:
    put(file, written)
    assert await workload.refused() is None
    assert await workload.failure() is reason
    assert workload.provider.posted("/token") == []


async def test_a_refused_assertion_is_not_sent_again(workload: Desk) -> None:
    workload.provider.answers[f"{ISSUER}/token"] = error("invalid_grant")
    assert await workload.refused() is None
    assert await workload.failure() is ReasonCode.SIGN_IN_REFUSED
    assert len(workload.provider.posted("/token")) == 1


@contextmanager
def platform(body: str, status: int = 200) -> Iterator[tuple[str, list[str | None]]]:
    """Serve the assertion as the metadata of a machine does; yield its address, and the header of each request."""
    seen: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers["metadata-flavor"])
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/identity", seen
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("form", ["{}", '{{"value": "{}"}}', '{{"access_token": "{}", "expires_in": 60}}'])
async def test_the_assertion_may_be_at_an_address(desk: Desk, form: str) -> None:
    desk.provider.client_id = "robot"
    with platform(form.format(assertion())) as (url, seen):
        headers = {"Metadata-Flavor": "Google"}
        await desk.use(
            {"grant": "jwt_bearer", "client_id": "robot", "assertion_url": url, "assertion_headers": headers}
        )
        assert await desk.refused()
    assert seen == ["Google"]


async def test_an_address_without_assertion_is_reported(desk: Desk) -> None:
    with platform("{}", status=404) as (url, _seen):
        await desk.use({"grant": "jwt_bearer", "assertion_url": url})
        assert await desk.refused() is None
        assert await desk.failure() is ReasonCode.SIGN_IN_NO_ASSERTION


async def test_a_workload_needs_no_client_id(desk: Desk) -> None:
    desk.provider.answers[f"{ISSUER}/token"] = answer({"access_token": "a", "token_type": "Bearer"})
    await desk.use({"grant": "jwt_bearer", "assertion": assertion()})
    assert await desk.refused() == "a"
    [body] = desk.provider.posted("/token")
    assert "client_id" not in body
    assert desk.provider.posted("/register") == []
