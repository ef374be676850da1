"""The choice to run a tool as a task: remembered per user, server and tool, and deleted with the server."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.store.ada_rows import SERVER
from tests.store.conftest import TestDatabase
from webclient.domain.errors import NotFoundError
from webclient.store import Store

pytestmark = pytest.mark.anyio

OTHER = replace(SERVER, id="other")
ODD = "\ud800" + "x" * 100_000
"""A name that is too long for an index and cannot be encoded, as a server may send one."""


async def test_a_choice_is_kept_for_one_tool_of_one_server(store: Store, database: TestDatabase) -> None:
    ada, bob = store.of("ada"), store.of("bob")
    for server in (SERVER, OTHER):
        await ada.servers.add(server)
    for tool in ("survey", ODD):
        await ada.task_choices.save(SERVER.id, tool, as_task=True)
        await ada.task_choices.save(SERVER.id, tool, as_task=True)
        assert await ada.task_choices.get(SERVER.id, tool)
    assert not await ada.task_choices.get(SERVER.id, "Survey")
    assert not await ada.task_choices.get(OTHER.id, "survey")
    assert not await bob.task_choices.get(SERVER.id, "survey")

    await ada.task_choices.save(SERVER.id, ODD, as_task=False)
    assert not await ada.task_choices.get(SERVER.id, ODD)
    await ada.servers.remove([SERVER.id])
    assert database.run("SELECT * FROM task_choices") == []


async def test_a_choice_for_a_removed_server_is_refused(store: Store) -> None:
    with pytest.raises(NotFoundError):
        await store.of("ada").task_choices.save(SERVER.id, "survey", as_task=True)
