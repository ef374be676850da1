"""Servers on version 2 of the TypeScript SDK."""

from __future__ import annotations

from tests.real.published import CANCEL, DECLINE, NOWHERE, PUSH, ROUNDS, Dialogue, Published, accept, each, node
from webclient.domain.model import Json

_MONGODB = node("mongodb-mcp-server/dist/esm/index.js", "--telemetry", "disabled", "--loggers", "stderr")
_ENVIRONMENT = {"MDB_MCP_CONNECTION_STRING": f"mongodb://{NOWHERE}/?serverSelectionTimeoutMS=100"}
_SHOP: Json = {"connectionId": "preconfigured", "database": "shop"}
_DROP = each(
    "drop-database",
    _SHOP,
    (accept(confirmation="Yes"), "Could not connect to MongoDB"),
    (accept(confirmation="No"), "User did not confirm"),
    (DECLINE, "User did not confirm"),
    (CANCEL, "User did not confirm"),
)

SERVERS = [
    Published(
        name="mongodb-mcp-server",
        package="mongodb-mcp-server",
        sdk="TypeScript SDK 2",
        listening={"http": (*_MONGODB, "--transport", "http", "--httpPort", "{port}")},
        environment=_ENVIRONMENT,
        remark="What is accepted fails, as there is no database.",
        dialogues={PUSH: _DROP, ROUNDS: _DROP},
    ),
    Published(
        name="mongodb-mcp-server over stdio",
        package="mongodb-mcp-server",
        sdk="TypeScript SDK 2",
        command=_MONGODB,
        environment=_ENVIRONMENT,
        remark="Acts without asking in 2026-07-28, which it announces: to be asked, choose 2025-11-25.",
        # In 2026-07-28 over stdio it does not see what a client can do.
        dialogues={PUSH: _DROP, ROUNDS: (Dialogue("drop-database", _SHOP, (), "Could not connect to MongoDB"),)},
    ),
    Published(
        name="coolify-mcp",
        package="@masonator/coolify-mcp",
        sdk="TypeScript SDK 2",
        command=node("@masonator/coolify-mcp/dist/index.js"),
        environment={"COOLIFY_BASE_URL": f"http://{NOWHERE}", "COOLIFY_ACCESS_TOKEN": "none"},
        remark="What is accepted fails, as there is no Coolify.",
        dialogues={
            PUSH: each(
                "stop_all_apps",
                {"confirm": True},
                (accept(), "Failed to connect"),
                (DECLINE, "the user declined"),
                (CANCEL, "the user cancelled"),
            )
        },
    ),
    Published(
        name="context7-mcp",
        package="@upstash/context7-mcp",
        sdk="TypeScript SDK 2",
        command=node("@upstash/context7-mcp/dist/index.js"),
        # It would go through a proxy to this machine, too.
        environment={"CONTEXT7_API_URL": "{stub}", "HTTPS_PROXY": ""},
        remark="Asks beside its call, whose result does not wait for the answer; it takes the answer afterwards.",
        dialogues={
            PUSH: tuple(
                Dialogue(
                    "resolve-library-id",
                    {"query": "forms", "libraryName": "htmx"},
                    (answer,),
                    "No libraries found",
                    beside=True,
                )
                for answer in (accept(choice="Continue anonymously with smaller limits"), DECLINE, CANCEL)
            )
        },
    ),
]
