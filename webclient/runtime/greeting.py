"""The sentences around the ready line in a terminal, and the browser that opens the link, where there is one.

The sentences go to standard error, without the link: it is in the ready line, and logs should not have its token twice.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from threading import Thread


def has_browser(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Return whether a browser can be opened on a screen that the person sees."""
    if environment.get("CI", "").lower() not in ("", "0", "false") or environment.get("SSH_CONNECTION"):
        return False
    return platform in ("darwin", "win32") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def will_open(wanted: bool | None) -> bool:
    """Return whether to open a browser: if it is `wanted`, or if that is left open and a person is at the terminal."""
    if wanted is None:
        wanted = sys.stderr.isatty()
    return wanted and has_browser(os.environ)


def open_browser(address: str) -> None:
    """Open the address in the person's browser, in the background; a browser that does not start is not an error.

    Other users of the machine can see command lines, so the address must be good for one sign-in only.
    """
    # In a process of its own: browsers write to standard output, which belongs to the ready line.
    command = [sys.executable, "-I", "-m", "webbrowser", address]
    nothing = subprocess.DEVNULL
    child = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)  # noqa: S603  (ours)
    Thread(target=child.wait, name="browser", daemon=True).start()


def say_before(*, guided: bool) -> None:
    """Say what this is, before the ready line."""
    if guided:
        _say("mcp-webclient demo: short scenes in which MCP servers ask you something.")


def say_after(*, guided: bool, opens: bool, elsewhere: bool = False) -> None:
    """Say what to do with the link in the ready line, and how to stop.

    `elsewhere`: people sign in at a proxy or an application, whose address is not known here.
    """
    if opens:
        _say("Your browser opens it. If it does not, open the link yourself. Press Ctrl-C to stop.")
    elif elsewhere and sys.stderr.isatty():
        _say("People open the address of your proxy or application (--public-url names it). Press Ctrl-C to stop.")
    elif guided or sys.stderr.isatty():
        _say("Open this link in your browser. Press Ctrl-C to stop.")


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
