"""Finds the Chromium that tests drive: what CHROMIUM names, the system's, Google Chrome, or Playwright's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

CHROMIUM = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
HEADLESS_SHELL = ("chromium-headless-shell",)

_CACHES = (".cache/ms-playwright", "Library/Caches/ms-playwright")
_OWN = ("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*")
_OWN_SHELL = ("chromium_headless_shell-*/*/headless_shell", "chromium_headless_shell-*/*/chrome-headless-shell")


def find_chromium(*, headless_shell: bool = False) -> str | None:
    """Return the path of a Chromium; with `headless_shell`, of its headless shell first."""
    if chosen := os.environ.get("CHROMIUM"):
        return shutil.which(chosen)
    names, own = (HEADLESS_SHELL, _OWN_SHELL) if headless_shell else (CHROMIUM, _OWN)
    found = next(filter(None, map(shutil.which, names)), None) or next(_own(own), None)
    return found or (find_chromium() if headless_shell else None)


def _own(patterns: tuple[str, ...]) -> Iterator[str]:
    """Give what `playwright install` has left here, the newest first."""
    chosen = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    for folder in [Path(chosen)] if chosen else [Path.home() / each for each in _CACHES]:
        for pattern in patterns:
            yield from sorted(map(str, folder.glob(pattern)), reverse=True)
