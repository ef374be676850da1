"""Published servers, over each transport and in each era that they have: what was sent is what they got."""

from __future__ import annotations

import pytest

from tests.real.started import labels
from tests.real.table import MORE, PAGE, first_table
from tests.real.talk import SERVERS, Outcome, outcomes

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def found(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:  # noqa: ARG001
    """Each server is started once; every dialogue is completed before the first test looks at one."""
    return await outcomes(tmp_path_factory.mktemp("real"))


@pytest.mark.parametrize("label", labels(SERVERS))
async def test_published_server_gets_what_was_sent(found: list[Outcome], label: str) -> None:
    [outcome] = [each for each in found if each.way.label == label]
    assert outcome.wrong == []
    assert outcome.completed == len(outcome.way.server.dialogues[outcome.way.era])


async def test_twelve_published_servers_of_five_sdks_ask(found: list[Outcome]) -> None:
    asking = {
        (each.way.server.package, each.way.server.name) for each in found if each.requests and not each.way.server.ours
    }
    assert len(asking) >= 12
    assert len({each.way.server.sdk for each in found if each.requests and not each.way.server.ours}) >= 5


async def test_page_of_servers_says_what_they_did(found: list[Outcome]) -> None:
    first, heading, _others = PAGE.read_text("utf-8").partition(MORE)
    assert first == first_table(found), "run `make servers`"
    assert heading
