"""The app in front of a provider in this process, and what a person does in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from starlette.testclient import TestClient

from tests.oidc_provider.fake import FakeProvider, back, oidc_settings
from webclient.auth.oidc_provider.provider import Provider
from webclient.runtime.app import create_app
from webclient.servers.config_file import ServerConfig

BASE = "http://127.0.0.1:8765"
CLICK = {
    "Accept": "text/html",
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
}
TYPED = CLICK | {"Sec-Fetch-Site": "none"}
RETURN = CLICK | {"Sec-Fetch-Site": "cross-site"}
TOKEN = "a token that only the operator has"


@dataclass
class Front:
    """The app, its provider, and what a person does in a browser."""

    client: TestClient
    fake: FakeProvider

    def begin(self, page: str = "/", headers: dict[str, str] = CLICK) -> httpx2.Response:
        """Begin a sign-in."""
        return self.client.get("/auth/login", params={"next": page}, headers=headers)

    def answer(self, page: str = "/", **changed: str | None) -> dict[str, str]:
        """Begin a sign-in, and let the provider sign the person in."""
        began = self.begin(page)
        assert began.status_code == 302, began.text
        return self.fake.authorize(began.headers["location"], **changed)

    def come_back(self, answer: dict[str, str]) -> httpx2.Response:
        """Come back from the provider."""
        return self.client.get(back(answer), headers=RETURN)

    def sign_in(self, page: str = "/", **changed: str | None) -> httpx2.Response:
        """Sign in as a person does."""
        return self.come_back(self.answer(page, **changed))

    def me(self) -> Any:
        """Return who is signed in, or the status."""
        response = self.client.get("/api/v1/me", headers={"Sec-Fetch-Site": "same-origin"})
        return response.json() if response.status_code == 200 else response.status_code

    def refusal(self, response: httpx2.Response) -> tuple[int, str]:
        """Return why a sign-in was refused; no user must be signed in then."""
        found = re.search(r'data-refusal="(\w+)"', response.text)
        assert found, response.text
        assert re.search(r'href="/auth/login\?(again=true&amp;)?next=', response.text)
        assert self.me() == 401
        return response.status_code, found[1]

    def audit(self) -> list[tuple[str, str, str]]:
        """Return what the audit trail has, oldest first."""
        store = self.client.app.state.services.store  # type: ignore[attr-defined]
        entries = self.client.portal.call(store.audit.newest)  # type: ignore[union-attr]
        return [(entry.action.value, entry.way, entry.outcome) for entry in reversed(entries)]


Make = Callable[..., Front]


@contextmanager
def served(
    folder: Path,
    fake: FakeProvider | None = None,
    base: str = BASE,
    configured: Sequence[ServerConfig] = (),
    **values: Any,
) -> Iterator[Front]:
    """Serve the app for users of the provider, with the `configured` servers."""
    fake = fake or FakeProvider()
    settings = oidc_settings(folder, fake, token=TOKEN, port=8765, **values)
    app = create_app(settings, configured, provider=Provider(settings, fake.transport))
    with TestClient(app, base_url=base, follow_redirects=False, client=("127.0.0.1", 50000)) as client:
        yield Front(client, fake)


def cookies(response: httpx2.Response) -> dict[str, str]:
    """Return the flags of each cookie that a response sets, without its value."""
    found = (cookie.partition("=") for cookie in response.headers.get_list("set-cookie"))
    return {name: rest.partition(";")[2].strip() for name, _, rest in found}
