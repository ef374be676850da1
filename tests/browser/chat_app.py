"""A chat app on another site: its page embeds the inbox, and its backend mints tokens for the person at it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from tests.embedders.minting import minted
from tests.mcp_servers import ROOT
from webclient.domain.model import Json

PAGE = """<!doctype html><html lang="en"><title>Chat</title>
<style>body { font: 16px sans-serif; margin: 8px } {style}</style>
<h1>Chat</h1>
<button id="before">Before</button>
<mcp-inbox id="inbox" src="{base}/embed/chat" get-token="/token?sub={sub}" label="Questions" {more}></mcp-inbox>
<button id="after">After</button>
<script>
  window.events = []
  const inbox = document.getElementById("inbox")
  for (const type of ["ready", "pending", "settled", "call", "token-needed", "error", "leave", "covered", "state"]) {
    inbox.addEventListener(type, ({ detail }) => events.push({ type, ...detail }))
  }
</script>
<script type="module" src="{module}"></script>
{script}
"""

MODULE = ROOT / "static" / "embed" / "mcp-inbox.js"
"""The element, which the app also serves itself as "/mcp-inbox.js"."""


@dataclass
class ChatApp:
    """The app; `base` is the address of the inbox that it embeds."""

    base: str
    port: int = 0
    claims: Json = field(default_factory=dict)
    minted: int = 0

    @property
    def origin(self) -> str:
        """The origin of its pages: another site than 127.0.0.1."""
        return f"http://localhost:{self.port}"

    def url(self, *, host: str = "localhost", **parameters: str) -> str:
        """Return the address of a page.

        The person is `sub`; the element has `more` attributes, and the page a `style`, a `script`, and a `module` with
        the element, by default that of the inbox.
        """
        query = json.dumps({"sub": "ada"} | parameters)
        return f"http://{host}:{self.port}/{query.encode().hex()}"

    def token(self, sub: str, **claims: str) -> str:
        """Mint a token as the backend of the app does."""
        self.minted += 1
        return minted(origin=self.origin, sub=sub, **self.claims | claims)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            target = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            kind, body = self._answer(target)
            writer.write(
                f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode() + body.encode()
            )
            await writer.drain()
        writer.close()

    def _answer(self, target: str) -> tuple[str, str]:
        parts = urlsplit(target)
        if parts.path == "/token":
            return "text/plain", self.token(parse_qs(parts.query)["sub"][0])
        if parts.path == "/mcp-inbox.js":
            return "text/javascript", MODULE.read_text("utf-8")
        given = {"sub": "ada", "more": "", "style": "", "script": "", "module": f"{self.base}/embed/v1.js"}
        with suppress(ValueError):
            given |= json.loads(bytes.fromhex(parts.path[1:]))
        page = PAGE.replace("{base}", self.base)
        for name, value in given.items():
            page = page.replace(f"{{{name}}}", value)
        return "text/html; charset=utf-8", page


@asynccontextmanager
async def chat_app() -> AsyncIterator[ChatApp]:
    """Run the app while the block runs; its `base` is set when the inbox has started."""
    app = ChatApp("")
    server = await asyncio.start_server(app.handle, "127.0.0.1", 0)
    app.port = server.sockets[0].getsockname()[1]
    async with server:
        yield app
