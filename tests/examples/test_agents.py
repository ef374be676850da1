"""Published agent frameworks at their default settings behind the gateway, and a person in Chromium who answers."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.gateway.agents import token
from tests.mcp_servers import ROOT
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

AGENTS = ("openai-agents", "pydantic-ai", "langchain", "crewai", "fastmcp", "vercel", "claude")
BUILT = ROOT / "build/examples/agents"
ENDS = ("The travel desk says: ", "A person is being asked", "That took", "I have no tool")
"""Beginnings of the answers of the scripted model."""

OUTLASTING = 6.0
"""Seconds that are more than the gateway lets an agent wait, and than the least patient one does."""

LASTING = AGENTS if os.environ.get("EVERY_AGENT") else ("openai-agents", "langchain")
"""Agents whose question lasts: the least patient one and one of 2025-11-25, or all in `make agents`."""

Start = Callable[..., Awaitable["Agent"]]


class Agent:
    """An agent of a framework, as a process that gets a task on each line."""

    def __init__(self, process: Process, label: str, api: Api) -> None:
        self.label = label
        self._process = process
        self._api = api

    def asks(self, date: str) -> None:
        """Send the task to book a trip on this date, which is full."""
        assert self._process.stdin
        self._process.stdin.write(f"Book me a trip on {date}\n".encode())

    async def said(self) -> str:
        """Wait for the answer of the model; what frameworks print beside it is left out."""
        assert self._process.stdout
        lines: list[str] = []
        async with asyncio.timeout(40):
            while not lines or not lines[-1].startswith(ENDS):
                line = (await self._process.stdout.readline()).decode()
                assert line, "".join(lines)
                lines.append(line)
        return lines[-1].strip()

    async def calls(self, date: str) -> list[Json]:
        """Return its calls that were to book this date."""
        found = (await self._api.json("GET", "/calls"))["calls"]
        return [each for each in found if each["arguments"] == {"date": date} and each["via"]["label"] == self.label]


@pytest.fixture(scope="module")
async def inbox(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Program, Api]]:  # noqa: ARG001
    """The program with the demo's server."""
    trips = {"trips": {"command": sys.executable, "args": ["-m", "webclient.demo"]}}
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_UNDO_SECONDS", "0")
        async with program(tmp_path_factory.mktemp("agents"), servers=trips) as served, served.client() as api:
            await api.server("trips")
            yield served, api


@pytest.fixture(scope="module")
async def start(inbox: tuple[Program, Api]) -> AsyncIterator[Start]:
    """Return what gives the agent of a framework, which is started once for each patience."""
    served, api = inbox
    agents: dict[str, Agent] = {}
    processes: list[Process] = []

    async def given(name: str, **patience: float) -> Agent:
        unless_it_runs(name)
        label = " ".join([name, *map(str, patience.values())])
        if label not in agents:
            own = {"MCP_URL": f"{served.base}/mcp/trips", "MCP_TOKEN": await token(api, label, **patience)}
            line = [sys.executable, "examples/agents/run.py", name]
            process = await asyncio.create_subprocess_exec(
                *line, stdin=PIPE, stdout=PIPE, cwd=ROOT, env=os.environ | own, limit=1_000_000
            )
            processes.append(process)
            agents[label] = Agent(process, label, api)
        return agents[label]

    yield given
    for process in processes:
        with suppress(ProcessLookupError):
            process.terminate()
    for process in processes:
        await process.communicate()


@pytest.fixture(scope="module")
async def page(chromium: Browser, inbox: tuple[Program, Api]) -> AsyncIterator[Page]:
    """The inbox of the person in Chromium."""
    context = await chromium.new_context(base_url=inbox[0].base)
    tab = await context.new_page()
    await tab.goto(f"{inbox[0].login}&next=/")
    await tab.wait_for_url("/")
    yield tab
    await context.close()


def unless_it_runs(name: str) -> None:
    """Skip the test if an agent is not installed, or does not work here."""
    if not (BUILT / name / ".installed").exists():
        pytest.skip(f"make example-agents AGENT={name} installs it")
    if name == "crewai" and not any((BUILT / name / "lib").glob("python3.1[2-9]")):
        pytest.skip("CrewAI 1.15 loses the result of each MCP tool on Python 3.11, where wait_for makes a task")


async def card_of(page: Page, agent: Agent) -> Locator:
    """Wait for the one card, with the name of the agent."""
    await page.goto("/")
    card = page.locator("article.card[id^=request-]")
    await expect(card).to_have_count(1, timeout=60_000)
    await expect(card).to_contain_text(agent.label)
    return card


async def accept(card: Locator) -> None:
    """Choose another date, and send it."""
    await card.get_by_role("radio", name="Yes").check()
    await card.locator("button[value=accept]").click()
    await expect(card).to_have_count(0)


async def is_booked(agent: Agent, date: str) -> None:
    """Check that the agent has the result, and that one call has run for it."""
    assert (await agent.said()).startswith("The travel desk says: Booked for ")
    assert [call["state"] for call in await agent.calls(date)] == ["done"]


@pytest.mark.parametrize("name", AGENTS)
async def test_an_agent_goes_on_with_the_answer(start: Start, page: Page, name: str) -> None:
    agent = await start(name)
    agent.asks("2026-12-25")
    await accept(await card_of(page, agent))
    await is_booked(agent, "2026-12-25")


@pytest.mark.parametrize("name", LASTING)
async def test_an_agent_takes_up_a_question_that_lasts(start: Start, page: Page, name: str) -> None:
    agent = await start(name)
    agent.asks("2027-12-24")
    card = await card_of(page, agent)
    await asyncio.sleep(OUTLASTING)
    await accept(card)
    await is_booked(agent, "2027-12-24")


@pytest.mark.parametrize("name", AGENTS)
async def test_an_agent_sees_that_a_person_declined(start: Start, page: Page, name: str) -> None:
    agent = await start(name)
    agent.asks("2027-12-25")
    await (await card_of(page, agent)).locator("button[value=decline]").click()
    assert await agent.said() == "The travel desk says: Booking cancelled"
    assert len(await agent.calls("2027-12-25")) == 1


@pytest.mark.parametrize(("name", "seconds"), [("openai-agents", OUTLASTING), ("crewai", 35.0)])
async def test_a_call_that_its_client_gave_up_is_made_once(start: Start, page: Page, name: str, seconds: float) -> None:
    agent = await start(name, patience=600)
    agent.asks("2028-12-24")
    card = await card_of(page, agent)
    await asyncio.sleep(seconds)
    await accept(card)
    await is_booked(agent, "2028-12-24")


async def test_an_agent_ends_its_turn_without_an_answer(start: Start, page: Page) -> None:
    agent = await start("openai-agents")
    agent.asks("2028-12-25")
    card = await card_of(page, agent)
    assert (await agent.said()).startswith("A person is being asked")
    await accept(card)
    agent.asks("2028-12-25")
    await is_booked(agent, "2028-12-25")
