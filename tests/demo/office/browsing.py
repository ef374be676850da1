"""A person's browser without a window: it keeps cookies, follows links, and presses buttons that are on the page."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx2

from tests.loopback import tls
from webclient.domain.model import Json

OWN = {"Sec-Fetch-Site": "same-origin"}
"""Headers of a browser when a form is sent from the site that it is sent to."""


@dataclass
class Form:
    """A form on a page: where it goes, what it holds, and its buttons by their words."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    buttons: dict[str, dict[str, str]] = field(default_factory=dict)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._button: dict[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(given["action"]))
        elif tag == "input":
            self.forms[-1].values[given["name"]] = given.get("value", "")
        elif tag == "button":
            self._button = {given["name"]: given["value"]} if "name" in given else {}

    def handle_data(self, data: str) -> None:
        if self._button is not None:
            self.forms[-1].buttons[data.strip()] = self._button
            self._button = None


class Browsing:
    """One browser profile."""

    def __init__(self) -> None:
        self._http = httpx2.AsyncClient(follow_redirects=True, trust_env=False, timeout=30, verify=tls())
        self.page = httpx2.Response(204)
        self.visited: list[httpx2.Response] = []
        self._http.event_hooks["response"].append(self._note)

    async def _note(self, response: httpx2.Response) -> None:
        self.visited.append(response)

    @property
    def url(self) -> str:
        """What the address bar says."""
        return str(self.page.url)

    @property
    def heading(self) -> str:
        """The heading of the page."""
        [heading] = re.findall(r"<h1>(.*?)</h1>", self.page.text)
        return html.unescape(heading)

    @property
    def cookies(self) -> httpx2.Cookies:
        """The cookies of this profile."""
        return self._http.cookies

    def forms(self) -> list[Form]:
        """Return the forms on the page."""
        found = _Forms()
        found.feed(self.page.text)
        return found.forms

    async def open(self, url: str) -> httpx2.Response:
        """Open an address, as one who clicked a link."""
        self.page = await self._http.get(url)
        return self.page

    async def press(self, button: str, *, follow: bool = True, **typed: str) -> httpx2.Response:
        """Fill in the form that has this button, and press it."""
        [form] = [form for form in self.forms() if button in form.buttons]
        return await self.post(form.action, form.values | typed | form.buttons[button], follow=follow)

    async def post(
        self, action: str, values: Json, *, follow: bool = True, headers: dict[str, str] | None = None
    ) -> httpx2.Response:
        """Send a form from the page that is open."""
        there = self.page.url.join(action)
        answer = await self._http.post(
            there, data=values, headers=OWN if headers is None else headers, follow_redirects=follow
        )
        if follow:
            self.page = answer
        return answer

    async def sign_in(self, link: str, name: str) -> None:
        """Open a link of the office, and sign in there as `name`."""
        await self.open(link)
        assert self.heading == "Who are you?"
        await self.press(f"Sign in as {name}")

    async def allow_drive(self, link: str, name: str, *, follow: bool = True) -> httpx2.Response:
        """Go the whole way to the consent at Demo Drive, and allow."""
        await self.sign_in(link, name)
        await self.press("Continue to Demo Drive")
        await self.press(f"{name.lower()}@drive.example")
        return await self.press("Allow", follow=follow)

    async def close(self) -> None:
        """Close the browser."""
        await self._http.aclose()
