"""The content of the card of a sampling request: the request, the answer, and what is typed into either.

The texts of all controls are one mapping: what was posted or drafted, over what the request and the answer say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from zlib import crc32

from webclient.content.forms import Texts, write_json
from webclient.content.text_changes import Change
from webclient.domain.languages import number
from webclient.domain.model import InputRequest, Json, Sampling, SamplingRule, Spent, Stage
from webclient.sampling.llm import Choice, ModelInfo, tokens_of_request
from webclient.web.pages.sampling.answer import MODEL_NAME, PERSON, WrittenAnswer, read_answer
from webclient.web.pages.sampling.answer_parts import MOST_PARTS, PART, first_parts, texts_of_parts
from webclient.web.pages.sampling.changes import changes_of_answer, changes_of_request
from webclient.web.pages.sampling.conversation import Conversation, read_conversation
from webclient.web.pages.sampling.request_edits import TOOL, TOOLS, Edits, edit_request, texts_of_request

MODEL = "model"
"""The control for the model that runs."""

OF_REQUEST, OF_ANSWER = "p.of", "a.of"
"""The controls that name the request and the answer over which the others were typed."""

FURTHER_TURNS = (2, 5, 10)
"""The numbers of further turns that a card lets the person approve."""

CONFIRMED = "confirmed"
"""The control with which a person confirms to send what looks like a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The rest of a card, which is not in its request: models, the server's rule, today's use.

    `so_far` is the answer of a model while it comes.
    """

    models: Sequence[ModelInfo] = ()
    choice: Choice | None = None
    rule: SamplingRule = field(default_factory=SamplingRule)
    spent: Spent = field(default_factory=Spent)
    so_far: str = ""


@dataclass(frozen=True, kw_only=True)
class SamplingView:
    """A pending sampling request with the `texts` that are typed into its card, None if nothing is.

    `checked`: an answer was posted, so that what is wrong with it is shown. `confirms`: it looks like a secret, and the
    person must confirm it. `focus` is the control to focus.
    """

    request: InputRequest
    around: Surroundings = field(default_factory=Surroundings)
    typed: Texts | None = None
    checked: bool = False
    confirms: bool = False
    focus: str = ""

    @property
    def sampling(self) -> Sampling:
        """What is known of it besides the parameters."""
        return self.request.sampling or Sampling()

    @property
    def stage(self) -> Stage:
        """The stage at which the card stands."""
        return self.sampling.stage

    @property
    def version(self) -> str:
        """A name of what is stored; a card in a page is replaced if it shows another."""
        return f"{self.stage}-{crc32(write_json(self.sampling.to_json()).encode()):08x}"

    @property
    def base(self) -> Json:
        """The parameters that the controls edit."""
        return self.sampling.edited if self.sampling.edited is not None else self.request.params

    @cached_property
    def texts(self) -> Texts:
        """The texts of all controls."""
        return {**first_texts(self.request), **(self.typed or {})}

    @property
    def ends_call(self) -> bool:
        """Whether a no ends the call, because the server's protocol has no word for it."""
        # MCP 2026-07-28: an input response is a result; there is no form for an error or a refusal.
        return self.request.origin in ("round", "task")

    @property
    def sends_unseen(self) -> bool:
        """Whether the server gets the answer before a person has seen it."""
        return self.sampling.by_rule and self.around.rule.sends_unseen

    @cached_property
    def conversation(self) -> Conversation:
        """The conversation as it would go to a model, before what is typed."""
        return read_conversation(self.base, self.sampling.seen)

    @cached_property
    def edits(self) -> Edits:
        """The request with what is typed."""
        return edit_request(self.base, self.texts)

    @cached_property
    def changes(self) -> Sequence[Change]:
        """What differs from the request that the server sent."""
        return changes_of_request(self.request.params, self.edits.params)

    @cached_property
    def answer(self) -> WrittenAnswer:
        """The answer with what is typed."""
        return read_answer(self.base, self.texts, self.sampling.result)

    @cached_property
    def answer_changes(self) -> Sequence[Change]:
        """What differs from the answer that the model gave."""
        generated, now = self.sampling.generated, self.answer.result
        return changes_of_answer(generated, now) if generated is not None and now is not None else ()

    @property
    def tokens(self) -> int:
        """About how many tokens a model would read."""
        return tokens_of_request(self.edits.params)

    @property
    def chosen(self) -> str:
        """The id of the model that the card has chosen."""
        ids = [model.id for model in self.around.models]
        typed = (self.texts.get(MODEL) or [""])[-1]
        wanted = [
            typed,
            self.sampling.model,
            self.around.rule.model,
            self.around.choice.model.id if self.around.choice else "",
        ]
        return next((each for each in wanted if each in ids), ids[0] if ids else "")

    @property
    def model(self) -> ModelInfo | None:
        """The model that is working, or has given the answer."""
        return next((each for each in self.around.models if each.id == self.sampling.model), None)

    @property
    def most_cost(self) -> tuple[str, str] | None:
        """The label of the chosen model, and about the most that it costs; None if unknown."""
        model = next((each for each in self.around.models if each.id == self.chosen), None)
        if model is None or model.prices is None:
            return None
        cost = model.prices.cost(self.tokens, self.conversation.most_tokens or 0)
        return model.label, f"{money(cost)} {model.prices.currency}"

    @property
    def writes(self) -> bool:
        """Whether the answer is unfolded before a model was asked: there is no model, or the person has begun it."""
        return not self.around.models or any(map(is_of_answer, self.typed or ()))

    @property
    def further_turns(self) -> Sequence[int]:
        """The numbers of further turns that the person can approve."""
        return FURTHER_TURNS

    @property
    def has_text(self) -> bool:
        """Whether the answer has a text that can be edited."""
        return any(part.kind == "text" for part in self.answer.parts)

    @property
    def may_use_tools(self) -> bool:
        """Whether a tool use can be added to the answer."""
        talk = self.conversation
        return bool(talk.tools) and talk.choice != "none" and len(self.answer.parts) < MOST_PARTS

    @property
    def stops(self) -> Sequence[str]:
        """Sentences on possible secrets in the answer, if they must be confirmed."""
        return list(self.answer.secrets.values()) if self.confirms or self.confirmed else ()

    @property
    def confirmed(self) -> bool:
        """Whether the person confirmed to send what looks like a secret."""
        return CONFIRMED in self.texts

    @property
    def model_name(self) -> str:
        """The name of the model that the server gets."""
        return (self.texts.get(MODEL_NAME) or [""])[-1]


def first_texts(request: InputRequest) -> dict[str, list[str]]:
    """Return the texts of all controls before anything is typed."""
    sampling = request.sampling or Sampling()
    base = sampling.edited if sampling.edited is not None else request.params
    name = str((sampling.result or {}).get("model") or PERSON)
    return {
        **texts_of_request(base),
        **texts_of_parts(first_parts(base, sampling.result)),
        MODEL_NAME: [name],
        OF_REQUEST: [_name_of(base)],
        OF_ANSWER: [_name_of([base, sampling.result])],
    }


def typed_texts(request: InputRequest, posted: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the posted texts that differ from the first ones, by control.

    Texts that were typed over another request or answer than the present one are left out.
    """
    first = first_texts(request)
    texts: dict[str, list[str]] = {}
    for name, text in posted:
        if is_control(name):
            texts.setdefault(name, []).append(text.replace("\r\n", "\n"))
    if texts.get(OF_REQUEST) != first[OF_REQUEST]:
        texts = {name: typed for name, typed in texts.items() if not name.startswith("p.")}
    elif TOOLS in texts:
        # Of ticks that were all removed, nothing is posted.
        texts.setdefault(TOOL, [])
    if texts.get(OF_ANSWER) != first[OF_ANSWER]:
        texts = {name: typed for name, typed in texts.items() if not is_of_answer(name)}
    changed = {name: typed for name, typed in texts.items() if first.get(name) != typed}
    if any(is_of_answer(name) for name in changed):
        # The fields of a tool use stand together: an absent one is cleared.
        changed |= {name: typed for name, typed in texts.items() if is_of_answer(name)}
    return changed


def as_posted(view: SamplingView) -> list[tuple[str, str]]:
    """Return what is typed into a card as a browser would post it."""
    over = {name: view.texts[name] for name in (OF_REQUEST, OF_ANSWER)}
    return [(name, text) for name, typed in {**(view.typed or {}), **over}.items() for text in typed]


def is_stale(request: InputRequest, posted: Sequence[tuple[str, str]]) -> bool:
    """Return whether an answer was posted from a card with an earlier one."""
    return any(name == OF_ANSWER and [text] != first_texts(request)[OF_ANSWER] for name, text in posted)


def is_control(name: str) -> bool:
    """Return whether a posted name is a control of the card."""
    return name == MODEL or name.startswith("p.") or is_of_answer(name)


def is_of_answer(name: str) -> bool:
    """Return whether a control belongs to the answer."""
    return name in (PART, CONFIRMED) or name.startswith("a.") or bool(_FIELD.match(name))


_FIELD = re.compile(r"f[0-9]", re.ASCII)


def money(amount: float) -> str:
    """Format an amount of money, which may be far below a cent."""
    return number(float(f"{amount:.3g}"), 6)


def _name_of(value: object) -> str:
    return f"{crc32(write_json(value).encode()):08x}"
