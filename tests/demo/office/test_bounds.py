"""Open links of people who are elsewhere: saved for a while, bounded, and never pushed out by another person's."""

from __future__ import annotations

import pytest

from webclient.demo.office.elicitations import OF_ONE_PERSON, SECONDS, Elicitations, Task
from webclient.demo.office.people import Requester
from webclient.demo.shelf import Shelf

pytestmark = pytest.mark.anyio

ALICE = Requester("alice", "client", None)
BOB = Requester("bob", "client", None)


def test_a_thing_on_a_shelf_can_be_taken_once() -> None:
    shelf = Shelf[str](seconds=10, room=5)
    name = shelf.put("it")
    assert (shelf.get(name), shelf.take(name), shelf.take(name), shelf.get(name)) == ("it", "it", None, None)
    assert shelf.get(None) is None
    assert len(name) == 43


def test_a_shelf_forgets_in_time() -> None:
    now = [0.0]
    shelf = Shelf[str](seconds=10, room=5, clock=lambda: now[0])
    early = shelf.put("early")
    now[0] = 5
    late = shelf.put("late")
    now[0] = 10
    assert (shelf.get(early), shelf.get(late), shelf.values()) == (None, "late", ["late"])


def test_on_a_full_shelf_the_oldest_makes_room() -> None:
    shelf = Shelf[int](seconds=10, room=3)
    names = [shelf.put(number) for number in range(5)]
    assert shelf.values() == [2, 3, 4]
    assert shelf.get(names[0]) is None


async def test_a_link_expires() -> None:
    now = [0.0]
    elicitations = Elicitations(lambda: now[0])
    opened = elicitations.open_for(Task.CONNECT, ALICE)
    now[0] = SECONDS - 1
    assert elicitations.find(opened.id) is opened
    assert elicitations.open_for(Task.CONNECT, ALICE) is opened
    now[0] = SECONDS
    assert elicitations.find(opened.id) is None
    assert elicitations.open_for(Task.CONNECT, ALICE).id != opened.id


async def test_one_person_cannot_fill_the_shelf_of_another() -> None:
    elicitations = Elicitations()
    of_alice = elicitations.start(Task.KEY, ALICE)
    of_bob = [elicitations.start(Task.KEY, BOB) for _ in range(5_000)]
    assert elicitations.find(of_alice.id) is of_alice
    assert [each for each in of_bob if elicitations.find(each.id)] == of_bob[-OF_ONE_PERSON:]
    assert await of_bob[0].wait() is False, "a waiter for an expelled link is woken"


async def test_asking_again_gives_the_same_link_until_it_is_used() -> None:
    elicitations = Elicitations()
    first = elicitations.open_for(Task.CONNECT, ALICE)
    other_session = Requester("alice", "client", "session")
    assert elicitations.open_for(Task.CONNECT, ALICE) is first
    assert elicitations.open_for(Task.KEY, ALICE) is not first
    assert elicitations.open_for(Task.CONNECT, other_session) is not first
    assert elicitations.open_for(Task.CONNECT, BOB) is not first
    await elicitations.finish(Task.CONNECT, "alice")
    assert elicitations.open_for(Task.CONNECT, ALICE) is not first


async def test_completion_is_sent_once_to_each_waiting_client_only() -> None:
    completed: list[str] = []

    async def tell(elicitation_id: str) -> None:
        completed.append(elicitation_id)

    elicitations = Elicitations()
    hers = elicitations.start(Task.CONNECT, ALICE, tell)
    elicitations.start(Task.CONNECT, BOB, tell)
    elicitations.start(Task.KEY, ALICE, tell)
    await elicitations.finish(Task.CONNECT, "alice")
    await elicitations.finish(Task.CONNECT, "alice")
    assert completed == [hers.id]
    assert await hers.wait()
