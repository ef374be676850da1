"""The pages to which links lead. `_mine` is the check that everything depends on: it is read before anything is shown
or taken.

A link can be forwarded. So the person who opens one must be signed in and must be the one it was made for; otherwise
an attacker could have another person type a key, or connect a drive, into their account (MCP, Elicitation, Phishing).
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from webclient.demo.office.browsers import Browser, Browsers
from webclient.demo.office.elicitations import Elicitation, Elicitations, Task
from webclient.demo.office.oauth import DriveClient, OAuthError
from webclient.demo.office.people import PEOPLE
from webclient.demo.office.vault import Vault
from webclient.demo.site import go_to, page

KEY_LENGTHS = range(8, 201)


class SignInFirstError(Exception):
    """The person is not signed in; `elicitation` is the page to return to."""

    def __init__(self, elicitation: str) -> None:
        self.elicitation = elicitation


class RefusedError(Exception):
    """The page is not shown. `why` names the template's words; `detail` adds to them."""

    def __init__(self, status: int, why: str, browser: Browser, *, elicitation: str = "", detail: str = "") -> None:
        self.status = status
        self.words = {"why": why, "browser": browser, "elicitation_id": elicitation, "detail": detail}


class Pages:
    """The office's pages, for browsers."""

    def __init__(self, browsers: Browsers, elicitations: Elicitations, vault: Vault, drive: DriveClient) -> None:
        self._browsers = browsers
        self._elicitations = elicitations
        self._vault = vault
        self._drive = drive

    def routes(self) -> list[Route]:
        """Return where the pages are."""
        return [
            Route("/", self.home, methods=["GET"]),
            Route("/sign-in", self.sign_in_form, methods=["GET"]),
            Route("/sign-in", self.sign_in, methods=["POST"]),
            Route("/sign-out", self.sign_out, methods=["POST"]),
            Route(f"/{Task.KEY}", self.key_form, methods=["GET"]),
            Route(f"/{Task.KEY}", self.key, methods=["POST"]),
            Route(f"/{Task.CONNECT}", self.connect_form, methods=["GET"]),
            Route(f"/{Task.CONNECT}", self.connect, methods=["POST"]),
            Route("/callback", self.callback, methods=["GET"]),
            Route("/finished", self.finished, methods=["GET"]),
        ]

    async def home(self, request: Request) -> Response:
        """Show what is kept for the person."""
        browser = self._signed_in(request, "")
        return page(
            "office/home.html",
            browser=browser,
            key=self._vault.end_of_key(browser.sub),
            drive=self._vault.drive(browser.sub) is not None,
        )

    async def sign_in_form(self, request: Request) -> Response:
        """Ask who it is."""
        return page("office/sign-in.html", people=PEOPLE, elicitation_id=request.query_params.get("elicitation", ""))

    async def sign_in(self, request: Request) -> Response:
        """Sign in, in the demo by a click, and return to the opened link. Nothing else can be gone on to."""
        form = await request.form()
        sub = str(form.get("person", ""))
        if sub not in PEOPLE:
            return await self.sign_in_form(request)
        elicitation = self._elicitations.find(str(form.get("elicitation", "")))
        response = go_to(f"/{elicitation.task}?elicitation={elicitation.id}" if elicitation else "/")
        self._browsers.sign_in(request, response, sub)
        return response

    async def sign_out(self, request: Request) -> Response:
        """Sign out, and show the sign-in page for the same link."""
        self._browsers.sign_out(request)
        elicitation = self._elicitations.find(str((await request.form()).get("elicitation", "")))
        return go_to(f"/sign-in?elicitation={elicitation.id}" if elicitation else "/sign-in")

    async def key_form(self, request: Request) -> Response:
        """Ask for the key."""
        browser, elicitation = self._mine(request, request.query_params.get("elicitation"), Task.KEY)
        if elicitation.finished:
            return _to_the_end(elicitation)
        return page("office/key.html", browser=browser, elicitation_id=elicitation.id, wrong=None)

    async def key(self, request: Request) -> Response:
        """Store the key for the person who typed it; it is in no page, no log and no message of MCP."""
        form = await request.form()
        browser, elicitation = self._mine(request, str(form.get("elicitation", "")), Task.KEY)
        if elicitation.finished:
            return _to_the_end(elicitation)
        key = str(form.get("key", "")).strip()
        if len(key) not in KEY_LENGTHS or not key.isascii() or not key.isprintable() or " " in key:
            wrong = "A key has 8 to 200 letters, digits and signs, without spaces. What you typed has not been stored."
            return page("office/key.html", status=422, browser=browser, elicitation_id=elicitation.id, wrong=wrong)
        self._vault.set_key(browser.sub, key)
        await self._elicitations.finish(Task.KEY, browser.sub)
        return _to_the_end(elicitation)

    async def connect_form(self, request: Request) -> Response:
        """Say what will happen at Demo Drive. This, and not the authorization URL, is where the link leads."""
        browser, elicitation = self._mine(request, request.query_params.get("elicitation"), Task.CONNECT)
        if elicitation.finished:
            return _to_the_end(elicitation)
        return page("office/connect.html", browser=browser, elicitation_id=elicitation.id)

    async def connect(self, request: Request) -> Response:
        """Redirect to Demo Drive, with an attempt that works in this browser only."""
        form = await request.form()
        browser, elicitation = self._mine(request, str(form.get("elicitation", "")), Task.CONNECT)
        if elicitation.finished:
            return _to_the_end(elicitation)
        return go_to(self._drive.begin(elicitation, browser.session))

    async def callback(self, request: Request) -> Response:
        """Take the person back from Demo Drive, and keep the token under their `sub`."""
        browser = self._signed_in(request, "")
        try:
            began, token = await self._drive.finish(request.query_params, browser.session)
        except OAuthError as error:
            raise RefusedError(400, "sign-in", browser, detail=str(error)) from None
        _, elicitation = self._mine(request, began.id, Task.CONNECT)
        self._vault.connect_drive(browser.sub, token)
        await self._elicitations.finish(Task.CONNECT, browser.sub)
        return _to_the_end(elicitation)

    async def finished(self, request: Request) -> Response:
        """Say that it is done, and that one can go back."""
        browser, elicitation = self._mine(request, request.query_params.get("elicitation"))
        if not elicitation.finished:
            return go_to(f"/{elicitation.task}?elicitation={elicitation.id}")
        key = self._vault.end_of_key(browser.sub)
        return page("office/finished.html", browser=browser, task=elicitation.task, key=key)

    def _signed_in(self, request: Request, elicitation: str) -> Browser:
        browser = self._browsers.of(request)
        if browser is None:
            raise SignInFirstError(elicitation)
        return browser

    def _mine(self, request: Request, name: str | None, task: Task | None = None) -> tuple[Browser, Elicitation]:
        browser = self._signed_in(request, name or "")
        elicitation = self._elicitations.find(name)
        if elicitation is None or task not in (None, elicitation.task):
            raise RefusedError(404, "over", browser)
        if elicitation.requester.sub != browser.sub:
            raise RefusedError(403, "foreign", browser, elicitation=elicitation.id)
        return browser, elicitation


def _to_the_end(elicitation: Elicitation) -> Response:
    return go_to(f"/finished?elicitation={elicitation.id}")


async def sign_in_first(_request: Request, error: Exception) -> Response:
    """Redirect a signed-out person to sign in, and back to the link afterwards."""
    assert isinstance(error, SignInFirstError)  # noqa: S101
    return go_to(f"/sign-in?elicitation={error.elicitation}")


async def refused(_request: Request, error: Exception) -> Response:
    """Say why a page is not shown."""
    assert isinstance(error, RefusedError)  # noqa: S101
    return page("office/refused.html", status=error.status, **error.words)
