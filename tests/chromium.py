"""The system's Chromium, driven by Playwright; no browser is downloaded.

Tests drive its headless shell: the same engine and network as Chromium, without tabs and toolbars, which use more
processor time than our pages do. On a system without that package they drive Chromium itself.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Playwright

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

CHROMIUM = ("chromium", "chromium-browser")
HEADLESS_SHELL = ("chromium-headless-shell", *CHROMIUM)


@asynccontextmanager
async def launched(
    playwright: Playwright, programs: Sequence[str] = HEADLESS_SHELL, arguments: Sequence[str] = ()
) -> AsyncIterator[Browser]:
    """Run the first of these browsers that is installed, headless, while the block runs."""
    path = next(filter(None, map(shutil.which, programs)), None)
    assert path, "Chromium is missing; `make test` installs it from the system's packages"
    browser = await playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *arguments])
    try:
        yield browser
    finally:
        await browser.close()
