"""The fork server's address is gone with the process that used it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forks import ADDRESS, launched
from tests.mcp_servers import ROOT

LAUNCHES = "import subprocess; from tests.forks import launched; subprocess.run(launched('tests.forks'), check=False)"


@pytest.mark.slow
def test_no_folder_is_left_after_a_normal_end(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path), ADDRESS: ""}
    subprocess.run([sys.executable, "-c", LAUNCHES], check=True, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
    assert list(tmp_path.iterdir()) == []


def test_a_command_comes_when_the_fork_server_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its imports may take longer than the time for connecting to a server."""
    waited: list[bool] = []
    monkeypatch.setattr("tests.forks.forks.ready", lambda: waited.append(True))
    assert launched("tests.forks")[-1] == "tests.forks"
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    launched("tests.forks")
    assert waited == [True]
