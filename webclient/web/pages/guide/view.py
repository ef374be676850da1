"""The guided demo as its page shows it: the same object for the page and every push."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from webclient.domain.model import Call, CallState, InputRequest, Json, Origin
from webclient.services import Services
from webclient.web.pages.calls.call_pages import requests_of
from webclient.web.pages.guide.actions import resume_scenes
from webclient.web.pages.guide.happened import Happened, what_happened
from webclient.web.pages.guide.progress import GuideProgress
from webclient.web.pages.guide.scene import Scene
from webclient.web.pages.guide.scenes import Chapter, all_scenes, chapters, find_scene
from webclient.web.pages.inbox import drafts
from webclient.web.pages.inbox.cards import Card, OutcomeCard

PENDING_SHOWN = 3
"""The number of pending cards on the page, the oldest: a flood is counted, and not drawn."""

SETTLED_SHOWN = 3
"""The number of settled ones, the newest."""


COMMANDS = ("make demo ARGS=--no-open", ".venv/bin/mcp-webclient serve --config mcp.json")
"""The commands with which this program runs on a person's own servers, in its checkout."""

_MARK = re.compile(r"\A\[[A-Z]+\] ")


class Part(StrEnum):
    """A part of the guide: its first screen, a scene, or its last screen.

    In addresses, the first and the last screen have these values in place of a scene's key.
    """

    START = "start"
    SCENE = "scene"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideView:
    """The chapters, and one scene of them with its newest `call`, if it was run.

    `waiting` counts the pending questions; `cards` has the ones on the page. `happened` is set once the call has ended.
    `elsewhere` counts the pending questions of the other scenes that run. On the first and the last screen, `scene` is
    the first one.
    """

    part: Part
    chapters: Sequence[Chapter]
    chapter: Chapter
    scene: Scene
    seen: frozenset[str]
    elsewhere: Mapping[str, int]
    call: Call | None
    cards: Sequence[Card]
    waiting: int
    happened: Happened | None
    next: Scene | None
    commands: Sequence[str] = COMMANDS

    @property
    def key(self) -> str:
        """The key of what the page shows, in addresses."""
        return self.scene.key if self.part is Part.SCENE else self.part

    @property
    def pushes(self) -> bool | None:
        """Whether the server sends its questions during the call, or returns them; None before the first."""
        first = next(iter(self.cards), None)
        return None if first is None else first.request.origin is Origin.PUSHED

    @property
    def hidden(self) -> int:
        """The number of pending questions that are not shown."""
        return max(0, self.waiting - PENDING_SHOWN)

    @property
    def runs(self) -> bool:
        """Whether the scene's call runs now."""
        return self.call is not None and not self.call.state.ended

    @property
    def returned(self) -> str:
        """The first text of the call's result, in the server's words, or ""; nothing of it that is for programs."""
        text = _MARK.sub("", _first_text(self.call.result)) if self.call and self.call.result else ""
        return "" if text.startswith(("{", "[")) else text

    def seen_of(self, chapter: Chapter) -> int:
        """Return how many scenes of a chapter were seen to their end."""
        return sum(scene.key in self.seen for scene in chapter.scenes)

    def waiting_of(self, chapter: Chapter) -> int:
        """Return how many questions of a chapter's other scenes are pending."""
        return sum(self.elsewhere.get(scene.key, 0) for scene in (*chapter.scenes, *chapter.more))


def find_part(key: str) -> Part:
    """Return which part of the guide has this key. Raises NotFoundError."""
    if key in (Part.START, Part.END):
        return Part(key)
    find_scene(key)
    return Part.SCENE


async def read_guide_view(services: Services, user_id: str, progress: GuideProgress, key: str) -> GuideView:
    """Read the guide at `key`, or else at the scene that was run last. Raises NotFoundError."""
    await resume_scenes(services, user_id, progress)
    scenes = all_scenes()
    key = key or progress.scene or Part.START
    part = find_part(key)
    scene = find_scene(key) if part is Part.SCENE else scenes[0]
    store = services.store.of(user_id)
    found = await store.calls.by_ids(progress.calls.values())
    progress.seen.update(
        each.key for each in scenes if (ended := found.get(progress.calls.get(each.key, ""))) and _was_seen(each, ended)
    )
    newest = progress.calls.get(scene.key, "")
    # An old call may have been purged meanwhile.
    call = await store.calls.get(newest) if newest in found and part is Part.SCENE else None
    requests = await requests_of(services, call) if call else []
    known = chapters()
    chapter = next(each for each in known if scene in (*each.scenes, *each.more))
    return GuideView(
        part=part,
        chapters=known,
        chapter=chapter,
        scene=scene,
        seen=frozenset(progress.seen),
        elsewhere=await _elsewhere(services, user_id, progress, found, key),
        call=call,
        # The page has its own button to run the call again.
        cards=[_without_call(each) for each in await drafts.cards_of(services, user_id, _shown(requests))],
        waiting=sum(each.pending for each in requests),
        happened=what_happened(call, requests, is_attack=bool(scene.attack)) if call else None,
        next=_after(scene, scenes, known),
    )


async def _elsewhere(
    services: Services, user_id: str, progress: GuideProgress, calls: Mapping[str, Call], shown: str
) -> Mapping[str, int]:
    """Return how many questions of each scene but the shown one are pending."""
    lists = services.store.of(user_id).request_lists
    others = {key: calls.get(call_id) for key, call_id in progress.calls.items() if key != shown}
    return {
        key: sum(each.pending for each in await lists.of_call(call.id))
        for key, call in others.items()
        if call and not call.state.ended
    }


def _after(scene: Scene, scenes: Sequence[Scene], known: Sequence[Chapter]) -> Scene | None:
    """Return the next scene; None before the last screen, which comes ahead of the attacks on demand and after them."""
    if scene in (known[-1].scenes[-1], scenes[-1]):
        return None
    return scenes[scenes.index(scene) + 1]


def _was_seen(scene: Scene, call: Call) -> bool:
    # Most scenes that were stopped were not seen to their end.
    return call.state.ended and (scene.ends_when_stopped or call.state is not CallState.CANCELLED)


def _shown(requests: Sequence[InputRequest]) -> list[InputRequest]:
    pending = [each for each in requests if each.pending][:PENDING_SHOWN]
    settled = [each for each in requests if not each.pending][-SETTLED_SHOWN:]
    return [*settled, *pending]


def _first_text(result: Json) -> str:
    content = result.get("content")
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            return str(block["text"])
    return ""


def _without_call(card: Card) -> Card:
    """Return the card without the button to run its call again, which the scene has."""
    return replace(card, call=None) if isinstance(card, OutcomeCard) else card
