"""The program in locales whose encoding is not UTF-8: it starts, serves the same bytes, and prints what it can."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.loopback import local
from tests.process import HANGS, PROGRAM, environment, in_locale
from webclient.web.http.assets import asset

LABEL = "旅行“社”"
"""A name with characters that only some of the encodings have."""

STOPPED = "服务器停止"

SERVER = f"""
import sys
sys.stderr.buffer.write({STOPPED!a}.encode(sys.argv[1]))
sys.exit(3)
"""

ENCODINGS = {"gbk": "zh_CN", "iso-8859-1": "de_DE", "ascii": "C"}
"""One of several bytes a character, one in which all bytes are characters, and one in which half of them are."""

Locale = Callable[[str], dict[str, str]]


@pytest.fixture(scope="module")
def locale_of(tmp_path_factory: pytest.TempPathFactory) -> Locale:
    """Make the locale of an encoding, and give its environment."""
    folder = tmp_path_factory.mktemp("locales")

    def make(encoding: str) -> dict[str, str]:
        # Python would take UTF-8 in the place of ASCII.
        if encoding == "ascii":
            return _locale("C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        name = f"{ENCODINGS[encoding]}.{encoding}"
        made = folder / name
        if not made.exists() and shutil.which("localedef"):
            command = ["localedef", "--no-archive", "-i", ENCODINGS[encoding], "-f", encoding.upper(), str(made)]
            subprocess.run(command, check=False, capture_output=True, timeout=HANGS)
        if not made.exists():
            pytest.skip("no locale can be made here")
        return _locale(name, LOCPATH=str(folder))

    return make


def _locale(name: str, **more: str) -> dict[str, str]:
    variables = environment(LC_ALL=name, **more)
    # The programs of these tests print in the encoding of their locale.
    del variables["PYTHONIOENCODING"]
    return variables


def did(env: dict[str, str], encoding: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end; its arguments are in the encoding, or in UTF-8 if that has no Chinese."""
    written = encoding if encoding == "gbk" else "utf-8"
    command = [each.encode(written) for each in (*PROGRAM, *arguments)]
    return subprocess.run(command, env=env, capture_output=True, check=False, timeout=HANGS)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_program_serves_the_same_in_any_encoding(tmp_path: Path, locale_of: Locale, encoding: str) -> None:
    env = locale_of(encoding)
    config = tmp_path / "mcp.json"
    spoken = "gbk" if encoding == "gbk" else "utf-8"
    server = {"command": sys.executable, "args": ["-c", SERVER, spoken], "label": f"{LABEL}😀"}
    config.write_text(json.dumps({"mcpServers": {"路径": server}}, ensure_ascii=False), "utf-8")
    with (
        in_locale(tmp_path, "--config", str(config), **env) as program,
        httpx2.Client(**local(), base_url=program.url, headers=program.bearer) as browser,
    ):
        assert browser.get(asset("app.css")).status_code == 200
        assert browser.get(asset("app.js")).status_code == 200
        assert "收件箱" in browser.get("/", headers={"Accept": "text/html", "Accept-Language": "zh-CN"}).text
        [listed] = browser.get("/api/v1/servers").json()["servers"]
        assert listed["label"] == f"{LABEL}😀"
        while listed["state"] != "error":
            [listed] = browser.get("/api/v1/servers").json()["servers"]
        assert STOPPED in listed["error"]["message"]
        program.end()
        assert program.process.returncode == 0
    assert b"Traceback" not in program.errors.read_bytes()


@pytest.mark.parametrize("encoding", ["gbk", "iso-8859-1"])
def test_commands_print_what_the_encoding_lacks_escaped(tmp_path: Path, locale_of: Locale, encoding: str) -> None:
    env = locale_of(encoding)
    data = ["--data-dir", str(tmp_path / "数据")]
    for arguments in (["serve", "--help"], ["tokens", "create", LABEL, *data], ["tokens", "list", *data]):
        done = did(env, encoding, *arguments)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"旅行": {"command": "服务器😀"}}}', "utf-8")
    done = did(env, encoding, "import", "--list", "--from", str(tmp_path / "mcp.json"))
    assert done.returncode == 0
    assert ("旅行" if encoding == "gbk" else "") in done.stdout.decode(encoding, "replace")
