"""Nodes that share a PostgreSQL: any node answers for any user, and what one holds outlives it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest

from tests.cluster import bad_luck
from tests.cluster.nodes import Cluster, Node, cluster, sent_by
from tests.cluster.people import Tally
from tests.gateway.agents import connected, token
from tests.gateway.houses import open_requests
from tests.gateway.test_agent_calls import call_id, fetched
from tests.gateway.test_approvals import ASK, PAY, counting, put_rules, ran
from tests.loopback import tls
from tests.mcp_servers import STATE_KEY, asker_entries
from tests.postgresql import PostgreSQL
from tests.process import PROGRAM, environment
from tests.program import PATIENCE, Api
from webclient.cluster import Hop, Hops
from webclient.domain.model import Era, Json
from webclient.store import Sealer

pytestmark = pytest.mark.anyio


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of an empty database."""
    with postgresql.database() as name:
        yield postgresql.url(name)


@pytest.fixture(scope="module")
def stopping() -> Iterator[PostgreSQL]:
    """A server that these tests stop."""
    server = PostgreSQL()
    yield server
    server.close()


def servers() -> Json:
    """Return the servers, which know after a restart what they have asked before it."""
    return asker_entries("--state-key", STATE_KEY)


async def until_answered(api: Api, request: Json) -> Json:
    """Answer a request, again while its user is moving."""
    while True:
        response = await api.post(f"/requests/{request['id']}/answer", json={"action": "decline"})
        if response.status_code != 503:
            assert response.status_code == 200, response.text
            answered: Json = response.json()
            return answered
        await asyncio.sleep(float(response.headers["Retry-After"]))


async def until_in_state(api: Api, call: Json, *states: str) -> Json:
    """Wait until a call is in one of the states, also while its user moves."""
    while True:
        response = await api.get(f"/calls/{call['id']}", params={"wait": 5})
        if response.status_code == 200 and response.json()["state"] in states:
            found: Json = response.json()
            return found
        await asyncio.sleep(0.1)


async def test_any_node_shows_and_answers_what_another_holds(tmp_path: Path, url: str) -> None:
    """To the user whose it is, also on event streams."""
    async with cluster(tmp_path, url, 2, servers()) as nodes:
        first, second = nodes.nodes
        async with first.api("ada") as here, second.api("ada") as there:
            for label in ("push", "rounds"):
                call = await here.call(label, "ask_form")
                [request] = await there.pending_requests(call)
                await there.answer(request, action="decline")
                assert (await there.in_state(call, "done"))["state"] == "done"
            hers = await _streamed(here, there)
            [her_request] = await here.pending_requests(hers)
        async with second.api("bob") as bob, first.api("bob") as bob_elsewhere:
            his = await bob.call("rounds", "ask_form")
            [his_request] = await bob_elsewhere.pending_requests(his)
            for api in (bob, bob_elsewhere):
                await api.json("GET", f"/requests/{her_request['id']}", 404)
                await api.json("GET", f"/requests/{his_request['id']}")


async def _streamed(here: Api, there: Api) -> Json:
    """Start a call that asks on one node, and wait until an event stream of another shows its question."""
    async with asyncio.timeout(PATIENCE), there.stream("GET", "/events", timeout=None) as events:
        call = await here.call("push", "ask_form")
        event = ""
        async for line in events.aiter_lines():
            if event == "event: request" and call["id"] in line:
                break
            event = line if line.startswith("event:") else event
    return call


async def _waiting(node: Node, label: str) -> tuple[Json, Json]:
    """Have a call of Ada's wait for her on this node; return the call and the request."""
    async with node.api("ada") as api:
        call = await api.call(label, "ask_form")
        [request] = await api.pending_requests(call)
        return call, request


async def _ends_elsewhere(nodes: Cluster, call: Json, request: Json) -> str:
    """Answer at the other node, and return the state in which the call ends there."""
    async with nodes.nodes[1].api("ada") as api:
        await until_answered(api, request)
        return str((await until_in_state(api, call, "done", "interrupted"))["state"])


async def test_a_round_outlives_the_polite_end_of_its_node(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 2, servers()) as nodes:
        call, request = await _waiting(nodes.nodes[0], "rounds")
        await nodes.nodes[0].end(signal.SIGTERM)
        assert await _ends_elsewhere(nodes, call, request) == "done"


async def test_a_round_outlives_the_death_of_its_node_but_no_push(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 2, servers()) as nodes:
        call, request = await _waiting(nodes.nodes[0], "rounds")
        pushed_call, pushed = await _waiting(nodes.nodes[0], "push")
        await nodes.nodes[0].end(signal.SIGKILL)
        async with nodes.nodes[1].api("ada") as api:
            # No user has to come: the other node takes over what has something open.
            assert (await until_in_state(api, pushed_call, "interrupted"))["state"] == "interrupted"
            ended = await api.json("GET", f"/requests/{pushed['id']}")
            assert (ended["state"], ended["reason_code"]) == ("interrupted", "client_stopped")
        assert await _ends_elsewhere(nodes, call, request) == "done"


async def test_a_frozen_node_changes_nothing_when_it_wakes(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 2, servers()) as nodes:
        frozen, other = nodes.nodes
        call, request = await _waiting(frozen, "rounds")
        frozen.send(signal.SIGSTOP)
        try:
            async with other.api("ada") as there:
                # Not known to have begun, and not known not to: it is not begun once more.
                body = {"server_id": call["server_id"], "kind": "tool", "name": "ask_form", "arguments": {}}
                assert (await there.post("/calls", json=body)).status_code == 503
            assert await _ends_elsewhere(nodes, call, request) == "done"
        finally:
            frozen.send(signal.SIGCONT)
        async with frozen.api("ada") as api, other.api("ada") as there:
            assert (await until_in_state(api, call, "done"))["state"] == "done"
            again = await api.call("rounds", "ask_form")
            [request] = await there.pending_requests(again)
            await there.answer(request, action="decline")
            await api.in_state(again, "done")


FORM = {
    "kind": "form",
    "message": "Which city?",
    "requestedSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
}


async def test_a_program_asks_a_user_of_another_node(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 2, {}, "--admin", "root") as nodes:
        first, second = nodes.nodes
        async with first.api("root") as root, second.api("ada") as ada:
            me = await ada.json("GET", "/me")
            wanted = {"label": "Chat app", "scopes": ["ask"], "may_ask": "everyone"}
            token = await root.json("POST", "/tokens", 201, json=wanted)
            async with first.api("") as agent:
                agent.headers = {"Authorization": f"Bearer {token['secret']}"}
                request = await agent.json("POST", "/requests", 201, json={**FORM, "user_id": me["user_id"]})
                async with asyncio.TaskGroup() as group:
                    waits = group.create_task(agent.json("GET", f"/requests/{request['id']}", params={"wait": 60}))
                    await ada.answer(request, action="accept", content={"city": "Rome"})
                assert waits.result()["content"] == {"city": "Rome"}
                another = await agent.json("POST", "/requests", 201, json={**FORM, "user_id": me["user_id"]})
            assert (await root.delete(f"/tokens/{token['id']}")).status_code == 204
            withdrawn = await ada.json("GET", f"/requests/{another['id']}", params={"wait": 60})
            assert withdrawn["state"] == "withdrawn"
            trail = await root.json("GET", "/audit")
            assert [each["action"] for each in trail["entries"]].count("requested") == 2


async def test_an_agent_reaches_its_user_on_another_node(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 2, servers()) as nodes:
        first, second = nodes.nodes
        async with first.api("ada") as here:
            await here.server("push")
            secret = await token(here)
            for era in (Era.PUSH, Era.ROUNDS):
                async with connected(second.url, secret, "push", era) as agent, asyncio.TaskGroup() as tasks:
                    calling = tasks.create_task(agent.call_tool("ask_form", {}))
                    (request,) = await open_requests(here)
                    await here.answer(request, action="accept", content={"name": "Ann"})
                    assert (await calling).structured_content == {"action": "accept", "content": {"name": "Ann"}}


async def test_an_approval_decided_on_another_node_runs_once(tmp_path: Path, url: str) -> None:
    """Also if the node where the user lived dies between the decision and the call."""
    async with cluster(tmp_path, url, 2, counting(tmp_path)) as nodes:
        first, second = nodes.nodes
        async with first.api("ada") as here:
            await here.server("bank")
            await put_rules(here, ASK)
            secret = await token(here, patience=1)
            async with connected(second.url, secret, "bank") as agent, asyncio.TaskGroup() as tasks:
                calling = tasks.create_task(agent.call_tool("pay", {**PAY, "to": "AT1"}))
                (request,) = await open_requests(here)
                await here.answer(request, action="accept", digest=request["digest"])
                await calling
                await fetched(agent, str(request["call_id"]))
                waiting = call_id(await agent.call_tool("pay", PAY))
            (request,) = await open_requests(here)
            await here.answer(request, action="accept")
        assert ran(tmp_path) == [("pay", {**PAY, "to": "AT1"})]
        await first.end(signal.SIGKILL)
        async with second.api("ada") as there:
            found = await until_in_state(there, {"id": waiting}, "running", "input_required")
            assert found["execution"] == "waits"
            async with connected(second.url, secret, "bank") as agent:
                await fetched(agent, waiting)
            assert (await until_in_state(there, {"id": waiting}, "done"))["execution"] == "ran"
        assert ran(tmp_path) == [("pay", {**PAY, "to": "AT1"}), ("pay", PAY)]


async def test_administrators_see_all_processes_and_who_is_on_any(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 3, {}, "--admin", "root") as nodes:
        first, second, third = nodes.nodes
        async with first.api("root") as root, second.api("ada") as ada:
            me = await ada.json("GET", "/me")
            # Ada lives on the process that she came to, and not on the one that is asked.
            found = {user["id"]: user for user in (await root.json("GET", "/users"))["users"]}
            assert found[me["user_id"]]["here"] is True
        await third.end(signal.SIGTERM)
        async with httpx2.AsyncClient(headers=sent_by("root"), verify=tls()) as browser:
            page = (await browser.get(f"{first.url}/admin")).text
        shown = re.findall(
            r'data-state="(here|away)">\s*<div class="person__names"><span class="person__name" dir="ltr">([^<]+)', page
        )
        assert sorted(shown) == sorted([("here", first.url), ("here", second.url), ("away", third.url)])


async def test_processes_with_other_settings_are_noticed(tmp_path: Path, url: str) -> None:
    """In the log of each, and on the page of all processes, until they are the same again."""
    (tmp_path / "other.json").write_text('{"mcpServers": {}}', "utf-8")
    async with cluster(tmp_path, url, 1, servers(), "--admin", "root") as nodes:
        [first] = nodes.nodes
        async with httpx2.AsyncClient(verify=tls()) as probe:
            response = await probe.get(f"{first.url}/readyz")
            assert response.json() == {"database": "ok", "loop": "ok", "node": "ok"}
        nodes.own["node-1"] = ["--config", str(tmp_path / "other.json"), "--public-url", "http://localhost"]
        second = await nodes.add()
        async with httpx2.AsyncClient(headers=sent_by("root"), verify=tls()) as browser:
            page = (await browser.get(f"{first.url}/admin")).text
            [names] = re.findall(r"person__warning[^>]*>[^<]*: ([^<]+)<", page)
            assert names == "WEBCLIENT_CONFIG, WEBCLIENT_PUBLIC_URL"
            for node, other in ((first, second), (second, first)):
                await until_logged(node, f"The process at {other.url} differs from this one in: {names}")
            # A reload makes the files the same again, and says so.
            (tmp_path / "other.json").write_bytes((tmp_path / "mcp.json").read_bytes())
            async with first.api("root") as root:
                await root.json("POST", "/reload")
            await until_logged(first, f"The process at {second.url} differs from this one in: WEBCLIENT_PUBLIC_URL\n")


async def until_logged(node: Node, words: str) -> None:
    """Wait until a node has written these words."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if words in node.errors.read_text("utf-8"):
                return
            await asyncio.sleep(0.1)


async def test_answers_are_counted_while_nodes_die(tmp_path: Path, url: str) -> None:
    tally = await bad_luck.run(tmp_path, url, answers=60, people=3, agents=3, seed=4)
    assert tally.wrong == []
    assert tally.answered >= 60
    assert tally.at_servers >= sum(number for end, number in tally.ended.items() if end.endswith(" done"))
    assert tally.luck.total()
    assert any(end.startswith("agent ") for end in tally.ended)


def test_a_ledger_shows_what_is_asked_or_sent_twice(tmp_path: Path) -> None:
    tally, ledger = Tally(1), tmp_path / "ledger"
    tally.ends = {"a": "done", "b": "done", "c": "interrupted"}
    ledger.write_text("asked a\ngot a: a\nasked b\ngot b: b\nasked c\n", "utf-8")
    tally.compare(ledger)
    assert (tally.wrong, tally.at_servers) == ([], 2)
    ledger.write_text("asked a\nasked a\nasked c\ngot c: c\ngot c: c\ngot b: x\n", "utf-8")
    tally.compare(ledger)
    assert tally.wrong == ["asked a: 2 times", "got c: c: 2 times", "b: it got x", "a: done without an answer"]


def test_a_hop_is_good_for_one_node_method_and_address_only() -> None:
    sealer = Sealer({"k": bytes(32)})
    hops = {name: Hops(sealer, name, lambda: 7.0) for name in ("a", "b")}
    hop = Hop("ada", None, ("192.0.2.7", 5), "https")
    header = hops["a"].seal(hop, "b", "POST", b"/requests/r1/answer")
    assert hops["b"].open(header, "POST", b"/requests/r1/answer") == hop
    for node, method, target, given in (
        ("a", "POST", b"/requests/r1/answer", header),
        ("b", "GET", b"/requests/r1/answer", header),
        ("b", "POST", b"/requests/r2/answer", header),
        ("b", "POST", b"/requests/r1/answer", header[:-1]),
        ("b", "POST", b"/requests/r1/answer", ""),
    ):
        assert hops[node].open(given, method, target) is None


def test_a_hop_ends_after_half_a_minute() -> None:
    moments = iter([0.0, 29.0, 31.0])
    hops = Hops(Sealer({"k": bytes(32)}), "a", lambda: next(moments))
    header = hops.seal(Hop("ada", None, None, "http"), "a", "GET", b"/")
    assert hops.open(header, "GET", b"/")
    assert hops.open(header, "GET", b"/") is None


async def test_a_process_with_other_keys_does_not_start(tmp_path: Path, url: str) -> None:
    """It says why, and that waiting would not help."""
    async with cluster(tmp_path, url, 1) as nodes:
        [node] = nodes.nodes
        other = nodes.options(node, "http://127.0.0.1:9")
        keys = {"WEBCLIENT_SECRET_KEYS": "k1:" + "QUJE" * 10 + "QUI="}
        line = [*PROGRAM, "serve", "--data-dir", str(tmp_path / "other"), *other, "--port", "0"]
        started = await anyio.run_process(line, env=environment(**keys), check=False)
        said = started.stderr.decode()
        assert (started.returncode, "WEBCLIENT_SECRET_KEYS" in said) == (2, True), said
        assert "Traceback" not in said


async def test_a_hop_of_a_stranger_is_refused(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 1) as nodes:
        [node] = nodes.nodes
        hop = Hop("ada", None, ("127.0.0.1", 1), "http")
        forged = Hops(Sealer({"k1": bytes(32)}), "", time.time).seal(hop, node.url, "GET", b"/api/v1/me")
        async with node.api("") as stranger:
            stranger.headers = {"X-Webclient-Hop": forged}
            await stranger.json("GET", "/me", 400)


async def test_a_node_that_others_cannot_reach_is_waited_for(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 2) as nodes:
        cut_off, other = nodes.nodes
        async with cut_off.api("ada") as here, other.api("ada") as there:
            await here.json("GET", "/me")
            # It goes on in the database, so its users stay: only the way to it is cut.
            cut_off.send(signal.SIGSTOP)
            try:
                waits = asyncio.create_task(there.get("/me"))
                await asyncio.wait([waits], timeout=1)
                assert not waits.done()
            finally:
                cut_off.send(signal.SIGCONT)
            assert (await waits).status_code == 200


async def test_a_node_at_a_wrong_address_is_answered_for_with_503(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 2) as nodes:
        first, second = nodes.nodes
        await first.end(signal.SIGTERM)
        # The discard port: nothing listens there.
        nodes.more = ["--node-url", "http://127.0.0.1:9"]
        await first.start()
        async with first.api("ada") as here, second.api("ada") as there:
            await here.json("GET", "/me")
            response = await there.get("/me")
            assert (response.status_code, response.headers["Retry-After"]) == (503, "1")


async def test_nodes_go_on_after_the_database_was_away(tmp_path: Path, stopping: PostgreSQL) -> None:
    with stopping.database() as name:
        async with cluster(tmp_path, stopping.url(name), 2, servers()) as nodes:
            call, request = await _waiting(nodes.nodes[0], "rounds")
            stopping.stop()
            # Longer than the others would wait before they take users over.
            await asyncio.sleep(12)
            stopping.start()
            assert await _ends_elsewhere(nodes, call, request) == "done"


async def test_the_only_node_goes_on_after_it_was_frozen(tmp_path: Path, url: str) -> None:
    async with cluster(tmp_path, url, 1, servers()) as nodes:
        [node] = nodes.nodes
        call, request = await _waiting(node, "rounds")
        node.send(signal.SIGSTOP)
        # It ends the sessions of its users when it wakes.
        await asyncio.sleep(9)
        node.send(signal.SIGCONT)
        async with node.api("ada") as api:
            await until_answered(api, request)
            assert (await until_in_state(api, call, "done", "interrupted"))["state"] == "done"


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]


async def test_a_node_ends_its_sessions_while_the_database_hangs(tmp_path: Path, stopping: PostgreSQL) -> None:
    with stopping.database() as name:
        async with cluster(tmp_path, stopping.url(name), 1, servers()) as nodes:
            [node] = nodes.nodes
            async with node.api("ada") as api:
                # One that still connects may be writing, and ends once the database answers.
                for label in servers():
                    await api.server(label)
            children = _children(node.pid)
            assert children
            with stopping.frozen():
                ends = [os.pidfd_open(child) for child in children]
                async with asyncio.timeout(PATIENCE):
                    for end in ends:
                        await anyio.wait_readable(end)
                        os.close(end)
