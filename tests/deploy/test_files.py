"""The files in deploy/ pass the checkers of those who read them: systemd, Docker and compose."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mcp_servers import ROOT
from tests.process import running
from webclient.runtime.exit_status import USAGE

DEPLOY = ROOT / "deploy"
BIN = Path(sys.executable).parent

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")


def passes(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a checker, which must find nothing; return what it printed."""
    done = subprocess.run(list(map(str, command)), check=False, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that is there."""
    path = tmp_path / "mcp-webclient.service"
    text = (DEPLOY / path.name).read_text("utf-8")
    path.write_text(text.replace("/opt/mcp-webclient/bin/mcp-webclient", str(BIN / "mcp-webclient")), "utf-8")
    return path


@needs_systemd
def test_systemd_understands_each_line_of_the_unit(unit: Path) -> None:
    done = passes("systemd-analyze", "verify", unit)
    assert unit.name not in done.stderr


@needs_systemd
def test_the_unit_is_confined(unit: Path) -> None:
    """The exposure is systemd's own measure, from 0 to 10; a unit without any confinement has 9.6."""
    passes("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit)


def test_the_unit_starts_the_program_with_options_that_it_has(unit: Path) -> None:
    options = re.findall(r" (--[a-z-]+)", re.findall(r"^ExecStart=(.*)$", unit.read_text("utf-8"), re.MULTILINE)[0])
    assert options
    known = passes(BIN / "mcp-webclient", "serve", "--help").stdout
    assert [option for option in options if option not in known] == []


@pytest.mark.parametrize(("file", "word"), [("Dockerfile", "ENV "), ("mcp-webclient.service", "Environment=")])
def test_log_of_a_service_has_no_token(tmp_path: Path, file: str, word: str) -> None:
    text = (DEPLOY / file).read_text("utf-8").replace("\\\n", " ")
    given = " ".join(re.findall(rf"^{word}(.*)$", text, re.MULTILINE)).split()
    variables = dict(each.split("=", 1) for each in given if "DIR" not in each and "HOME" not in each)
    variables |= {"WEBCLIENT_TOKEN": "a token for programs and for you", "WEBCLIENT_HOST": "127.0.0.1"}
    with running(tmp_path, **variables) as program:
        assert "token" not in program.ready
        assert program.end() == ""
        assert "a token" not in program.errors.read_text("utf-8")


def test_unit_starts_again_after_a_passing_failure_alone() -> None:
    unit = (DEPLOY / "mcp-webclient.service").read_text("utf-8")
    assert "Restart=on-failure" in unit
    assert re.findall(r"^RestartPreventExitStatus=(.*)$", unit, re.MULTILINE) == [str(USAGE)]


def test_the_dockerfile_passes_its_linter() -> None:
    passes(BIN / "hadolint", DEPLOY / "Dockerfile")


def test_the_compose_file_fits_its_schema_and_is_confined() -> None:
    passes(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml")
    passes(BIN / "compose-lint", DEPLOY / "compose.yaml")


def test_the_unit_copies_the_config_file_for_the_program_alone(unit: Path, tmp_path: Path) -> None:
    lines = re.findall(r"^(ExecStartPre|ExecReload)=\+/bin/sh -c '(.*)'$", unit.read_text("utf-8"), re.MULTILINE)
    assert [name for name, _script in lines] == ["ExecStartPre", "ExecReload"]
    [script] = {script for _name, script in lines}
    (tmp_path / "run/mcp-webclient").mkdir(parents=True)
    config = tmp_path / "mcp.json"
    for text in ("{}", '{"mcpServers": {}}'):
        config.write_text(text, "utf-8")
        here = script.replace("%t", str(tmp_path / "run")).replace("/etc/mcp-webclient/mcp.json", str(config))
        passes("sh", "-c", f"umask 077; {here}")
        [copy] = (tmp_path / "run/mcp-webclient.config").iterdir()
        assert (copy.name, copy.read_text("utf-8"), copy.stat().st_mode & 0o777) == ("mcp.json", text, 0o600)
