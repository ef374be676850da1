"""The guided demo over HTTP, as a browser without JavaScript uses it, against the demo's real servers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.pages.person import Person
from tests.program import PATIENCE, Api, Program, program
from webclient.demo.hostile.attacks import FLOOD, TRIES
from webclient.domain.model import Json
from webclient.web.pages.guide.scenes import all_scenes, chapters

pytestmark = pytest.mark.anyio

SCENES = [scene.key for scene in all_scenes()]
DECLINES = {"two": 2, "second-click": 2, "endless-requests": TRIES, "flood": 250}
ATTACKS = [scene.key for scene in all_scenes() if scene.attack]


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """The program with the demo."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MCP_DEMO_PACE", "0.02")
        async with program(tmp_path_factory.mktemp("guide"), "demo") as served:
            async with served.client() as api:
                for label in ("Demo trips", "Demo office", "Hostile server"):
                    await api.server(label)
            yield served


@pytest.fixture
async def api(served: Program) -> AsyncIterator[Api]:
    """The API, for what only a program sees."""
    async with served.client() as api:
        yield api


async def run(person: Person, scene: str) -> str:
    """Run a scene with its button, and return the page to which that leads."""
    response = await person.submit("/demo/run", scene=scene)
    assert response.headers["location"] == f"/demo?scene={scene}"
    return await person.page(response.headers["location"])


async def pending(api: Api) -> list[Json]:
    """Return the pending requests."""
    found: list[Json] = (await api.json("GET", "/requests", params={"state": "pending"}))["requests"]
    return found


async def newest_call(api: Api) -> Json:
    """Return the call of the scene that was run last."""
    [newest, *_] = (await api.json("GET", "/calls"))["calls"]
    call: Json = newest
    return call


async def ended(person: Person, api: Api, scene: str) -> str:
    """Wait until the newest call has ended; return the code of its sentence."""
    await api.in_state(await newest_call(api), "done", "cancelled")
    found = re.search(r'<p data-code="(\w+)"', await person.page(f"/demo?scene={scene}"))
    assert found
    return found[1]


async def decline_everything(api: Api) -> int:
    """Decline until the newest call has ended; return how often."""
    call, declined = await newest_call(api), 0
    while (await api.in_state(call, "input_required", "done", "cancelled"))["state"] == "input_required":
        for request in await pending(api):
            await api.answer(request, action="decline")
            declined += 1
        call = await api.json("GET", f"/calls/{call['id']}")
    return declined


def seen(page: str) -> list[int]:
    """Return how many scenes of each chapter the page shows as seen."""
    return [int(number) for number in re.findall(r'data-seen="(\d+)"', page)]


async def test_the_link_of_the_demo_leads_to_the_guide(person: Person, served: Program) -> None:
    assert "url=/demo" in await person.page(served.login.removeprefix(served.base))
    page = await person.page("/demo")
    assert page.count('action="/demo/run"') == len(chapters()) + 1
    assert seen(page) == [0] * len(chapters())


async def test_the_presenters_view_stays_when_another_scene_is_opened(person: Person) -> None:
    for scene in ("start", "book", "end"):
        links = re.findall(r'href="(/demo\?scene=[^"]*)"', await person.page(f"/demo?scene={scene}&present"))
        assert len(links) > len(chapters())
        assert [link for link in links if not link.endswith("&amp;present")] == [f"/demo?scene={scene}"]


@pytest.mark.parametrize("scene", SCENES)
async def test_each_scene_asks_at_once_and_ends_when_declined(person: Person, api: Api, scene: str) -> None:
    """A task asks later, so that one works first."""
    page = await run(person, scene)
    assert "<article" in page or scene == "task"
    assert ("Attack:" in page) == (scene in ATTACKS)
    declined = await decline_everything(api)
    # Answers make room for more of a flood.
    assert DECLINES.get(scene, 1) <= declined <= (FLOOD if scene == "flood" else DECLINES.get(scene, 1))
    assert await ended(person, api, scene) == ("declined" if declined == 1 else "nothing")


async def test_the_hostile_server_got_nothing(api: Api) -> None:
    """Its own process is asked, after all attacks of the test above."""
    report = await api.in_state(await api.call("Hostile server", "report"), "done")
    assert report["result"]["structuredContent"]["stolen"] == []
    assert report["result"]["structuredContent"]["answers"] > len(ATTACKS)


async def test_an_answer_is_repeated_exactly(person: Person, api: Api) -> None:
    await run(person, "book")
    [request] = await pending(api)
    await api.answer(request, action="accept", content={"checkAlternative": True, "alternativeDate": "2026-12-27"})
    assert await ended(person, api, "book") == "gave"
    page = await person.page("/demo?scene=book")
    assert re.findall(r"<strong dir[^>]*>(.*?)</strong>", page) == ["Yes", "Dec 27, 2026"]
    assert "&#34;checkAlternative&#34;: true,\n  &#34;alternativeDate&#34;: &#34;2026-12-27&#34;" in page
    assert ">Booked for 2026-12-27<" in page


async def test_two_answers_go_out_together(person: Person, api: Api) -> None:
    page = await run(person, "two")
    assert page.count("<article") == 2
    for request, content in zip(await pending(api), ({"guests": 2, "time": "19:30"}, {"outside": True}), strict=True):
        await api.answer(request, action="accept", content=content)
    assert await ended(person, api, "two") == "gave_all"


async def test_the_agent_of_the_demo_comes_back_for_the_result(person: Person, api: Api) -> None:
    page = await run(person, "agent")
    assert "The agent waits for the result." in page
    call = await newest_call(api)
    assert (call["via"]["kind"], call["via"]["label"]) == ("agent", "Travel agent")
    [request] = await pending(api)
    await api.answer(request, action="accept", content={"checkAlternative": True, "alternativeDate": "2026-12-27"})
    assert await ended(person, api, "agent") == "gave"
    # Its token ends with it.
    for _n in range(100):
        if all(each.get("revoked_at") for each in (await api.json("GET", "/tokens"))["tokens"]):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("a token is left")


async def test_the_form_of_every_field_can_be_sent_as_it_comes(person: Person, api: Api) -> None:
    await run(person, "fields")
    [request] = await pending(api)
    await api.answer(request, action="accept")
    assert await ended(person, api, "fields") == "gave"


async def test_a_flood_is_counted_and_only_a_part_of_it_drawn(person: Person, api: Api) -> None:
    page = await run(person, "flood")
    await api.in_state(await newest_call(api), "input_required")
    async with api.stream("GET", "/events", timeout=PATIENCE) as events:
        lines = events.aiter_lines()
        while len(await pending(api)) < 250:
            await anext(lines)
    page = await person.page("/demo?scene=flood")
    assert page.count("<article") == 3
    assert "247 more questions" in page
    # Another attack ends the flood.
    flood = await newest_call(api)
    before = seen(await person.page("/demo?scene=start"))
    assert "<article" in await run(person, "borrowed-name")
    assert len(await pending(api)) == 1
    ended_flood = await api.json("GET", f"/calls/{flood['id']}")
    assert (ended_flood["state"], ended_flood["error"]["reason_code"]) == ("cancelled", "ended_by_demo")
    assert '<p data-code="interrupted"' in await person.page("/demo?scene=flood")
    await person.submit("/demo/stop", scene="borrowed-name")
    assert seen(await person.page("/demo?scene=start")) == before


async def test_a_scene_goes_on_while_another_runs(person: Person, api: Api) -> None:
    await run(person, "task")
    trip = await newest_call(api)
    [request] = await api.pending_requests(trip)
    await run(person, "book")
    page = await person.page("/demo?scene=book")
    assert re.search(r'scene=task"[^>]*>.*?scenes__waiting', page, re.DOTALL)
    await api.answer(request, action="decline")
    await person.submit("/demo/stop", scene="book")
    stopped = await newest_call(api)
    assert (stopped["state"], stopped["error"]["reason_code"]) == ("cancelled", "call_cancelled")
    assert (await api.in_state(trip, "done"))["state"] == "done"


async def test_a_scene_that_is_run_again_is_ended_by_the_demo(person: Person, api: Api) -> None:
    """The page of its call says so, and not that the person did it."""
    await run(person, "key")
    first = await newest_call(api)
    [link] = await pending(api)
    await api.answer(link, action="accept")
    await run(person, "key")
    assert (await api.json("GET", f"/requests/{link['id']}"))["reason_code"] == "ended_by_demo"
    assert 'data-status="ended"' in await person.page(f"/calls/{first['id']}")
    await person.submit("/demo/reset")


async def test_the_last_screen_comes_before_the_attacks_on_demand(person: Person) -> None:
    [*_, gallery] = chapters()
    assert 'href="/demo?scene=end" data-guide="next"' in await person.page(f"/demo?scene={gallery.scenes[-1].key}")
    assert 'href="/demo?scene=end" data-guide="next"' in await person.page(f"/demo?scene={gallery.more[-1].key}")
    assert f'scene={gallery.more[1].key}" data-guide="next"' in await person.page(f"/demo?scene={gallery.more[0].key}")
    last = await person.page("/demo?scene=end")
    assert "mcp-webclient serve --config mcp.json" in last


async def test_a_muted_server_is_unmuted_by_the_next_scene(person: Person, api: Api) -> None:
    await run(person, "endless-requests")
    server = await api.server("Hostile server")
    await person.submit(f"/servers/{server}/mute", confirmed="true")
    # The questions after the first may be counted in the entry of an earlier call: a flood is one entry across calls.
    assert await ended(person, api, "endless-requests") in ("nothing", "dismissed")
    assert await pending(api) == []
    assert "<article" in await run(person, "endless-requests")
    await person.submit("/demo/stop", scene="endless-requests")
    assert await ended(person, api, "endless-requests") == "stopped"


async def test_reset_brings_the_demo_back_to_its_beginning(person: Person, api: Api) -> None:
    await run(person, "book")
    await decline_everything(api)
    await run(person, "flood")
    assert any(seen(await person.page("/demo?scene=start")))
    assert (await person.submit("/demo/reset", present="true")).headers["location"] == "/demo?present"
    assert await pending(api) == []
    page = await person.page("/demo")
    assert seen(page) == [0] * len(chapters())
    assert "data-code" not in page
    assert "<article" not in page


async def test_an_unknown_scene_is_not_found(person: Person) -> None:
    for path in ("/demo?scene=none", "/stream?page=demo&id=none"):
        assert (await person.get(path)).status_code == 404
    for path in ("/demo/run", "/demo/stop", "/demo/decline-all"):
        assert (await person.post(path, data={"scene": "none\r\nX: y"})).status_code == 404


async def test_only_the_command_demo_has_the_guide(tmp_path: Path) -> None:
    async with program(tmp_path) as served, Person(served) as person:
        assert (await person.get("/demo")).status_code == 404
        assert "/demo" not in await person.page("/")


async def test_a_scene_outlives_a_restart_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The task of the long trip, and its question, are on the page of the next process."""
    monkeypatch.setenv("MCP_DEMO_PACE", "0.02")
    async with program(tmp_path, "demo") as first, first.client() as api, Person(first) as person:
        await api.server("Demo trips")
        await run(person, "task")
        [request] = await api.pending_requests(await newest_call(api))
    async with program(tmp_path, "demo") as second, Person(second) as person:
        assert f'id="request-{request["id"]}"' in await person.page("/demo")
