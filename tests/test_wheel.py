"""A wheel holds everything that the program needs, and runs from anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx2
import pytest

from tests.loopback import local
from tests.mcp_servers import ROOT
from tests.program import program

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an unpacked wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True, cwd=folder)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "unpacked")
    return folder / "unpacked"


def test_the_wheel_contains_no_test_code(wheel: Path) -> None:
    assert [path.name for path in wheel.iterdir() if path.suffix != ".dist-info"] == ["webclient"]
    assert {path.name for path in wheel.rglob("*.min.js")} == {"htmx.min.js"}


async def test_the_program_runs_from_its_wheel(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "PYTHONPATH", str(wheel))
    monkeypatch.chdir(tmp_path)
    async with program(tmp_path, "demo") as served, httpx2.AsyncClient(base_url=served.base, **local()) as browser:
        assert "Sign in" in (await browser.get("/login", headers={"Accept": "text/html"})).text
        assert (await browser.get("/static/css/tokens.css")).status_code == 200
        async with served.client() as api:
            await api.server("Demo trips")
            await api.server("Demo office")
