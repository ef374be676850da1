"""The list of the screenshots' pages covers all pages of the program."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi.routing import iter_route_contexts
from starlette.routing import compile_path

from tests.mcp_servers import ROOT
from tests.screenshots.guide import screens, without_picture
from tests.screenshots.pages import ALIKE, SHOTS
from webclient.domain.model import Json
from webclient.runtime.app import create_app
from webclient.settings import load_settings

FOLDER = ROOT / "docs/screenshots"


def routes(folder: Path) -> set[str]:
    """Return the addresses of all routes besides the API's, as the app has them."""
    proxy: Json = {"identity": ["local", "proxy"], "auth_header": "Remote-User", "trusted_proxies": ["127.0.0.1"]}
    contexts = iter_route_contexts(create_app(load_settings(data_dir=folder, **proxy), guided=True).routes)
    found = {context.path or "" for context in contexts if "GET" in (context.methods or ())}
    return {path for path in found if not path.startswith("/api/")}


def test_each_page_has_a_screenshot_or_a_reason(tmp_path: Path) -> None:
    taken = [re.sub(r"{[^}]*}", "7", shot.path.partition("?")[0]) for shot in SHOTS.values()]
    without = {path for path in routes(tmp_path) if not any(compile_path(path)[0].match(each) for each in taken)}
    assert without == set(ALIKE)


def test_each_screen_of_the_guided_demo_has_its_pictures() -> None:
    """Take them with `python -m tests.screenshots guide`."""
    assert without_picture(FOLDER) == []
    names = {path.stem for folder in FOLDER.glob("guide-*") for path in folder.iterdir()}
    assert names == set(screens())
