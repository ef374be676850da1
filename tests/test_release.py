"""One version: of the program, its client packages and its changelog."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import version

from tests.mcp_servers import ROOT
from webclient import __version__

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def test_the_installed_program_has_the_version_of_its_project() -> None:
    assert (version("mcp-webclient"), __version__) == (VERSION, VERSION)


def test_the_client_packages_have_the_version_of_the_program() -> None:
    python = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text("utf-8"))
    packages = [
        json.loads((ROOT / f"clients/{each}/package.json").read_text("utf-8")) for each in ("element", "typescript")
    ]
    assert {python["project"]["version"], *(each["version"] for each in packages)} == {VERSION}


def test_the_changelog_has_unreleased_above_this_version() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert [headings[0], headings[1].split()[0]] == ["Unreleased", VERSION]
