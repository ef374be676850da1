"""Firefox without a driver program: its own remote protocol, Marionette, over a socket.

A message is its length, a colon, and JSON: `[0, id, command, parameters]` out, `[1, id, error, result]` back.
Debian has Firefox and no geckodriver, which would translate just this.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from tests.other_browsers.browser import SECONDS, Browser, CommandError

PROGRAMS = ("firefox-esr", "firefox")
COLORS = "layout.css.prefers-color-scheme.content-override"
"""The preference of a person for dark (0) or light (1) pages."""

# A window is never as narrow as a phone, but what shows the page in it can be.
_RESIZE = """const { style } = gBrowser.selectedBrowser
for (const limit of ["", "min-", "max-"]) {
  style.setProperty(`${limit}width`, `${arguments[0]}px`, "important")
  style.setProperty(`${limit}height`, `${arguments[1]}px`, "important")
}"""

_PREFERENCES = {
    "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "dom.disable_open_during_load": True,
}


class Firefox(Browser):
    """A running Firefox with one tab."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = count(1)
        self.name = "Firefox"

    async def read(self) -> Any:
        """Return the next message."""
        length = await self._reader.readuntil(b":")
        return json.loads(await self._reader.readexactly(int(length[:-1])))

    async def send(self, command: str, **parameters: Any) -> Any:
        """Send a command of WebDriver, and return its result."""
        name = command if ":" in command else f"WebDriver:{command}"
        body = json.dumps([0, next(self._numbers), name, parameters]).encode()
        self._writer.write(b"%d:%s" % (len(body), body))
        async with asyncio.timeout(SECONDS):
            _kind, _number, error, result = await self.read()
        if error is not None:
            raise CommandError(f"{command}: {error['error']}: {error['message']}")
        return result["value"] if isinstance(result, dict) and list(result) == ["value"] else result

    async def resize(self, width: int, height: int) -> None:
        """Set the size of the viewport, without the browser's own bars."""
        await self.send("Marionette:SetContext", value="chrome")
        await self.send("ExecuteScript", script=_RESIZE, args=[width, height])
        await self.send("Marionette:SetContext", value="content")


@asynccontextmanager
async def firefox(profile: Path, preferences: Mapping[str, bool | int | str]) -> AsyncIterator[Firefox]:
    """Run Firefox while the block runs, headless, with an empty profile and these preferences."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert program, "Firefox is missing: apt-get install firefox-esr"
    _write(profile, {**_PREFERENCES, **preferences})
    process = await asyncio.create_subprocess_exec(
        program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", str(profile),
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", await _port(profile))
        browser = Firefox(reader, writer)
        await browser.read()  # its greeting
        begun = await browser.send("NewSession")
        browser.name = f"Firefox {begun['capabilities']['browserVersion']}"
        await browser.send("SetWindowRect", x=0, y=0, width=1280, height=1200)
        yield browser
        writer.close()
    finally:
        process.terminate()
        await process.wait()


def _write(profile: Path, preferences: Mapping[str, bool | int | str]) -> None:
    profile.mkdir()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences.items()]
    (profile / "user.js").write_text("\n".join(lines), "utf-8")


async def _port(profile: Path) -> int:
    file = profile / "MarionetteActivePort"
    async with asyncio.timeout(SECONDS):
        while not (file.exists() and (text := file.read_text("utf-8").strip())):  # noqa: ASYNC110  (another process)
            await asyncio.sleep(0.05)
    return int(text)
