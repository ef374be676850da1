"""A chat app without any framework: a page that embeds the inbox, and a backend for people who are signed in to it.

python examples/start.py plain
"""

from __future__ import annotations

import os
import secrets
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from agent import PEOPLE, ToolUse, reply
from inbox import Inbox, InboxError

PAGE = (Path(__file__).parent / "index.html").read_text()
ORIGIN = os.environ["CHAT_ORIGIN"]
inbox = Inbox.from_environment()
signed_in: dict[str, str] = {}
"""The people of the chat's sessions, by the value of a cookie."""


def answer(person: str, text: str) -> str:
    """Let the agent work until it has something to say; its tools may ask the person on the way."""
    history = [{"role": "user", "content": text}]
    while isinstance(step := reply(history), ToolUse):
        history.append({"role": "tool", "content": inbox.call(person, step.server, step.tool, step.arguments)})
    return step


class Chat(BaseHTTPRequestHandler):
    """The page, and what its script posts."""

    @property
    def session(self) -> str:
        """The cookie of the browser."""
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("chat")
        return cookie.value if cookie else ""

    def do_GET(self) -> None:
        """Send the page."""
        person = signed_in.get(self.session, "")
        page = PAGE.replace("INBOX", inbox.url).replace("NAME", escape(PEOPLE.get(person, "")))
        self.send("text/html; charset=utf-8", page)

    def do_POST(self) -> None:
        """Sign in or out; mint a token or let the agent answer, for the person of the session and no other."""
        text = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        person = signed_in.get(self.session)
        if self.headers.get("Origin") != ORIGIN:
            # Another site's page, in the browser of a person who is signed in here.
            self.send_error(403)
        elif self.path == "/sign-in" and text in PEOPLE:
            signed_in[session := secrets.token_urlsafe(32)] = text
            self.send("text/plain", "", f"chat={session}; HttpOnly; SameSite=Strict")
        elif person is None:
            self.send_error(401)
        elif self.path == "/sign-out":
            del signed_in[self.session]
            inbox.sign_out(person)
            self.send("text/plain", "")
        elif self.path == "/inbox-token":
            self.send("text/plain", inbox.token(person))
        else:
            try:
                self.send("text/plain; charset=utf-8", answer(person, text))
            except InboxError as error:
                self.send("text/plain; charset=utf-8", f"That did not work. {error}")

    def send(self, kind: str, text: str, cookie: str = "") -> None:
        """Send a text."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_arguments: object) -> None:
        """Write nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["CHAT_PORT"])), Chat).serve_forever()
