"""A program with several users behind a proxy, for the pictures of the administrators' pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from tests.loopback import tls
from tests.program import Program, program

LONG = "maximiliana.von-und-zu-hohenlohe+procurement@subsidiary.international-logistics.example.com"
PEOPLE = (
    ("ada", "Ada Byron", "ada@example.com"),
    ("grace", "Grace Hopper", "grace.hopper@example.com"),
    ("wang", "王小明", "xiaoming.wang@example.cn"),
    ("layla", "ليلى بنت محمد الحسيني", "layla@example.ae"),
    (LONG, "", LONG),
)
"""The subject, name and e-mail address of each user: scripts of both directions, and an address without a name."""

OPTIONS = ("--identity", "local", "--identity", "proxy", "--auth-header", "Remote-User", "--trusted-proxy", "127.0.0.1")


@asynccontextmanager
async def company(folder: Path, under: Sequence[str] = (), *, forked: bool = True) -> AsyncIterator[Program]:
    """Run the program; the user of the token is an administrator."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_AUTH_NAME_HEADER", "Remote-Name")
        environment.setenv("WEBCLIENT_AUTH_EMAIL_HEADER", "Remote-Email")
        async with program(folder, options=OPTIONS, under=under, forked=forked) as served:
            yield served


async def come(served: Program, people: Sequence[tuple[str, str, str]]) -> list[str]:
    """Let each of these people come once; return the ids of their users."""
    async with httpx2.AsyncClient(base_url=served.base, verify=tls()) as client:
        return [await _come(client, *person) for person in people]


async def _come(client: httpx2.AsyncClient, subject: str, name: str, email: str) -> str:
    named = {"Remote-User": subject, "Remote-Name": name, "Remote-Email": email}
    response = await client.get("/api/v1/me", headers={key.encode(): value.encode() for key, value in named.items()})
    return str(response.raise_for_status().json()["user_id"])


async def press(served: Program, path: str) -> None:
    """Post an empty form as the user of the token."""
    headers = {"Sec-Fetch-Site": "same-origin", "User-Agent": "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Firefox/140.0"}
    async with httpx2.AsyncClient(base_url=served.base, verify=tls(), headers=headers) as client:
        await client.get(served.login)
        response = await client.post(path)
        assert response.status_code == 303, response.text
