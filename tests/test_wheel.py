"""A wheel holds everything that the program needs, and runs from anywhere."""

from __future__ import annotations

import fnmatch
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from email import message_from_string
from pathlib import Path

import httpx2
import pytest

from tests.loopback import local
from tests.mcp_servers import ROOT, started
from tests.program import Program

pytestmark = pytest.mark.anyio


def built_from() -> list[str]:
    """Return the files and folders that .dockerignore lets into an image; a wheel is made of the same."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    return [line.removeprefix("!") for line in lines if line.startswith("!")]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new virtual environment with a wheel of this tree; its dependencies are those of the tests."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in built_from():
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run(build, check=True, capture_output=True, cwd=folder)
    [wheel] = folder.glob("*.whl")
    environment = folder / "venv"
    venv.create(environment, symlinks=True)
    python = str(environment / "bin/python")
    install = [*pip, "--python", python, "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, cwd=folder)
    [packages] = environment.glob("lib/python*/site-packages")
    # After its own packages, so that the program is the one of the wheel.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    return packages


def test_the_wheel_holds_all_files_of_the_program_and_no_test(installed: Path) -> None:
    expected = {
        path.relative_to(ROOT / folder).as_posix()
        for folder, pattern in ((".", "webclient/**/*"), (".", "templates/**/*"), (".", "static/**/*"))
        for path in (ROOT / folder).glob(pattern)
        if path.is_file() and not fnmatch.fnmatch(path.name, "*.pyc")
    }
    found = {path.relative_to(installed).as_posix() for path in (installed / "webclient").rglob("*") if path.is_file()}
    ours = {path if path.startswith("webclient/") else f"webclient/{path}" for path in expected}
    assert ours - found == set()
    assert {path for path in found - ours if not path.endswith(".pyc")} == set()
    assert not (installed / "tests").exists()


def test_the_description_of_the_wheel_stands_alone(installed: Path) -> None:
    [file] = installed.glob("mcp_webclient-*.dist-info/METADATA")
    described = message_from_string(file.read_text("utf-8"))
    assert described["License-Expression"] == "MIT"
    assert described.get_all("Classifier")
    assert described["Keywords"]
    # Pictures and links of the repository would be broken on a page elsewhere.
    assert not re.search(r"\]\(|<img", str(described.get_payload()))


async def test_the_program_runs_from_its_wheel(installed: Path, tmp_path: Path) -> None:
    script = installed.parents[2] / "bin/mcp-webclient"
    command = [str(script), "demo", "--port", "0", "--data-dir", str(tmp_path / "data")]
    async with started(command, announce="Ready", cwd=tmp_path, forked=False) as process:
        served = Program(process.address, process.pid)
        async with httpx2.AsyncClient(base_url=served.base, **local()) as browser:
            page = await browser.get("/login", headers={"Accept": "text/html", "Accept-Language": "zh-CN"})
            assert 'lang="zh' in page.text
            assert (await browser.get("/static/css/tokens.css")).status_code == 200
        async with served.client() as api:
            await api.server("Demo trips")
            await api.server("Demo office")
