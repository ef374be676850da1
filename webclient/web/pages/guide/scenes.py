"""The scenes of the guided demo: which tool each of them runs, and what the page says of it."""

from __future__ import annotations

from dataclasses import dataclass

from webclient.demo import OFFICE, TRIPS
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.web.pages.guide.attacks import attack_scenes
from webclient.web.pages.guide.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A line in the list of scenes: one scene, or the gallery of attacks. `more` has attacks that few people run."""

    key: str
    title: str
    summary: str
    scenes: tuple[Scene, ...]
    more: tuple[Scene, ...] = ()
    is_gallery: bool = False


HOSTILE_CHAPTER = "hostile"

FIRST_ATTACKS = 3
"""The attacks that everybody sees: a link, a form, and a click."""


def chapters() -> tuple[Chapter, ...]:
    """Return the chapters in their order, in the language of the context."""
    attacks = attack_scenes()
    gallery = Chapter(
        key=HOSTILE_CHAPTER,
        title=_("A hostile server"),
        summary=_("Three attacks, and what stops each of them."),
        scenes=attacks[:FIRST_ATTACKS],
        more=attacks[FIRST_ATTACKS:],
        is_gallery=True,
    )
    return (
        *(Chapter(key=each.key, title=each.title, summary=each.summary, scenes=(each,)) for each in _scenes()),
        gallery,
    )


def all_scenes() -> tuple[Scene, ...]:
    """Return all scenes in their order."""
    return tuple(scene for chapter in chapters() for scene in (*chapter.scenes, *chapter.more))


def find_scene(key: str) -> Scene:
    """Return the scene with this key. Raises NotFoundError."""
    for scene in all_scenes():
        if scene.key == key:
            return scene
    raise NotFoundError(_("The demo has no scene “{name}”.").format(name=key[:60]))


def _scenes() -> tuple[Scene, ...]:
    return (
        Scene(
            key="book",
            server=TRIPS,
            tool="book_trip",
            arguments={"date": "2026-12-24"},
            title=_("Book a trip"),
            summary=_("The day is full, so the travel desk asks you for another."),
            story=_(
                "Run books a trip on 24 December, as an AI assistant would. The day is full, so the server asks you."
            ),
            task=_("Choose Yes and press Send answer, or decline: both are fine."),
        ),
        Scene(
            key="two",
            server=TRIPS,
            tool="reserve_table",
            arguments={"restaurant": "Alfama"},
            title=_("Two questions"),
            summary=_("A restaurant needs two answers, and gets both in one message."),
            story=_("Run reserves a table at the restaurant Alfama. The server needs two answers for that."),
            task=_("Answer both, in any order: nothing is sent before the second answer."),
        ),
        Scene(
            key="fields",
            server=TRIPS,
            tool="every_field",
            arguments={"suggestions": True},
            title=_("Every field"),
            summary=_("Dates, numbers and lists are checked before anything is sent."),
            story=_("The server asks for a booking, with a field of every kind that a form can have."),
            task=_("Make the booking code wrong and press Send answer: nothing is sent until it is right."),
        ),
        Scene(
            key="task",
            server=TRIPS,
            tool="plan_trip",
            arguments={"destination": "Lisbon"},
            title=_("A long trip"),
            summary=_("A minute of work that asks twice, and goes on without you."),
            story=_(
                "Planning a whole trip takes a minute, so the server makes a task of it and asks you twice on the way. "
                "Leave this page, or even restart the demo: the task goes on, and its questions wait for you."
            ),
            task=_("Answer, and let the server go on."),
        ),
        Scene(
            key="sign-in",
            server=OFFICE,
            tool="connect_drive",
            undo_tool="disconnect_drive",
            title=_("Sign in elsewhere"),
            summary=_("The server sends you elsewhere to sign in, and you return here."),
            story=_(
                "The office is to list the files in your drive. It sends you there, so no password passes through here."
            ),
            task=_("Open the link, sign in as Alice, and allow access. Then return here."),
        ),
        Scene(
            key="key",
            server=OFFICE,
            tool="set_api_key",
            title=_("A key nobody sees"),
            summary=_("You type a key at the office, so it never passes through here."),
            story=_("The office needs a key of yours. A form must not ask for it, so you get a link to the office."),
            task=_("Open the link, sign in as Alice, and store any key. Then return here."),
        ),
        Scene(
            key="model",
            server=TRIPS,
            tool="plan_weekend",
            ends_when_stopped=True,
            title=_("Borrow a model"),
            summary=_("The server asks for a model, and you approve each step."),
            story=_(
                "The server has no language model, so it asks for yours, and lets it look up the weather. The models "
                "here follow scripts, so nothing needs a key."
            ),
            task=_(
                "Let a model answer, or write the answer yourself. The server gets nothing before you have seen it."
            ),
        ),
        Scene(
            key="agent",
            server=TRIPS,
            tool="book_trip",
            arguments={"date": "2026-12-25"},
            agent=_("Travel agent"),
            title=_("An agent asks"),
            summary=_("An agent that cannot ask you calls a server, and the question comes to you."),
            story=_(
                "Run starts a small agent, which calls the travel desk through the gateway. It waits a few seconds, "
                "leaves, and comes back for the result, so your answer may take as long as you need."
            ),
            task=_("Answer at once, or after the agent has gone: it gets the result either way."),
        ),
    )
