"""The steps of a walk, in the commands of WebDriver (W3C Recommendation); browsers differ in how these are sent."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Any

SECONDS = 30.0


class CommandError(Exception):
    """The browser did not do what a command says."""


class Browser(ABC):
    """A running browser with one tab."""

    name: str
    """The engine and its version."""

    moves_focus = True
    """Whether a script in a frame of another site may move the focus before the person has used the frame."""

    @abstractmethod
    async def send(self, command: str, **parameters: Any) -> Any:
        """Send a command of WebDriver, and return its result; raises CommandError."""

    @abstractmethod
    async def resize(self, width: int, height: int) -> None:
        """Set the size of the viewport, without the browser's own bars."""

    async def run(self, script: str, *arguments: Any) -> Any:
        """Return the value of an expression in the current frame."""
        return await self.send("ExecuteScript", script=f"return {script}", args=list(arguments))

    async def until(self, script: str, *arguments: Any) -> Any:
        """Wait until an expression is true, also while the page is loaded again."""
        async with asyncio.timeout(SECONDS):
            while not (found := await self._value(script, *arguments)):  # noqa: ASYNC110  (another process)
                await asyncio.sleep(0.05)
        return found

    async def _value(self, script: str, *arguments: Any) -> Any:
        try:
            return await self.run(script, *arguments)
        except CommandError as error:
            if not any(sign in str(error) for sign in ("unload", "stale element")):
                raise
            return None

    async def tabs(self, number: int) -> list[str]:
        """Wait until there are so many tabs, and return their names."""
        async with asyncio.timeout(SECONDS):
            while len(found := list(await self.send("GetWindowHandles"))) < number:  # noqa: ASYNC110  (another process)
                await asyncio.sleep(0.05)
        return found

    async def element(self, script: str, *arguments: Any) -> str:
        """Wait for an element, and return the name by which commands know it."""
        return str(next(iter((await self.until(script, *arguments)).values())))

    async def click(self, script: str) -> None:
        """Click an element as a person does, as soon as it can be seen: a frame grows a moment after its content."""
        refused = ""
        try:
            async with asyncio.timeout(SECONDS):
                while True:
                    try:
                        await self.send("ElementClick", id=await self.element(script))
                        return
                    except CommandError as error:
                        refused = str(error)
                        await asyncio.sleep(0.1)
        except TimeoutError:
            raise CommandError(refused) from None

    async def type(self, script: str, text: str) -> None:
        """Click a field, and press the keys of a text: WebKit takes no text for fields in a frame otherwise."""
        await self.click(script)
        await self.press(*text)

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        actions = [{"type": type_, "value": key} for key in keys for type_ in ("keyDown", "keyUp")]
        await self.send("PerformActions", actions=[{"type": "key", "id": "keys", "actions": actions}])

    async def enter_frame(self, script: str) -> None:
        """Look into a frame of the page, until `leave_frame`."""
        await self.send("SwitchToFrame", element=await self.element(script))

    async def leave_frame(self) -> None:
        """Look at the page itself."""
        await self.send("SwitchToFrame", id=None)
