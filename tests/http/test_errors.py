"""An error becomes a page for a person or a problem document for a program, and reveals nothing else."""

from __future__ import annotations

import logging

import pytest
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from tests.http.small_app import BEARER, HTML, client_of, make_app
from webclient.domain.errors import (
    AlreadySettledError,
    ConflictError,
    ForbiddenError,
    InvalidAnswerError,
    NotFoundError,
    WebclientError,
)
from webclient.domain.model import InputRequest, Requester, RequestState

SETTLED = InputRequest(
    id="r1",
    user_id="local",
    server_id="s1",
    kind="form",
    params={},
    asked_by=Requester(label="box", address="stdio: box"),
    state=RequestState.DECLINED,
)

RAISED: list[tuple[Exception, dict[str, object]]] = [
    (WebclientError("Say which one."), {"status": 400, "title": "Bad request"}),
    (NotFoundError("No such call."), {"status": 404, "title": "Not found"}),
    (ForbiddenError("Not from here."), {"status": 403, "title": "Forbidden"}),
    (ConflictError("Not connected."), {"status": 409, "title": "Conflict"}),
    (
        AlreadySettledError("Another tab was first.", SETTLED),
        {"status": 409, "title": "Already settled", "request": {"id": "r1", "state": "declined"}},
    ),
    (
        InvalidAnswerError("Something is missing.", {"name": "Needed."}),
        {"status": 422, "title": "Invalid answer", "errors": {"name": "Needed."}},
    ),
    (HTTPException(418, "Tea only."), {"status": 418, "title": "I'm a Teapot"}),
]


def raising(error: Exception, path: str = "/raise") -> FastAPI:
    """Return an app with a route that raises `error`."""
    app = make_app()

    @app.get(path)
    async def fail() -> None:
        raise error

    return app


@pytest.mark.parametrize(("error", "members"), RAISED)
def test_a_program_gets_a_problem_document(error: Exception, members: dict[str, object]) -> None:
    response = client_of(raising(error), BEARER).get("/raise")
    detail = error.detail if isinstance(error, HTTPException) else str(error)
    assert response.status_code == members["status"]
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json() == {"type": "about:blank", "detail": detail, **members}


@pytest.mark.parametrize(("error", "members"), RAISED)
def test_a_person_gets_a_page(error: Exception, members: dict[str, object]) -> None:
    response = client_of(raising(error), BEARER | HTML).get("/raise")
    detail = error.detail if isinstance(error, HTTPException) else str(error)
    assert response.status_code == members["status"]
    assert detail in response.text
    assert 'href="/"' in response.text
    assert "<html" in response.text


def test_htmx_gets_a_part_of_a_page() -> None:
    client = client_of(raising(NotFoundError("No such call.")), BEARER | HTML | {"HX-Request": "true"})
    response = client.get("/raise")
    assert "No such call." in response.text
    assert "<html" not in response.text


def test_the_api_answers_json_even_to_a_browser() -> None:
    client = client_of(raising(NotFoundError("No such call."), "/api/v1/raise"), BEARER | HTML)
    assert client.get("/api/v1/raise").headers["content-type"] == "application/problem+json"


def test_server_text_in_an_error_page_is_escaped() -> None:
    response = client_of(raising(NotFoundError("<script>x</script>")), BEARER | HTML).get("/raise")
    assert "<script>x" not in response.text
    assert "&lt;script&gt;x" in response.text


@pytest.mark.parametrize("headers", [BEARER, BEARER | HTML])
def test_an_unexpected_error_is_logged_and_reveals_nothing(
    headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        response = client_of(make_app(), headers).get("/broken", params={"token": "hush-hush"})
    assert response.status_code == 500
    assert "Something went wrong" in response.text
    assert "secret of the house" not in response.text
    assert "RuntimeError" not in response.text
    assert "GET /broken failed" in caplog.text
    assert "secret of the house" in caplog.text
    assert "hush-hush" not in caplog.text


def test_a_client_that_leaves_while_it_sends_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        client_of(raising(ClientDisconnect()), BEARER).get("/raise")
    assert caplog.records == []


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nowhere", 404), ("POST", "/page", 405)])
def test_a_refusal_of_the_framework_is_a_sentence(method: str, path: str, status: int) -> None:
    response = client_of(make_app(), BEARER).request(method, path)
    assert response.status_code == status
    assert response.json()["detail"].endswith(".")


def test_the_headers_of_a_refusal_are_kept() -> None:
    assert client_of(make_app(), BEARER).post("/page").headers["allow"] == "GET"


@pytest.mark.parametrize(("content", "field"), [('{"a": "x"}', "a"), ("[1]", "")])
def test_an_invalid_body_gets_errors_by_field(content: str, field: str) -> None:
    client = client_of(make_app(), BEARER | {"Content-Type": "application/json"})
    response = client.post("/api/v1/json", content=content)
    problem = response.json()
    assert response.status_code == 422
    assert [key.startswith(field) for key in problem["errors"]] == [True]
    assert all(message in problem["detail"] for message in problem["errors"].values())


def test_half_an_answer_is_not_continued_with_an_error() -> None:
    app = make_app()

    async def breaks_off(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("broke off")

    app.mount("/breaks", breaks_off)
    with pytest.raises(RuntimeError, match="broke off"):
        TestClient(app, base_url="http://localhost", headers=BEARER).get("/breaks/off")
