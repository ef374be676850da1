"""The browser libraries kept here are byte for byte the published ones, with their licence."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_servers import ROOT
from webclient.support.paths import STATIC

SHIPPED, FOR_TESTS = STATIC / "vendor", ROOT / "tests" / "vendor"
each_folder = pytest.mark.parametrize("folder", [SHIPPED, FOR_TESTS], ids=["shipped", "for tests"])


def record(folder: Path) -> Any:
    return json.loads((folder / "vendored.json").read_text("utf-8"))


@each_folder
def test_every_vendored_file_has_the_recorded_hash(folder: Path) -> None:
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.glob("*.js")}
    assert found == record(folder)["sha256"]


@pytest.mark.parametrize(
    ("folder", "name", "first_words"),
    [(SHIPPED, "0BSD", "Zero-Clause BSD"), (FOR_TESTS, "MPL-2.0", "Mozilla Public License, version 2.0")],
)
def test_the_licence_lies_beside_the_files(folder: Path, name: str, first_words: str) -> None:
    assert record(folder)["license"] == name
    assert (folder / record(folder)["license_file"]).read_text("utf-8").startswith(first_words)


def test_the_script_pins_what_is_kept() -> None:
    script = (ROOT / "scripts" / "vendor.py").read_text("utf-8")
    records = [record(folder) for folder in (SHIPPED, FOR_TESTS)]
    assert re.findall(r'version="([^"]+)"', script) == [each["version"] for each in records]
    assert set(re.findall(r'"([0-9a-f]{64})"', script)) == {sha for each in records for sha in each["sha256"].values()}


@pytest.mark.parametrize(
    ("folder", "file", "words"), [(SHIPPED, "htmx.min.js", '"{}"'), (FOR_TESTS, "axe.min.js", "/*! axe v{}\n")]
)
def test_the_file_itself_says_the_recorded_version(folder: Path, file: str, words: str) -> None:
    assert words.format(record(folder)["version"]) in (folder / file).read_text("utf-8")
