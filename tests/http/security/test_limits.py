"""The size of a body is limited, also if its Content-Length is wrong or missing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from tests.http.small_app import BEARER, HTML, client_of, make_app
from webclient.web.http.security.limits import BodyLimit

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def pieces(count: int) -> Iterator[bytes]:
    """Send without saying how much it will be."""
    for _ in range(count):
        yield b"x" * 10


@pytest.mark.parametrize(("size", "status"), [(0, 200), (100, 200), (101, 413), (10_000, 413)])
def test_a_body_that_says_it_is_too_large_is_refused(size: int, status: int) -> None:
    client = client_of(make_app(max_body_bytes=100), BEARER | JSON)
    assert client.post("/act", content=b"x" * size).status_code == status


@pytest.mark.parametrize(("count", "status"), [(10, 200), (11, 413)])
def test_a_body_that_does_not_say_is_counted(count: int, status: int) -> None:
    client = client_of(make_app(max_body_bytes=100), BEARER | JSON)
    assert client.post("/act", content=pieces(count)).status_code == status


@pytest.mark.anyio
async def test_a_body_is_counted_while_it_arrives_and_no_further() -> None:
    left = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces(20)]

    async def receive() -> Message:
        return left.pop()

    async def send(_message: Message) -> None:
        raise AssertionError("nothing is answered here")

    async def reads_on(_scope: Scope, receive: Receive, _send: Send) -> None:
        while True:
            await receive()

    with pytest.raises(HTTPException) as refused:
        await BodyLimit(reads_on, max_bytes=100)({"type": "http", "headers": []}, receive, send)
    assert refused.value.status_code == 413
    assert len(left) == 9


@pytest.mark.parametrize("path", ["/form", "/api/v1/json"])
def test_a_body_that_fastapi_reads_is_counted_as_well(path: str) -> None:
    headers = FORM if path == "/form" else JSON
    client = client_of(make_app(max_body_bytes=100), BEARER | headers)
    assert client.post(path, content=pieces(11)).status_code == 413


def test_a_length_that_lies_does_not_help() -> None:
    client = client_of(make_app(max_body_bytes=100), BEARER | JSON | {"Content-Length": "5"})
    assert client.post("/act", content=pieces(11)).status_code == 413


def test_signing_in_is_limited_as_well() -> None:
    client = client_of(make_app(max_body_bytes=100), {"Sec-Fetch-Site": "same-origin"})
    assert client.post("/login", data={"token": "x" * 200}).status_code == 413


def test_the_limit_is_explained_to_scripts_and_people() -> None:
    client = client_of(make_app(max_body_bytes=100), BEARER | JSON)
    answer = client.post("/act", content=b"x" * 101)
    assert answer.headers["content-type"] == "application/problem+json"
    assert "100 bytes" in answer.json()["detail"]
    page = client.post("/act", content=b"x" * 101, headers=HTML)
    assert "100 bytes" in page.text
    assert "text/html" in page.headers["content-type"]
