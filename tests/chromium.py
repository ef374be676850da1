"""The Chromium of this machine, driven by Playwright; no browser is downloaded. `scripts/browser.py` finds it.

Tests drive its headless shell: the same engine and network as Chromium, without tabs and toolbars, which use more
processor time than our pages do. On a system without that package they drive Chromium itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Playwright

from scripts.browser import find_chromium

ARGUMENTS = (
    "--no-sandbox",  # as root, and in containers, Chromium has no sandbox to use
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Nothing leaves this machine: names of tests are here, and all others are not found.
    "--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)

LESS_WORK = (
    # One process for all tabs: a tenth less processor time for a page.
    "--renderer-process-limit=1",
)
"""For tests of what pages show and do; what is measured runs without."""


@asynccontextmanager
async def launched(
    playwright: Playwright, *, headless_shell: bool = True, arguments: Sequence[str] = ()
) -> AsyncIterator[Browser]:
    """Run the headless shell, or without `headless_shell` Chromium itself, headless while the block runs."""
    path = find_chromium(headless_shell=headless_shell)
    assert path, "Chromium is missing; `make test` says what installs it"
    browser = await playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *arguments])
    try:
        yield browser
    finally:
        await browser.close()
