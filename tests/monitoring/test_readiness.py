"""Readiness: a program is ready while its database can be used and its loop runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from webclient.domain.model import Reason, ReasonCode
from webclient.runtime.app import create_app
from webclient.settings import load_settings
from webclient.store import StorageError


def test_a_program_is_ready_until_its_database_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.support.shared_work.LIFETIME", -1)
    app = create_app(load_settings(data_dir=tmp_path))
    with TestClient(app, base_url="http://127.0.0.1") as probe:
        response = probe.get("/readyz")
        assert (response.status_code, response.json()) == (200, {"database": "ok", "loop": "ok"})
        health = app.state.services.store.health
        health.trouble = StorageError(Reason.of(ReasonCode.FOLDER_UNWRITABLE, error="read-only"))
        response = probe.get("/readyz")
        assert (response.status_code, response.json()["database"]) == (503, "failed")
        # It serves, so it is alive, and a restart would not help.
        assert probe.get("/healthz").status_code == 200
        health.trouble = None


def test_a_program_without_a_metrics_token_has_no_metrics(tmp_path: Path) -> None:
    with TestClient(create_app(load_settings(data_dir=tmp_path)), base_url="http://127.0.0.1") as probe:
        assert probe.get("/metrics").status_code == 404
