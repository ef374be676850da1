"""A plugin of ContextForge: before each tool call it asks the inbox of mcp-webclient, and stops what is not approved.

The token is in the variable INBOX_TOKEN, all else in plugins.yaml. It needs no packages but those of ContextForge.
"""

import asyncio
import json
import os
import urllib.error
import urllib.request
import uuid
from typing import Any

from cpex.framework import Plugin, PluginContext, PluginViolation, ToolPreInvokePayload, ToolPreInvokeResult

REFUSED = 403


class Approvals(Plugin):
    """Asks about each call with its name and arguments; a person or a rule decides."""

    async def tool_pre_invoke(self, payload: ToolPreInvokePayload, context: PluginContext) -> ToolPreInvokeResult:
        """Let the call go on, or stop it with the words for the model."""
        params = {"name": payload.name, "arguments": payload.args or {}}
        words = await asyncio.to_thread(self._denial, params, context.global_context.user)
        if words is None:
            return ToolPreInvokeResult()
        violation = PluginViolation(reason="Not approved", description=words, code="NOT_APPROVED", details={})
        return ToolPreInvokeResult(continue_processing=False, violation=violation)

    def _denial(self, params: dict[str, Any], user: Any) -> str | None:
        """Return why the call may not run; None if it may. What fails is an error, which ends the call as well."""
        config = self.config.config or {}
        headers = {
            "Authorization": f"Bearer {os.environ['INBOX_TOKEN']}",
            "Content-Type": "application/json",
            # How long it waits, in the words of Envoy; the inbox answers before that.
            "x-envoy-expected-rq-timeout-ms": str(1000 * config["seconds"]),
        }
        if config.get("user_header"):
            headers[config["user_header"]] = str(user or "")
        message = {"jsonrpc": "2.0", "id": uuid.uuid4().hex, "method": "tools/call", "params": params}
        address = f"{config['inbox']}/api/v1/authorize/{config['server']}"
        asking = urllib.request.Request(address, json.dumps(message).encode(), headers, method="POST")
        try:
            with urllib.request.urlopen(asking, timeout=config["seconds"]):
                return None
        except urllib.error.HTTPError as answer:
            if answer.code != REFUSED:
                raise
            return str(json.load(answer)["error"]["message"])
