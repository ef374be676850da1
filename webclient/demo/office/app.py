"""Puts the office together: an MCP endpoint for clients, pages for browsers, and one set of people behind both."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from webclient.demo.office.asking import Asking
from webclient.demo.office.browsers import Browsers
from webclient.demo.office.elicitations import Elicitations
from webclient.demo.office.oauth import DriveClient, Registration
from webclient.demo.office.pages import Pages, RefusedError, SignInFirstError, refused, sign_in_first
from webclient.demo.office.people import Tokens
from webclient.demo.office.tools import Tools
from webclient.demo.office.vault import Vault
from webclient.demo.server import request_state_security
from webclient.demo.shelf import Clock
from webclient.demo.site import middleware
from webclient.support.paths import STATIC

STORES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
READS = ToolAnnotations(read_only_hint=True, open_world_hint=True)


class Office:
    """The office at `origin`, whose people have these `tokens` and whose drives are `registration.issuer`'s."""

    def __init__(
        self, origin: str, registration: Registration, tokens: Mapping[str, str], clock: Clock = time.monotonic
    ) -> None:
        self.origin = origin
        self.vault = Vault()
        self.elicitations = Elicitations(clock)
        self._drive = DriveClient(registration, clock)
        self._server = self._create_server(tokens)
        self._pages = self._create_pages(registration.issuer)

    def app(self) -> Starlette:
        """Return the office as an ASGI application. The checks of pages are not those of the MCP endpoint."""
        endpoint = self._server.streamable_http_app(host=str(urlsplit(self.origin).hostname))

        @asynccontextmanager
        async def lifespan(_app: Starlette) -> AsyncIterator[None]:
            async with self._server.session_manager.run():
                yield

        return Starlette(routes=[Route("/mcp", endpoint), Mount("/", self._pages)], lifespan=lifespan)

    def _create_server(self, tokens: Mapping[str, str]) -> MCPServer[Any]:
        server: MCPServer[Any] = MCPServer(
            name="mcp-webclient-demo-office",
            title="Demo office",
            description="Keeps a key and looks into a drive, and asks for both where no client can see it.",
            instructions="Call list_drive_files: the drive has to be connected first, on a page that opens.",
            version=version("mcp-webclient"),
            log_level="WARNING",
            token_verifier=Tokens(tokens, self.origin),
            # No resource_server_url: tokens cannot be requested here, they come with the demo.
            auth=AuthSettings(issuer_url=AnyHttpUrl(self.origin), resource_server_url=None),
            request_state_security=request_state_security(),
        )
        tools = Tools(Asking(self.origin, self.elicitations), self.vault, self._drive)
        server.add_tool(tools.set_api_key, title="Set your API key", annotations=STORES, structured_output=False)
        server.add_tool(tools.connect_drive, title="Connect your drive", annotations=STORES, structured_output=False)
        server.add_tool(tools.list_drive_files, title="List the files in your drive", annotations=READS)
        server.add_tool(tools.disconnect_drive, title="Disconnect your drive", annotations=STORES)
        return server

    def _create_pages(self, drive: str) -> Starlette:
        parts = urlsplit(self.origin)
        pages = Pages(Browsers(parts.port or 443), self.elicitations, self.vault, self._drive)
        return Starlette(
            routes=[*pages.routes(), Mount("/static", StaticFiles(directory=STATIC / "css"))],
            middleware=middleware(host=str(parts.hostname), forms_lead_to=[drive]),
            exception_handlers={SignInFirstError: sign_in_first, RefusedError: refused},
        )
