"""WebKit as GTK programs have it, by its driver, which takes the commands of WebDriver over HTTP."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx2

from tests.other_browsers.browser import SECONDS, Browser, CommandError

DRIVER = "WebKitWebDriver"
PROGRAMS = "webkit2gtk-4*/MiniBrowser"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key under which WebDriver names an element (section 12.2)."""

# A window is never narrower than its buttons.
_SMALL = """* {
  border-width: 0; font-size: 1px; margin: 0; min-height: 0; min-width: 0; padding: 0; -gtk-icon-transform: scale(0.1)
}"""

_COMMANDS = {
    "ExecuteScript": ("POST", "execute/sync"),
    "Navigate": ("POST", "url"),
    "GetWindowHandles": ("GET", "window/handles"),
    "SwitchToWindow": ("POST", "window"),
    "CloseWindow": ("DELETE", "window"),
    "SwitchToFrame": ("POST", "frame"),
    "ElementClick": ("POST", "element/{id}/click"),
    "ElementSendKeys": ("POST", "element/{id}/value"),
    "PerformActions": ("POST", "actions"),
    "SetWindowRect": ("POST", "window/rect"),
}
"""The endpoints of the commands (section 6.5)."""


class WebKit(Browser):
    """A running MiniBrowser, at a session of its driver."""

    moves_focus = False

    def __init__(self, http: httpx2.AsyncClient, session: str, version: str) -> None:
        self.name = f"WebKit {version}"
        self._http = http
        self._session = session

    async def send(self, command: str, **parameters: Any) -> Any:
        """Send a command of WebDriver, and return its result; raises CommandError."""
        method, path = _COMMANDS[command]
        if command == "SwitchToFrame":
            frame = parameters.get("element")
            parameters = {"id": frame and {ELEMENT: frame}}
        address = f"/session/{self._session}/{path.format(**parameters)}"
        return await _value(self._http, method, address, parameters if method == "POST" else None)

    async def resize(self, width: int, height: int) -> None:
        """Set the size of the viewport, without the browser's own bars."""
        await self.send("SetWindowRect", x=0, y=0, width=width, height=height)
        await self.until(f"innerWidth === {width}")
        bars = height - await self.run("innerHeight")
        await self.send("SetWindowRect", x=0, y=0, width=width, height=height + bars)
        await self.until(f"innerHeight === {height}")


async def _value(http: httpx2.AsyncClient, method: str, address: str, body: Any = None) -> Any:
    response = await http.request(method, address, json=body)
    value = response.json()["value"]
    if not response.is_success:
        raise CommandError(f"{address}: {value['error']}: {value['message']}")
    return value


@asynccontextmanager
async def webkit(folder: Path, *options: str) -> AsyncIterator[WebKit]:
    """Run WebKit while the block runs, in a display without a screen; its own settings are in the folder."""
    program = _program()
    (folder / "gtk-3.0").mkdir(exist_ok=True)
    (folder / "gtk-3.0" / "gtk.css").write_text(_SMALL, "utf-8")
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    driver = await asyncio.create_subprocess_exec(
        "xvfb-run", "-a", "-s", "-screen 0 1400x1400x24", DRIVER, "--host=127.0.0.1", f"--port={port}",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
        env=os.environ | {"XDG_CONFIG_HOME": str(folder), "LC_ALL": "C"},
    )  # fmt: skip
    try:
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS, trust_env=False) as http:
            await _ready(http)
            wanted = {"webkitgtk:browserOptions": {"binary": program, "args": ["--automation", *options]}}
            begun = await _value(http, "POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            browser = WebKit(http, begun["sessionId"], begun["capabilities"]["browserVersion"])
            yield browser
            await _value(http, "DELETE", f"/session/{begun['sessionId']}")
    finally:
        os.killpg(driver.pid, 15)
        await driver.wait()


def _program() -> str:
    programs = sorted(Path("/usr/lib").glob(f"*/{PROGRAMS}"))
    missing = "WebKit is missing: apt-get install webkit2gtk-driver xvfb xauth"
    assert programs, missing
    assert shutil.which(DRIVER), missing
    return str(programs[-1])


async def _ready(http: httpx2.AsyncClient) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                await http.get("/status")
                return
            except httpx2.TransportError:
                await asyncio.sleep(0.05)
