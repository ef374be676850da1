"""Agents of users whose nodes are killed: each call is sent until its result is there, and the person is asked once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from json import JSONDecodeError

import httpx2

from tests.cluster.nodes import Node
from tests.cluster.people import GONE, PAUSE, Person
from tests.gateway.agents import ByHand, message_in
from webclient.domain.model import Era, Json, now

CALL = "mcp-webclient/call"

IMPATIENT = 2.0
"""Seconds after which some requests of an agent are given up, and sent again."""

PATIENT = 60.0

_AGAIN = ("Send it again", "not connected", "has gone", "ession", "Try again in a moment")
"""Words of errors after which the same call may be sent again."""

ERAS = (Era.ROUNDS, Era.ROUNDS, Era.PUSH)


@dataclass
class AgentOfPerson(Person):
    """An agent that calls at whichever node answers, and the person for whom it works, who answers by the inbox."""

    secret: str = ""
    seen: set[str] = field(default_factory=set)
    story: list[str] = field(default_factory=list)
    """The messages of its newest call: what was sent, and what came."""

    async def run(self) -> None:
        """Call until enough is answered."""
        body = {"label": "Agent", "scopes": ["gateway"], "patience": 1}
        self.secret = await self._until("POST", "/tokens", lambda made: made["secret"], json=body)
        answering = asyncio.create_task(self._answer_all())
        try:
            await super().run()
        finally:
            answering.cancel()
            await asyncio.wait([answering])

    async def _answer_all(self) -> None:
        """Answer all questions, each after a random time."""
        while True:
            found = await self._send("GET", "/requests?state=pending") or {"requests": []}
            for request in found["requests"]:
                if request["id"] not in self.seen and self.dice.random() < 0.5:
                    body = {"action": "accept", "content": {"name": request["params"]["message"]}}
                    if await self._send("POST", f"/requests/{request['id']}/answer", json=body):
                        self.seen.add(request["id"])
            await asyncio.sleep(self.dice.uniform(0, 2))

    async def _one(self, label: str, text: str) -> None:
        """Have one call made, however often it has to be sent, and look what has become of it."""
        await self._until("GET", "/servers", lambda found: _is_there(found, label))
        self.story = []
        result = await self._result(label, text)
        calls = await self._calls(text)
        self.tally.made[text] = len(calls)
        wrong = len(self.tally.wrong)
        self._judge(label, text, result, calls)
        if len(self.tally.wrong) > wrong:
            self.tally.wrong += self.story

    async def _result(self, label: str, text: str) -> Json:
        """Send the call, and fetch its result if the person is being asked; go away now and then."""
        arguments = {"text": text, "ledger": str(self.ledger)}
        call_id = ""
        while True:
            params: Json = {"name": "ask_noted", "arguments": arguments}
            if call_id and self.dice.random() < 0.7:
                params = {"name": "await_answer", "arguments": {"call": call_id, "wait": self.dice.choice((0, 1, 5))}}
            else:
                # The equal call may be a new one, whose id is in its response.
                call_id = ""
            answer = await self._sent(label, params)
            result = (answer or {}).get("result")
            if answer is None or _is_to_be_repeated(answer):
                await asyncio.sleep(PAUSE)
            elif result is None:
                self.tally.wrong.append(f"{text}: {answer}")
                return {}
            elif CALL in result.get("_meta", {}):
                call_id = result["_meta"][CALL]
            else:
                return dict(result)

    async def _sent(self, label: str, params: Json) -> Json | None:
        """Return the response of some node; None if it is lost, or was not waited for."""
        began, node = now(), self._some_node()
        timeout = IMPATIENT if self.dice.random() < 0.2 else PATIENT
        answer = await self._tried(node, label, params, timeout)
        self.story.append(f"{began:%T.%f} to {now():%T.%f}, {node.url}, {params}: {answer}")
        return answer

    async def _tried(self, node: Node, label: str, params: Json, timeout: float) -> Json | None:  # noqa: ASYNC109
        headers = {"Authorization": f"Bearer {self.secret}"}
        try:
            async with httpx2.AsyncClient(headers=headers, timeout=timeout) as http:
                agent = ByHand(http, f"{node.url}/mcp/{label}", self.dice.choice(ERAS))
                if agent.era is Era.PUSH:
                    await agent.begin()
                response = await agent.send("tools/call", params)
                if agent.session:
                    await http.delete(f"{node.url}/mcp/{label}", headers=agent.headers("", {}))
            return None if response.status_code in (*GONE, 409) else message_in(response)
        except (httpx2.TransportError, AssertionError, JSONDecodeError, IndexError):
            # The node was not there, refused it, or ended the response before there was one.
            return None

    async def _calls(self, text: str) -> list[Json]:
        found = await self._until("GET", "/calls", lambda found: found)
        return [call for call in found["calls"] if (call["arguments"] or {}).get("text") == text]

    def _judge(self, label: str, text: str, result: Json, calls: list[Json]) -> None:
        is_done = not result.get("isError")
        if is_done and text not in str(result):
            self.tally.wrong.append(f"{text}: its agent got {result}")
        states = [call["state"] for call in calls]
        if states.count("done") > 1:
            self.tally.twice.append(text)
        if bool(states.count("done")) != is_done or any(state not in ("done", "interrupted") for state in states):
            self.tally.wrong.append(f"{text}: its agent got {result} of calls that ended {states}")
        newest, *earlier = sorted(calls, key=lambda call: call["created_at"], reverse=True) or [{}]
        if any(call["updated_at"] > newest["created_at"] for call in earlier):
            self.tally.wrong.append(f"{text}: two calls of it ran at once")
        state = "done" if is_done else newest.get("state", "never made")
        self.tally.ended[f"agent {label} {state}"] += 1
        self.tally.ends[text] = state


def _is_there(found: Json, label: str) -> bool:
    return any(each["label"] == label and each["state"] == "connected" for each in found["servers"])


def _is_to_be_repeated(answer: Json) -> bool:
    """Return whether this program says that the call may be sent again: its server is not connected, or it moves."""
    if error := answer.get("error"):
        return any(words in error["message"] for words in _AGAIN)
    result = answer.get("result") or {}
    return bool(result.get("isError")) and any(
        words in str(result.get("content")) for words in ("not connected", "moving to another process")
    )
