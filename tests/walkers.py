"""The principals that walk through the routes: none, people, programs of each scope, and frames of each scope.

None of them is Ada: people, programs and frames act for other users, so what is Ada's must not exist for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tests.embedders.minting import ISSUER, ORIGIN, SECRET, minted
from webclient.auth import Scope, new_token
from webclient.domain.model import EVERYONE
from webclient.services import Services

EMBEDDER = "chat"
SECRET_NAME = "TWO_USERS_CHAT"
FRAME_SCOPES = ("inbox:read", "inbox", "ask", "calls")


@dataclass(frozen=True, slots=True)
class Walker:
    """One principal by its name in the table, with the headers by which it is identified."""

    name: str
    headers: Mapping[str, str] = field(default_factory=dict)


NOBODY = Walker("not signed in")
ADA = Walker("ada", {"Remote-User": "ada"})
BOB = Walker("another user", {"Remote-User": "bob"})
ROOT = Walker("administrator", {"Remote-User": "root"})


def embedders_file(folder: Path) -> Path:
    """Write the file with the application whose frames walk; its secret is in `SECRET_NAME`."""
    chat = {"issuer": ISSUER, "origins": [ORIGIN], "secret_env": SECRET_NAME, "may": FRAME_SCOPES}
    folder.mkdir(exist_ok=True)
    path = folder / "embedders.json"
    path.write_text(json.dumps({EMBEDDER: chat}), "utf-8")
    return path


async def programs(services: Services, user_id: str, admin_id: str) -> list[Walker]:
    """Make a program of each scope, and one that may ask all users; the last two are an administrator's."""
    found = []
    for scope in Scope:
        owner = admin_id if scope is Scope.ADMIN else user_id
        token, secret = new_token(owner, f"program that may {scope}", [scope])
        await services.store.of(owner).tokens.add(token, secret)
        found.append(Walker(f"token `{scope}`", {"Authorization": f"Bearer {secret}"}))
    token, secret = new_token(admin_id, "program that may ask all users", [Scope.ASK], [EVERYONE])
    await services.store.of(admin_id).tokens.add(token, secret)
    return [*found, Walker("token that asks all users", {"Authorization": f"Bearer {secret}"})]


async def frames(client: httpx2.AsyncClient) -> list[Walker]:
    """Begin a session of the embedding application with each scope."""
    found = []
    for scope in FRAME_SCOPES:
        answer = await client.post("/api/v1/sessions", json={"token": minted(sub="bob", scope=scope)})
        assert answer.status_code == 201, answer.text
        # The session must go by its Bearer alone.
        client.cookies.clear()
        found.append(Walker(f"frame `{scope}`", {"Authorization": f"Bearer {answer.json()['token']}"}))
    return found


SECRETS = {SECRET_NAME: SECRET}
"""The environment in which the app must start."""
