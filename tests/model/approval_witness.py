"""A server by hand whose one tool `act` writes down each run, and whose description changes on command.

`python -m tests.model.approval_witness TESTIMONY CONTROL ERA [http PORT]`: as `witness`. A run is in the file before
its result goes out, and after a pause of a random length, so that a fault may come before, between and after.
"""

from __future__ import annotations

import asyncio
import random
import sys
from typing import Any

from tests.model.listening import listen
from tests.model.witness import Json, Send, Witness

PAUSES = (0, 0, 0.001, 0.01)
"""Seconds before and after a run."""


class ApprovalWitness(Witness):
    """Runs what it is called with, and says so."""

    def __init__(self, testimony: str, era: str) -> None:
        super().__init__(testimony, era)
        self._version = 1
        self._listed = 0

    def control(self, command: Json) -> None:
        """Change the tool, or do what a witness does."""
        if command["do"] != "renew":
            super().control(command)
            return
        self._version += 1
        for send in self.listeners:
            send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    def _plain(self, method: str) -> Json:
        answer = super()._plain(method)
        if method == "tools/list":
            schema = {"type": "object", "properties": {"tag": {"type": "string"}, "amount": {"type": "integer"}}}
            self._listed = self._version
            tool = {"name": "act", "description": f"Act, version {self._version}.", "inputSchema": schema}
            answer["result"]["tools"] = [tool]
        elif "capabilities" in answer.get("result", {}):
            answer["result"]["capabilities"] = {"tools": {"listChanged": True}}
        return answer

    async def _call(self, call_id: object, params: Json, send: Send) -> None:
        arguments: dict[str, Any] = params.get("arguments") or {}
        listed = self._listed
        await asyncio.sleep(random.choice(PAUSES))  # noqa: S311  (no secret)
        self.testify("ran", arguments=arguments, version=self._version, listed=listed)
        await asyncio.sleep(random.choice(PAUSES))  # noqa: S311  (no secret)
        result = {"resultType": "complete", "content": [], "structuredContent": {"did": arguments}}
        send({"jsonrpc": "2.0", "id": call_id, "result": result})


if __name__ == "__main__":
    file, socket, spoken, *way = sys.argv[1:]
    asyncio.run(listen(ApprovalWitness(file, spoken), socket, *way))
