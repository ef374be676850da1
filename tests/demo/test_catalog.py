"""Tools, prompts and resources of the demo server, without requests."""

from __future__ import annotations

import pytest
from mcp import MCPError
from mcp.types import ImageContent, ReadResourceResult, ResourceLink, TextContent, TextResourceContents

from tests.demo.visits import Visit, text_of

pytestmark = pytest.mark.anyio


def words_of(result: ReadResourceResult) -> str:
    """Return the one text of a resource."""
    [contents] = result.contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


async def test_every_tool_has_a_title_a_description_and_annotations(visit: Visit) -> None:
    tools = (await visit.client.list_tools()).tools
    assert [tool.name for tool in tools] == [
        "book_trip",
        "reserve_table",
        "every_field",
        "plan_trip",
        "slow_search",
        "plan_weekend",
        "postcard",
    ]
    assert all(tool.title and tool.description and tool.annotations for tool in tools)


async def test_each_field_says_what_to_type(visit: Visit) -> None:
    [book_trip, *_] = (await visit.client.list_tools()).tools
    assert list(book_trip.input_schema["properties"]) == ["date"]
    assert "2026-12-24" in book_trip.input_schema["properties"]["date"]["description"]


async def test_the_icon_needs_no_other_host(visit: Visit) -> None:
    [book_trip, *_] = (await visit.client.list_tools()).tools
    assert book_trip.icons
    assert book_trip.icons[0].src.startswith("data:image/svg+xml;base64,")


async def test_the_prompt_takes_a_destination_and_asks_nothing(visit: Visit) -> None:
    visit.person.requests.clear()
    [prompt] = (await visit.client.list_prompts()).prompts
    assert [argument.name for argument in prompt.arguments or []] == ["destination"]
    [message] = (await visit.client.get_prompt(prompt.name, {"destination": "Lisbon"})).messages
    assert isinstance(message.content, TextContent)
    assert "a week in Lisbon" in message.content.text
    assert visit.person.requests == []


async def test_the_catalogue_can_be_read(visit: Visit) -> None:
    [resource] = (await visit.client.list_resources()).resources
    assert str(resource.uri) == "trip://catalogue"
    assert "Kyoto: Temples" in words_of(await visit.client.read_resource("trip://catalogue"))


async def test_a_destination_can_be_read_by_its_name(visit: Visit) -> None:
    [template] = (await visit.client.list_resource_templates()).resource_templates
    assert template.uri_template == "trip://destinations/{name}"
    assert words_of(await visit.client.read_resource("trip://destinations/Troms%C3%B8")).startswith("Tromsø: ")


async def test_an_unknown_destination_is_an_error_that_lists_the_known(visit: Visit) -> None:
    with pytest.raises(MCPError, match=r"'Atlantis' is not in the catalogue\. It has Lisbon, Kyoto"):
        await visit.client.read_resource("trip://destinations/Atlantis")


async def test_the_slow_search_reports_progress_to_its_end(visit: Visit) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    result = await visit.client.call_tool("slow_search", {"query": "sea"}, progress_callback=note)
    assert result.structured_content == {"destinations": ["Lisbon"]}
    assert seen[0] == (0, 4, "Looking at Lisbon")
    assert [progress for progress, _, _ in seen] == [0, 1, 2, 3, 4]


async def test_the_postcard_has_words_a_picture_a_link_and_data(visit: Visit) -> None:
    result = await visit.client.call_tool("postcard", {"destination": "Tromsø"})
    words, picture, link = result.content
    assert isinstance(words, TextContent)
    assert isinstance(picture, ImageContent)
    assert isinstance(link, ResourceLink)
    assert result.structured_content == {"destination": "Tromsø", "greeting": words.text}
    assert picture.mime_type == "image/png"
    assert words_of(await visit.client.read_resource(link.uri)).startswith("Tromsø: ")


async def test_a_postcard_from_an_unknown_place_lists_the_known(visit: Visit) -> None:
    result = await visit.client.call_tool("postcard", {"destination": "Atlantis"})
    assert result.is_error
    assert "It has Lisbon, Kyoto" in text_of(result)
