"""A program learns for whom it acts and what it may do."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from tests.http.small_app import BEARER, ORIGIN, TOKEN
from webclient.runtime.app import create_app
from webclient.settings import load_settings


def test_the_token_is_the_local_user_with_every_scope(tmp_path: Path) -> None:
    with TestClient(create_app(load_settings(token=TOKEN, port=8765, data_dir=tmp_path)), base_url=ORIGIN) as client:
        assert client.get("/api/v1/me").status_code == 401
        me = {"user_id": "local", "role": "admin", "scopes": ["admin", "answer", "ask", "gateway", "read"]}
        assert client.get("/api/v1/me", headers=BEARER).json() == me
        client.get("/login", params={"token": TOKEN})
        assert client.get("/api/v1/me").json() == me
