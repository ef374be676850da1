"""A chat app in one file: a page that embeds the inbox, and a backend that mints tokens and calls an MCP tool.

    python examples/plain/chat.py

starts mcp-webclient as well, and prints the address of the page. Needs what mcp-webclient needs, and nothing else.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jwt

PORT = int(os.environ.get("CHAT_PORT", "8700"))
ISSUER = "https://plain.example.com"
SECRET = secrets.token_hex(32)  # shared by the two programs alone
PERSON = "ada"  # in a real app: the person of the app's own session


class Chat(ThreadingHTTPServer):
    """The backend; `inbox` is the address of mcp-webclient."""

    inbox = ""

    @property
    def origin(self) -> str:
        """The origin of the page. Another site than the inbox, so that nothing is shared by accident."""
        return f"http://localhost:{self.server_address[1]}"

    def token(self, scope: str) -> str:
        """Mint a token for the person: for this audience, this origin, two minutes, and one use."""
        now = int(time.time())
        claims = {"iss": ISSUER, "sub": PERSON, "aud": "mcp-inbox", "iat": now, "exp": now + 120}
        claims |= {"jti": secrets.token_urlsafe(16), "origin": self.origin, "scope": scope}
        return jwt.encode(claims, SECRET, "HS256")

    def api(self, method: str, path: str, body: Any = None, session: str = "") -> Any:
        """Send a request to the API of the inbox, and return its JSON."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {session}"} if session else {})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.inbox}/api/v1{path}", data, headers, method=method)  # noqa: S310
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return json.load(answer)

    def book(self) -> str:
        """Run a tool as the person; it asks them on the way, and this waits for as long as they take."""
        session = self.api("POST", "/sessions", {"token": self.token("calls")})["token"]
        while not (servers := self.connected(session)):
            time.sleep(0.2)
        body = {"server_id": servers[0]["id"], "kind": "tool", "name": "book_trip", "arguments": {"date": "2026-12-24"}}
        call = self.api("POST", "/calls", body, session)
        while call["state"] in ("running", "input_required"):
            call = self.api("GET", f"/calls/{call['id']}?wait=30", session=session)
        texts = [block["text"] for block in (call.get("result") or {}).get("content", []) if block["type"] == "text"]
        return " ".join(texts) or call["state"]

    def connected(self, session: str) -> list[Any]:
        """Return the person's servers that are connected; the first visit connects them."""
        return [
            each for each in self.api("GET", "/servers", session=session)["servers"] if each["state"] == "connected"
        ]


class Pages(BaseHTTPRequestHandler):
    """The page, the token for the element, and the button."""

    server: Chat

    def do_GET(self) -> None:
        """Send the page."""
        page = (Path(__file__).parent / "index.html").read_text().replace("INBOX", self.server.inbox)
        self.answer("text/html; charset=utf-8", page)

    def do_POST(self) -> None:
        """Mint a token, or book the trip. Other sites' pages get nothing: browsers say where a request comes from."""
        if self.headers.get("Origin") != self.server.origin:
            self.send_error(403)
        elif self.path == "/inbox-token":
            self.answer("text/plain", self.server.token("inbox"))
        else:
            self.answer("text/plain; charset=utf-8", self.server.book())

    def answer(self, kind: str, text: str) -> None:
        """Send a text."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


def main() -> None:
    """Start both programs, until this one is ended."""
    chat = Chat(("127.0.0.1", PORT), Pages)
    signal.signal(signal.SIGTERM, lambda *_arguments: sys.exit())
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "mcp.json": {"mcpServers": {"trips": {"command": sys.executable, "args": ["-m", "webclient.demo"]}}},
            "embedders.json": {
                "plain": {
                    "issuer": ISSUER,
                    "origins": [chat.origin],
                    "secret_env": "PLAIN_SECRET",
                    "may": ["inbox", "calls"],
                }
            },
        }
        for name, content in files.items():
            (Path(folder) / name).write_text(json.dumps(content))
        command = [sys.executable, "-m", "webclient", "serve", "--port", "0", "--data-dir", f"{folder}/data"]
        command += ["--config", f"{folder}/mcp.json", "--embedders", f"{folder}/embedders.json"]
        environment = os.environ | {"PLAIN_SECRET": SECRET}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as inbox:  # noqa: S603
            try:
                for line in inbox.stdout or ():
                    if line.startswith("Ready: "):
                        parts = urlsplit(line.removeprefix("Ready: "))
                        chat.inbox = f"{parts.scheme}://{parts.netloc}"
                        print(f"Chat: {chat.origin}", flush=True)  # noqa: T201
                        chat.serve_forever()
            except KeyboardInterrupt:
                pass
            finally:
                inbox.terminate()


if __name__ == "__main__":
    main()
