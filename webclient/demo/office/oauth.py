"""The office as a client of Demo Drive's authorization server: authorization code with PKCE (RFC 9700, section 2.1.1).

Every attempt is bound to the browser that began it, for one use and ten minutes. That is what stops an attacker from
beginning here and having another finish, or from finishing with a code of their own.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import httpx2
from mcp.client.auth.oauth2 import PKCEParameters
from mcp.shared.auth import OAuthToken
from pydantic import ValidationError

from webclient.demo.office.elicitations import Elicitation
from webclient.demo.shelf import Clock, Shelf

ATTEMPT_SECONDS = 10 * 60
ROOM = 1000


class OAuthError(Exception):
    """No token was issued; the message tells the person why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """The authorization server, as the office knows it, and the office's registration there."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    files_endpoint: str
    client_id: str
    client_secret: str
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """An authorization request that is on its way, and the browser session that it began in."""

    elicitation: Elicitation
    browser: str
    code_verifier: str


class DriveClient:
    """Asks for people's consent, and for their files."""

    def __init__(self, registration: Registration, clock: Clock = time.monotonic) -> None:
        self._registration = registration
        self._attempts = Shelf[Attempt](seconds=ATTEMPT_SECONDS, room=ROOM, clock=clock)

    def begin(self, elicitation: Elicitation, browser: str) -> str:
        """Return where to send the browser. The code verifier stays here, and `state` says nothing to anybody else."""
        pkce = PKCEParameters.generate()
        request = {
            "response_type": "code",
            "client_id": self._registration.client_id,
            "redirect_uri": self._registration.redirect_uri,
            "state": self._attempts.put(Attempt(elicitation, browser, pkce.code_verifier)),
            "code_challenge": pkce.code_challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._registration.authorization_endpoint}?{urlencode(request)}"

    async def finish(self, answer: Mapping[str, str], browser: str) -> tuple[Elicitation, str]:
        """Return the elicitation that the browser came back for, and the access token. Raises OAuthError."""
        attempt = self._attempts.take(answer.get("state"))
        if attempt is None or attempt.browser != browser:
            raise OAuthError("This sign-in was not begun in this browser, or it was used already, or it took too long.")
        if answer.get("iss") != self._registration.issuer:
            raise OAuthError("The answer came from another service than the one that was asked.")
        if "code" not in answer:
            raise OAuthError("Demo Drive was not allowed to show your files to this office.")
        return attempt.elicitation, await self._exchange(answer["code"], attempt.code_verifier)

    async def files(self, token: str) -> list[str] | None:
        """Return the names of the files; None when the token is no longer good."""
        async with _http() as http:
            response = await http.get(self._registration.files_endpoint, headers={"Authorization": f"Bearer {token}"})
        if response.status_code == httpx2.codes.UNAUTHORIZED:
            return None
        response.raise_for_status()
        return [str(name) for name in response.json()["files"]]

    async def _exchange(self, code: str, code_verifier: str) -> str:
        known = self._registration
        request = {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": code_verifier,
            "redirect_uri": known.redirect_uri,
            "client_id": known.client_id,
            "client_secret": known.client_secret,
        }
        try:
            async with _http() as http:
                response = await http.post(known.token_endpoint, data=request)
            return OAuthToken.model_validate_json(response.raise_for_status().content).access_token
        except (httpx2.HTTPError, ValidationError):
            # What went wrong may hold the code or the token, so it goes nowhere.
            raise OAuthError("Demo Drive did not accept the sign-in.") from None


def _http() -> httpx2.AsyncClient:
    # On this machine; a proxy of the environment has no business here.
    return httpx2.AsyncClient(timeout=10, trust_env=False, follow_redirects=False)
