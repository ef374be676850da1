"""The questions and calls that the screenshots show: an afternoon with five servers."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

import httpx2

from tests.loopback import tls
from tests.mcp_servers import ROOT
from tests.program import Api, Program
from tests.screenshots.clock import Clock
from tests.screenshots.protected_wiki import LABEL
from webclient.domain.model import Json

NOW = datetime(2026, 11, 20, 13, 20, 11, tzinfo=UTC)
"""The moment of all pictures."""

LABELS = {
    "trips": "Demo trips",
    "office": "Demo office",
    "hostile": "Hostile server",
    "billing": "Billing",
    "deploy": "Deploy bot",
}
OTHER_DAY = {"checkAlternative": True, "alternativeDate": "2026-12-26"}

REQUESTS: list[tuple[int, str, str, str, Json]] = [
    # It has been waiting for 52 of the 60 minutes that its server waits.
    (52, "refund", "Billing", "refund_order", {"order": 4711, "amount": 1240}),
    (26, "password", "Hostile server", "password_form", {}),
    (17, "invoice", "Billing", "send_invoice", {"invoice": 2608}),
    (16, "opened", "Demo office", "set_api_key", {}),
    (12, "fields", "Demo trips", "every_field", {}),
    (9, "guests", "Demo trips", "reserve_table", {"restaurant": "Alfama"}),
    (6, "link", "Demo office", "connect_drive", {}),
    (4, "disguised", "Hostile server", "disguised_link", {}),
    (3, "branch", "Deploy bot", "delete_branch", {"branch": "release/2.3"}),
    (2, "deployment", "Deploy bot", "deploy", {"version": "2.4.1", "environment": "production"}),
    (1, "booking", "Demo trips", "book_trip", {"date": "2027-12-24"}),
]
"""The questions that wait: minutes before the pictures, a name, the server, the tool and its arguments."""


def servers() -> Json:
    """Return the servers that the scene adds to the demo, for an mcp.json."""
    return {
        name: {
            "command": sys.executable,
            "args": ["-m", "tests.screenshots.workplace", name],
            "cwd": str(ROOT),
            "label": label,
            "era": era,
        }
        for name, label, era in (("billing", "Billing", "2025-11-25"), ("deploy-bot", "Deploy bot", "2026-07-28"))
    }


class Scene:
    """Runs calls at moments of the scene's clock."""

    def __init__(self, served: Program, clock: Clock) -> None:
        self._served = served
        self._clock = clock
        self.ids: dict[str, str] = {}

    def ago(self, minutes: float) -> None:
        """Set the clock to so many minutes before the pictures."""
        self._clock.set(NOW - timedelta(minutes=minutes))

    async def connect(self) -> None:
        """Wait until all servers are connected."""
        async with self._served.client() as api:
            for name, label in LABELS.items():
                self.ids[name] = await api.server(label)

    async def prepare(self) -> None:
        """Run the calls; `ids` then has what the addresses of the pages name."""
        async with self._served.client() as api:
            await self._ended_calls(api)
            await self._pending_calls(api)
        self.ago(0)

    async def protect(self, address: str) -> None:
        """Add a server that wants a sign-in, and wait until it can be opened."""
        async with self._served.client() as api:
            transport = {"type": "http", "url": address}
            server = await api.json("POST", "/servers", 201, json={"label": LABEL, "transport": transport})
            await api.json("POST", f"/servers/{server['id']}/connect", 202)
            async with api.stream("GET", "/events", timeout=None) as events:
                lines = events.aiter_lines()
                while not server.get("auth"):
                    await anext(lines)
                    server = await api.json("GET", f"/servers/{server['id']}")
        self.ids["sign-in"] = server["auth"]["id"]

    async def run(self, scene: str) -> None:
        """Run a scene of the guided demo, as a browser does."""
        await self._press("/demo/run", scene)

    async def stop(self, scene: str) -> None:
        """Stop a scene of the guided demo, as a browser does."""
        await self._press("/demo/stop", scene)

    async def _press(self, path: str, scene: str) -> None:
        async with httpx2.AsyncClient(base_url=self._served.base, verify=tls()) as browser:
            await browser.get(self._served.login)
            same_site = {"Sec-Fetch-Site": "same-origin"}
            response = await browser.post(path, data={"scene": scene}, headers=same_site)
            assert response.status_code == 303, response.text

    async def _ended_calls(self, api: Api) -> None:
        self.ago(64)
        booked = await api.call("Demo trips", "book_trip", {"date": "2026-12-24"})
        [request] = await api.pending_requests(booked)
        self.ago(63.4)
        await api.answer(request, action="accept", content=OTHER_DAY)
        await api.in_state(booked, "done")
        self.ago(47)
        failed = await api.call("Demo trips", "book_trip", {"date": "tomorrow"})
        await api.in_state(failed, "done")
        self.ago(45)
        declined = await api.call("Demo trips", "book_trip", {"date": "2026-12-25"})
        [no] = await api.pending_requests(declined)
        self.ago(44.2)
        await api.answer(no, action="decline")
        await api.in_state(declined, "done")
        self.ago(31)
        postcard = await api.call("Demo trips", "postcard", {"destination": "Lisbon"})
        await api.in_state(postcard, "done")
        self.ids |= {
            "booked": booked["id"],
            "answered": request["id"],
            "failed": failed["id"],
            "postcard": postcard["id"],
        }

    async def _pending_calls(self, api: Api) -> None:
        for minutes, name, label, tool, arguments in REQUESTS:
            self.ago(minutes)
            call = await api.call(label, tool, arguments)
            requests = await api.pending_requests(call)
            self.ids |= {name: min(requests, key=_sentence)["id"], f"call-{name}": call["id"]}
        self.ago(15)
        await api.answer({"id": self.ids["opened"]}, action="accept")


def _sentence(request: Json) -> str:
    return str(request["params"]["message"])
