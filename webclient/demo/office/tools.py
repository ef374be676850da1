"""The tools. None of them ever sees a key or a password, and none returns a secret: that is what the pages are for."""

from __future__ import annotations

from mcp.server.mcpserver import Context
from mcp.types import InputRequiredResult

from webclient.demo.office.asking import Asking, Outcome
from webclient.demo.office.elicitations import Task
from webclient.demo.office.oauth import DriveClient
from webclient.demo.office.people import requester
from webclient.demo.office.vault import Vault

TYPE_YOUR_KEY = "Please type your key for the weather service. Only the office sees it; no MCP client does."
CONNECT = "Please connect your Demo Drive, so that your files can be listed."
NOT_DONE = {
    Outcome.DECLINE: "Nothing was changed: you declined.",
    Outcome.CANCEL: "Nothing was changed: you cancelled.",
    Outcome.OVER: "Nothing was changed: the link was not used in time.",
}


class Tools:
    """The office's tools, for any person who calls them."""

    def __init__(self, asking: Asking, vault: Vault, drive: DriveClient) -> None:
        self._asking = asking
        self._vault = vault
        self._drive = drive

    async def set_api_key(self, ctx: Context) -> str | InputRequiredResult:
        """Store your key for the weather service. You type it on the office's own page; no client sees it."""
        outcome = await self._asking.ask(ctx, Task.KEY, TYPE_YOUR_KEY)
        if isinstance(outcome, InputRequiredResult):
            return outcome
        if outcome is not Outcome.DONE:
            return NOT_DONE[outcome]
        return f"Your key is set. It ends in {self._vault.end_of_key(requester(ctx).sub)}."

    async def connect_drive(self, ctx: Context) -> str | InputRequiredResult:
        """Connect your Demo Drive. You sign in there, and allow this office to see the names of your files."""
        if self._vault.drive(requester(ctx).sub):
            return "Your Demo Drive is connected."
        outcome = await self._asking.ask(ctx, Task.CONNECT, CONNECT)
        if isinstance(outcome, InputRequiredResult):
            return outcome
        return "Your Demo Drive is connected." if outcome is Outcome.DONE else NOT_DONE[outcome]

    async def list_drive_files(self, ctx: Context) -> list[str]:
        """List the files in your Demo Drive. If it is not connected, you are asked to connect it first."""
        sub = requester(ctx).sub
        token = self._vault.drive(sub)
        files = await self._drive.files(token) if token else None
        if files is None:
            self._vault.disconnect_drive(sub)
            raise self._asking.required(ctx, Task.CONNECT, CONNECT)
        return files

    async def disconnect_drive(self, ctx: Context) -> str:
        """Disconnect your Demo Drive, so that it can be connected again."""
        self._vault.disconnect_drive(requester(ctx).sub)
        return "Your Demo Drive is no longer connected."
