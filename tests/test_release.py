"""One version: of the program, its client packages and its changelog."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import metadata, version

from tests.mcp_servers import ROOT
from webclient import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = PROJECT["version"]


def test_the_installed_program_has_the_version_of_its_project() -> None:
    assert (version("mcp-webclient"), __version__) == (VERSION, VERSION)


def test_the_metadata_has_licence_classifiers_and_links() -> None:
    """As the build backend writes it for an index of packages; `tests/test_wheel.py` looks at its text."""
    written = metadata("mcp-webclient")
    assert (written["License-Expression"], written.get_all("License-File")) == ("MIT", ["LICENSE"])
    assert written.get_all("Classifier") == PROJECT["classifiers"]
    # None until the repository has a public address: a link that leads nowhere would be worse.
    links = [f"{name}, {address}" for name, address in PROJECT.get("urls", {}).items()]
    assert (written.get_all("Project-URL") or []) == links
    assert all(", https://" in link for link in links)


def test_each_python_of_a_classifier_is_allowed() -> None:
    prefix = "Programming Language :: Python :: 3."
    minors = [int(each.removeprefix(prefix)) for each in PROJECT["classifiers"] if each.startswith(prefix)]
    assert PROJECT["requires-python"] == f">=3.{min(minors)}"
    assert minors == [*range(min(minors), max(minors) + 1)]


def test_the_client_packages_have_the_version_of_the_program() -> None:
    python = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text("utf-8"))
    packages = [
        json.loads((ROOT / f"clients/{each}/package.json").read_text("utf-8")) for each in ("element", "typescript")
    ]
    assert {python["project"]["version"], *(each["version"] for each in packages)} == {VERSION}


def test_the_changelog_has_unreleased_above_this_version() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert [headings[0], headings[1].split()[0]] == ["Unreleased", VERSION]
