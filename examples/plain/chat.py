"""A chat app without any framework: a page that embeds the inbox, and a backend for people who are signed in to it.

make example-plain, or make example-messenger, which has another page.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Thread
from urllib.parse import urlsplit

from agent import PEOPLE, Message, ToolUse, reply
from inbox import Inbox, InboxError

PAGE = Path("index.html").read_text("utf-8")
"""The page of the folder in which this program is started."""

ORIGIN = os.environ["CHAT_ORIGIN"]
inbox = Inbox.from_environment()


class Conversation:
    """The messages of one person and the agent; a real app has them in a database."""

    def __init__(self, person: str) -> None:
        self._person = person
        self._messages: list[Message] = []
        self._changed = Condition()

    def say(self, role: str, text: str) -> None:
        """Add a message."""
        with self._changed:
            self._messages.append({"role": role, "content": text})
            self._changed.notify_all()

    def after(self, number: int) -> list[Message]:
        """Return the messages after that many; wait half a minute for some."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._messages) > number, timeout=30)
            return self._messages[number:]

    def answer(self, text: str) -> None:
        """Let the agent work until it has something to say; its tools may ask the person on the way."""
        history = [{"role": "user", "content": text}]
        try:
            while isinstance(step := reply(history), ToolUse):
                result = inbox.call(self._person, step.server, step.tool, step.arguments)
                history.append({"role": "tool", "content": result})
        except InboxError as error:
            step = f"That did not work. {error}"
        self.say("assistant", step)


conversations = {person: Conversation(person) for person in PEOPLE}
signed_in: dict[str, str] = {}
"""The people of the chat's sessions, by the value of a cookie."""


class Chat(BaseHTTPRequestHandler):
    """The page, and the requests of its script."""

    @property
    def session(self) -> str:
        """The cookie of the browser."""
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("chat")
        return cookie.value if cookie else ""

    @property
    def person(self) -> str:
        """The person who is signed in, or an empty text."""
        return signed_in.get(self.session, "")

    def do_GET(self) -> None:
        """Send the page, or the messages of the person's conversation."""
        parts = urlsplit(self.path)
        if parts.path == "/":
            page = PAGE.replace("INBOX", inbox.url).replace("NAME", escape(PEOPLE.get(self.person, "")))
            self.send("text/html; charset=utf-8", page)
        elif parts.path == "/said" and parts.query.isdecimal() and self.person:
            self.send("application/json", json.dumps(conversations[self.person].after(int(parts.query))))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        """Sign in or out, mint a token, or let the agent answer: for the person of the session and no other."""
        text = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        if self.headers.get("Origin") != ORIGIN:
            # The page of another site, in the browser of a person who is signed in here.
            self.send_error(403)
        elif self.path == "/sign-in" and text in PEOPLE:
            signed_in[session := secrets.token_urlsafe(32)] = text
            self.send("text/plain", "", f"chat={session}; HttpOnly; SameSite=Strict")
        elif not (person := self.person):
            self.send_error(401)
        elif self.path == "/sign-out":
            del signed_in[self.session]
            inbox.sign_out(person)
            self.send("text/plain", "")
        elif self.path == "/inbox-token":
            self.send("text/plain", inbox.token(person))
        elif self.path == "/say":
            conversations[person].say("user", text)
            # The person may take hours to answer, and may close the page meanwhile.
            Thread(target=conversations[person].answer, args=[text], daemon=True).start()
            self.send("text/plain", "")

    def send(self, kind: str, text: str, cookie: str = "") -> None:
        """Send a text, unless the browser has left."""
        with suppress(ConnectionError):
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
