"""Servers on version 1 of the TypeScript SDK: the reference server, and the examples that the SDK's package brings."""

from __future__ import annotations

from tests.mcp_servers import ROOT
from tests.real.published import (
    ACCEPT,
    CANCEL,
    DECLINE,
    NODE,
    PUSH,
    ROUNDS,
    Dialogue,
    Published,
    accept,
    each,
    node,
    writes,
)

_SDK = "@modelcontextprotocol/sdk"
_EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js"
_PERSON = {"name": "Ada Lovelace", "check": True, "integer": 42, "number": 2.5, "email": "ada@example.com"}
_USER = {"username": "ada", "email": "ada@example.com", "password": "correct horse"}
_ADDRESS = {"name": "Ada", "street": "St. James's Square 12", "city": "London", "state": "LN", "zipCode": "00000"}

_ORDERS = each("order", {}, (accept(drink="tea", cups=2), {"action": "accept", "content": {"drink": "tea", "cups": 2}}))
_NO_ORDERS = each("order", {}, (DECLINE, '"action":"decline"'), (CANCEL, '"action":"cancel"'))


def _example(name: str) -> dict[str, tuple[str, ...]]:
    return {"http": node(f"{_SDK}/dist/esm/examples/server/{name}.js")}


SERVERS = [
    Published(
        name="server-everything",
        package="@modelcontextprotocol/server-everything",
        sdk="TypeScript SDK 1",
        command=node(_EVERYTHING),
        listening={"http": node(_EVERYTHING, "streamableHttp"), "sse": node(_EVERYTHING, "sse")},
        environment={"PORT": "{port}"},
        dialogues={
            PUSH: (
                *each(
                    "trigger-elicitation-request",
                    {},
                    (accept(**_PERSON), {"action": "accept", "content": _PERSON}),
                    (DECLINE, '"action": "decline"'),
                    (CANCEL, '"action": "cancel"'),
                ),
                *each(
                    "trigger-url-elicitation",
                    {"url": "https://example.com/terms"},
                    (ACCEPT, "accept"),
                    (DECLINE, "decline"),
                    (CANCEL, "cancel"),
                ),
                *each(
                    "trigger-sampling-request",
                    {"prompt": "Say hello", "maxTokens": 20},
                    (writes("Hello there"), writes("Hello there")["content"]),
                    (DECLINE, "-1: User rejected sampling request"),
                    (CANCEL, "-1: The request was not answered"),
                ),
            )
        },
    ),
    Published(
        name="toolWithSampleServer",
        package=_SDK,
        sdk="TypeScript SDK 1",
        command=node(f"{_SDK}/dist/esm/examples/server/toolWithSampleServer.js"),
        dialogues={
            PUSH: each(
                "summarize",
                {"text": "A long text."},
                (writes("Short"), "Short"),
                (DECLINE, "User rejected sampling request"),
            )
        },
    ),
    Published(
        name="elicitationFormExample",
        package=_SDK,
        sdk="TypeScript SDK 1",
        listening=_example("elicitationFormExample"),
        environment={"PORT": "{port}"},
        dialogues={
            PUSH: (
                *each(
                    "register_user",
                    {},
                    (
                        accept(**_USER, interests=["ai", "mobile"]),
                        "Username: ada\nEmail: ada@example.com\nNewsletter: No",
                    ),
                    (DECLINE, "Registration cancelled by user."),
                    (CANCEL, "Registration was cancelled."),
                ),
                Dialogue(
                    "create_event",
                    {},
                    (accept(title="Tea"), accept(date="2026-12-24", startTime="16:00", duration=90)),
                    {"title": "Tea", "date": "2026-12-24", "startTime": "16:00", "duration": 90},
                ),
                Dialogue("create_event", {}, (accept(title="Tea"), DECLINE), "Event creation cancelled."),
                *each("update_shipping_address", {}, (accept(**_ADDRESS), _ADDRESS)),
            )
        },
    ),
    Published(
        name="simpleStreamableHttp",
        package=_SDK,
        sdk="TypeScript SDK 1",
        listening=_example("simpleStreamableHttp"),
        environment={"MCP_PORT": "{port}"},
        dialogues={
            PUSH: (
                *each(
                    "collect-user-info",
                    {"infoType": "preferences"},
                    (accept(theme="dark", frequency="weekly"), {"theme": "dark", "frequency": "weekly"}),
                    (DECLINE, "User declined preferences"),
                    (CANCEL, "cancelled by the user"),
                ),
                *each(
                    "collect-user-info",
                    {"infoType": "feedback"},
                    (accept(rating=5, recommend=False), {"rating": 5, "recommend": False}),
                ),
            )
        },
    ),
    Published(
        name="elicitationUrlExample",
        package=_SDK,
        sdk="TypeScript SDK 1",
        listening=_example("elicitationUrlExample"),
        environment={"MCP_PORT": "{port}", "MCP_AUTH_PORT": "{second port}"},
        signs_in=True,
        remark="Asks with error -32042 each time that it is called, so the link is declined.",
        dialogues={PUSH: each("payment-confirm", {"cartId": "7"}, (DECLINE, -32042), (CANCEL, -32042))},
    ),
    Published(
        name="a server of ours",
        package="tmcp",
        sdk="tmcp",
        ours=True,
        command=("node", str(ROOT / "tests/real/ours.mjs"), str(NODE)),
        dialogues={
            PUSH: (*_ORDERS, *_NO_ORDERS),
            ROUNDS: (*_ORDERS, *_NO_ORDERS),
        },
    ),
]
