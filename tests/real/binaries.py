"""Servers that npm carries as a program: on the C# SDK and on the Go SDK."""

from __future__ import annotations

import json

from tests.real.published import CANCEL, DECLINE, NODE, NOWHERE, PUSH, ROUNDS, Dialogue, Published, accept, each

_KUBERNETES = str(NODE / "kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64")
_CLUSTER = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "here",
    "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
    "clusters": [{"name": "here", "cluster": {"server": f"http://{NOWHERE}"}}],
    "users": [{"name": "me", "user": {"token": "none"}}],
}
_RULES = '[[confirmation_rules]]\ntool = "configuration_view"\nmessage = "Show the configuration?"\n'
_OPTIONS = ("--kubeconfig", "{folder}/cluster.json", "--config", "{folder}/rules.toml")
_SECRET = {"subscription": "none", "vault": "safe", "secret": "door", "retry-max-retries": 0}

SERVERS = [
    Published(
        name="kubernetes-mcp-server",
        package="kubernetes-mcp-server-linux-amd64",
        sdk="Go SDK",
        command=(_KUBERNETES, *_OPTIONS),
        listening={"http": (_KUBERNETES, *_OPTIONS, "--port", "{port}", "--bind-address", "127.0.0.1")},
        eras={"http": (PUSH,)},
        files={"cluster.json": json.dumps(_CLUSTER), "rules.toml": _RULES},
        remark="Cannot ask in 2026-07-28; the card suggests 2025-11-25.",
        dialogues={
            PUSH: each(
                "configuration_view",
                {},
                (accept(), "current-context: here"),
                (DECLINE, "requires confirmation"),
                (CANCEL, "requires confirmation"),
            ),
            ROUNDS: (Dialogue("configuration_view", {}, (), "", PUSH),),
        },
    ),
    Published(
        name="Azure MCP",
        package="@azure/mcp-linux-x64",
        sdk="C# SDK",
        command=(str(NODE / "@azure/mcp-linux-x64/dist/azmcp"), "server", "start", "--tool", "keyvault_secret_get"),
        # Without the last it would look for a sign-in in places that are not on this machine.
        environment={"AZURE_MCP_COLLECT_TELEMETRY": "false", "AZURE_TOKEN_CREDENTIALS": "AzureCliCredential"},
        remark="Goes on with Reject, too: only Decline and Cancel stop it. What goes on fails, as there is no Azure.",
        dialogues={
            PUSH: each(
                "keyvault_secret_get",
                _SECRET,
                (accept(decision="accept"), "127.0.0.1:9"),
                (accept(decision="reject"), "127.0.0.1:9"),
                (DECLINE, "cancelled"),
                (CANCEL, "cancelled"),
            )
        },
    ),
]
