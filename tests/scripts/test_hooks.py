"""The hook for commit messages: git refuses a subject that is too long or vague, and says why."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.mcp_servers import ROOT


def commit(folder: Path, subject: str) -> subprocess.CompletedProcess[str]:
    """Try to commit with this subject in a repository that uses the hooks."""
    git = ["git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    command = [*git, "-c", f"core.hooksPath={ROOT}/scripts/hooks", "commit", "--allow-empty", "--quiet", "-m", subject]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("subject", ["Index disabled users", "Merge branch 'x'", "fixup! x", "Add" + " b" * 34])
def test_a_plain_subject_is_committed(tmp_path: Path, subject: str) -> None:
    assert commit(tmp_path, subject).returncode == 0


@pytest.mark.parametrize(
    ("subject", "why"),
    [
        ("x", "verb"),
        ("index disabled users", "capital"),
        ("Let users be disabled", "'Let'"),
        ("Index disabled users.", "full stop"),
        ("Index " + "u" * 67, "73"),
    ],
)
def test_another_subject_is_refused_with_its_reason(tmp_path: Path, subject: str, why: str) -> None:
    refused = commit(tmp_path, subject)
    assert (refused.returncode, why in refused.stderr) == (1, True)
