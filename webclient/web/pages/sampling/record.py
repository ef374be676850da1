"""A settled sampling request in words: the messages that a server sent, and the answer that it got."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from webclient.content.forms import write_json
from webclient.content.text_changes import Change
from webclient.domain.model import InputRequest, Sampling
from webclient.web.pages.sampling.answer import PERSON
from webclient.web.pages.sampling.changes import changes_of_request
from webclient.web.pages.sampling.conversation import Block, Message, blocks_of, read_conversation

MOST_CHARACTERS = 10_000
"""Characters of JSON of the messages in one record: a page has many. The last message is always there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingRecord:
    """The last `messages` of the request, the number of those `omitted`, and the blocks of the `answer`.

    `changes` are those of the person to the request before a model got it. `model` is the name that the server got.
    """

    sampling: Sampling
    system: str
    messages: Sequence[Message]
    omitted: int
    answer: Sequence[Block]
    model: str
    changes: Sequence[Change]

    @property
    def by_person(self) -> bool:
        """Whether the answer says that a person wrote it."""
        return self.model == PERSON


def sampling_record(request: InputRequest) -> SamplingRecord:
    """Return the record of a settled request, without what is no longer stored."""
    talk, content, sampling = read_conversation(request.params), request.content or {}, request.sampling or Sampling()
    shown = list(_last(talk.messages))[::-1]
    return SamplingRecord(
        sampling=sampling,
        system=talk.system,
        messages=shown,
        omitted=len(talk.messages) - len(shown),
        answer=[_without_media(block) for block in blocks_of(content["content"])] if content.get("content") else (),
        model=str(content.get("model") or ""),
        changes=changes_of_request(request.params, sampling.edited) if sampling.edited is not None else (),
    )


def _last(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield the last messages that are short enough together, the newest first."""
    characters = 0
    for message in reversed(messages):
        characters += sum(len(write_json(block.block)) for block in message.blocks)
        if characters > MOST_CHARACTERS and message is not messages[-1]:
            return
        yield message


def _without_media(block: Block) -> Block:
    """Return a block of an answer, of which only texts and uses of tools have a form on pages."""
    return block if block.kind in ("text", "use") else replace(block, kind="unknown")
