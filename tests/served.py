"""The app in this process, as a program with the local token sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from tests import databases
from webclient.runtime.app import create_app
from webclient.settings import load_settings

LOCAL = "a token that only the person has"
PERSON = {"Authorization": f"Bearer {LOCAL}"}


@contextmanager
def served(folder: Path, **given: Any) -> Iterator[TestClient]:
    """Serve the app with these settings while the block runs."""
    databases.prepare(folder)
    app = create_app(load_settings(token=LOCAL, port=8765, data_dir=folder, **given))
    with TestClient(app, base_url="http://127.0.0.1:8765", headers=PERSON) as client:
        yield client
