"""One style sheet and one script, put together from the small files, and kept by browsers for good."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
import rcssmin
import rjsmin

from tests.http.small_app import client_of, make_app
from webclient.support.paths import STATIC, TEMPLATES
from webclient.web.http.assets import (
    COMPLETION,
    EMBEDDED,
    FRAME,
    GUIDE,
    SCRIPTS,
    SCRIPTS_OF_PARTS,
    SHEETS,
    SHEETS_OF_FRAMES,
    SHEETS_OF_PARTS,
    asset,
)

NAMES = ("app.css", "app.js", "icon.svg")


@pytest.mark.parametrize("name", NAMES)
def test_an_asset_is_kept_for_good_under_its_address(name: str) -> None:
    response = client_of(make_app()).get(asset(name))
    assert response.status_code == 200
    assert "immutable" in response.headers["cache-control"]
    assert "content-security-policy" in response.headers


@pytest.mark.parametrize("name", NAMES)
def test_an_asset_is_the_same_with_and_without_gzip(name: str) -> None:
    client = client_of(make_app())
    plain = client.get(asset(name), headers={"Accept-Encoding": "identity"})
    small = client.get(asset(name), headers={"Accept-Encoding": "gzip"})
    assert (plain.headers.get("content-encoding"), small.headers["content-encoding"]) == (None, "gzip")
    assert plain.content == small.content
    assert plain.headers["vary"] == small.headers["vary"] == "Accept-Encoding"


def test_the_address_of_an_older_version_is_not_found() -> None:
    response = client_of(make_app()).get("/static/app-0123456789abcdef.css")
    assert (response.status_code, response.headers["cache-control"]) == (404, "no-cache")


def test_every_sheet_is_in_the_one_sheet_in_order() -> None:
    assert {path.stem for path in (STATIC / "css").glob("*.css")} == {
        *SHEETS,
        *SHEETS_OF_PARTS,
        *SHEETS_OF_FRAMES,
        GUIDE[0],
        "demo",
    }
    text = client_of(make_app()).get(asset("app.css")).text
    rest = text
    for name in SHEETS:
        _before, found, rest = rest.partition(rcssmin.cssmin((STATIC / "css" / f"{name}.css").read_text("utf-8")))
        assert found, name
    assert "/*" not in text


def test_a_frame_has_every_rule_that_its_cards_need() -> None:
    folders = ("embed", "forms", "requests", "sampling", "sign_ins")
    # The list of the inbox and what stands beside its open question are in no frame, nor what is a page of its own.
    elsewhere = {
        f"{name}.html"
        for name in (
            "_chips",
            "_context",
            "_detail",
            "_empty",
            "_entry",
            "_last_answer",
            "_settled_row",
            "approve",
            "decline",
        )
    }
    files = [path for folder in folders for path in (TEMPLATES / folder).rglob("*.html") if path.name not in elsewhere]
    used = {name for path in files for name in re.findall(r"[\w-]+", " ".join(_CLASS.findall(path.read_text("utf-8"))))}
    assert used & (_classes(SHEETS) - _classes(SHEETS_OF_FRAMES)) == set()


_CLASS = re.compile(r'class="([^"]*)"')


def _classes(sheets: Iterable[str]) -> set[str]:
    text = "".join((STATIC / "css" / f"{name}.css").read_text("utf-8") for name in sheets)
    return set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))


def test_a_frame_keeps_the_order_of_the_sheets() -> None:
    assert [each for each in SHEETS if each in SHEETS_OF_FRAMES] == [*SHEETS_OF_FRAMES[:-1]]


def test_every_script_is_in_the_one_script_after_htmx() -> None:
    assert {path.stem for path in (STATIC / "js").glob("*.js")} == {
        *SCRIPTS,
        *SCRIPTS_OF_PARTS,
        *EMBEDDED,
        *FRAME,
        *GUIDE,
        *COMPLETION,
        "service_worker",
    }
    text = client_of(make_app()).get(asset("app.js")).text
    assert text.startswith((STATIC / "vendor" / "htmx.min.js").read_text("utf-8"))
    ours = text.partition('"use strict"')[2]
    for name in SCRIPTS:
        lines = (STATIC / "js" / f"{name}.js").read_text("utf-8").splitlines()
        code = [line.removeprefix("export ") for line in lines if line and not re.match(r"\s*//|import ", line)]
        _before, found, ours = ours.partition(rjsmin.jsmin(code[0]).rstrip("{"))
        assert found, name
    assert not re.search(r"^\s*//", ours, re.MULTILINE)


def test_no_import_or_export_is_left_in_the_one_script() -> None:
    ours = client_of(make_app()).get(asset("app.js")).text.partition('"use strict"')[2]
    assert not re.search(r"^\s*(import|export)\b", ours, re.MULTILINE)


def test_a_script_that_others_import_comes_before_them() -> None:
    for position, name in enumerate(SCRIPTS):
        text = (STATIC / "js" / f"{name}.js").read_text("utf-8")
        for imported in re.findall(r'^import .* from "\./(\w+)\.js"$', text, re.MULTILINE):
            assert SCRIPTS.index(imported) < position
