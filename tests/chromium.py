"""The system's Chromium, driven by Playwright; no browser is downloaded."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
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


@asynccontextmanager
async def launched(playwright: Playwright) -> AsyncIterator[Browser]:
    """Run a headless Chromium while the block runs."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "Chromium is missing; `make test` installs it from the system's packages"
    browser = await playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
    try:
        yield browser
    finally:
        await browser.close()
