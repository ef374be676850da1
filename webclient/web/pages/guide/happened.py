"""“What just happened”: one sentence in the past tense, made of what the server really got.

It reads the settled requests of the scene's call, and nothing that the server says of itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext
from webclient.domain.model import Call, CallState, Delivery, InputRequest, Origin, ReasonCode, RequestState
from webclient.inbox import link_of
from webclient.web.pages.inbox.cards import OutcomeCard
from webclient.web.pages.sampling.cards import is_sampling

Code = Literal[
    "gave",
    "gave_all",
    "gave_some",
    "sampled",
    "agreed",
    "visited",
    "opened",
    "lost",
    "unknown",
    "declined",
    "dismissed",
    "nothing",
    "stopped",
    "interrupted",
    "ended",
]

SELF_EVIDENT = 2
"""Values up to which their labels are left out."""

VALUES_SHOWN = 8
"""Values in the sentence; the JSON has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """The sentence, with placeholders `{server}`, `{host}` and `{content}`; `code` says which it is.

    `content` is what the server got, one for each answer; `values` are the same in words, each with its label.
    """

    code: Code
    sentence: str
    host: str = ""
    content: Sequence[Mapping[str, Any]] = field(default=())
    values: Sequence[tuple[str, str]] = field(default=())

    @property
    def has_labels(self) -> bool:
        """Whether the values need their labels: a few follow the question that they answer."""
        return len(self.values) > SELF_EVIDENT

    @property
    def shown_values(self) -> Sequence[tuple[str, str]]:
        """The first values, which fit into a sentence."""
        return self.values[:VALUES_SHOWN]

    @property
    def hidden_values(self) -> int:
        """The number of values that are in the JSON alone."""
        return len(self.values) - len(self.shown_values)

    @property
    def shown_content(self) -> Any:
        """The content that the server got: of one answer, or of all in their order."""
        return self.content[0] if len(self.content) == 1 else list(self.content)


_DELIVERED = (Delivery.DELIVERED, Delivery.SENDING)


def what_happened(call: Call, requests: Sequence[InputRequest], *, is_attack: bool = False) -> Happened | None:
    """Return what happened in the ended `call` with these `requests`; None while it runs."""
    if not call.state.ended:
        return None
    if any(each.delivery is Delivery.UNKNOWN for each in requests):
        sentence = _("It is not known whether {server} received your answer.")
        return Happened(code="unknown", sentence=sentence)
    count = sum(each.count for each in requests)
    gave = [each for each in requests if each.state is RequestState.ACCEPTED and each.content and _sent(each)]
    if gave:
        is_round, is_sampled = requests[0].origin is Origin.ROUND, all(map(is_sampling, requests))
        given = _gave(gave, count, is_attack=is_attack, in_one_message=is_round)
        return _sampled(len(gave)) if is_sampled else given
    agreed = sum(each.state is RequestState.ACCEPTED and _sent(each) for each in requests)
    if agreed:
        several = ngettext(
            "{server} asked {n} question and got your yes to {yes} of them, and nothing else.",
            "{server} asked {n} questions and got your yes to {yes} of them, and nothing else.",
            count,
        )
        sentence = _("{server} got your yes, and nothing else.") if count == 1 else several
        return Happened(code="agreed", sentence=_numbers(sentence, n=count, yes=agreed))
    if opened := [each for each in requests if each.opened_at]:
        return _opened(opened[-1])
    return _without_content(call, requests, count)


def _sent(request: InputRequest) -> bool:
    return request.delivery in _DELIVERED


def _gave(gave: Sequence[InputRequest], count: int, *, is_attack: bool, in_one_message: bool) -> Happened:
    code, sentence = _gave_words(len(gave), count, is_attack=is_attack, in_one_message=in_one_message)
    cards = [OutcomeCard(request=each) for each in gave]
    return Happened(
        code=code,
        sentence=_numbers(sentence, n=count),
        content=[card.shown_content for card in cards],
        values=[value for card in cards for value in card.sent],
    )


def _gave_words(given: int, count: int, *, is_attack: bool, in_one_message: bool) -> tuple[Code, str]:
    if count == 1 and is_attack:
        return "gave", _("You sent it, so {server} got: {content}. Nothing else.")
    if count == 1:
        return "gave", _("{server} could not go on without you. It got: {content}. Nothing else.")
    if given == count and in_one_message:
        return "gave_all", _("{server} got your {n} answers together in one message: {content}. Nothing else.")
    return "gave_some", _("{server} asked {n} questions. From your answers it got: {content}. Nothing else.")


def _sampled(count: int) -> Happened:
    sentence = ngettext(
        "{server} borrowed a language model. It got {n} answer, which you had approved or written, and nothing else.",
        "{server} borrowed a language model. It got {n} answers, which you had approved or written, and nothing else.",
        count,
    )
    return Happened(code="sampled", sentence=_numbers(sentence, n=count))


def _opened(request: InputRequest) -> Happened:
    host = link_of(request).host
    if request.state is RequestState.COMPLETED:
        sentence = _(
            "You finished at {host}: {server} got only your yes from this page, and what you entered stayed there."
        )
        return Happened(code="visited", sentence=sentence, host=host)
    sentence = _("You opened {host}; {server} learned through this page only that you agreed to open it.")
    return Happened(code="opened", sentence=sentence, host=host)


def _without_content(call: Call, requests: Sequence[InputRequest], count: int) -> Happened:
    if not requests:
        sentence = _("{server} ended without a question, and got nothing from you.")
        return Happened(code="ended", sentence=sentence)
    if call.state is CallState.CANCELLED:
        return _stopped(call, requests[-1], count)
    if any(each.delivery is Delivery.FAILED for each in requests):
        sentence = _("Your answer did not reach {server}, so it got nothing from you.")
        return Happened(code="lost", sentence=sentence)
    if refused := sum(each.count for each in requests if each.state is RequestState.REFUSED):
        sentence = _("{server} asked {n} times: {refused} were refused for you, and it got nothing that it asked for.")
        return Happened(code="nothing", sentence=_numbers(sentence, n=count, refused=refused))
    if count == 1:
        return _one_without_content(requests[0])
    sentence = _("{server} asked {n} times, and got nothing that it asked for.")
    return Happened(code="nothing", sentence=_numbers(sentence, n=count))


def _stopped(call: Call, last: InputRequest, count: int) -> Happened:
    if call.reason_code is ReasonCode.ENDED_BY_DEMO:
        sentence = _("The demo ended this when you ran another attack, so {server} got no answer.")
        return Happened(code="interrupted", sentence=sentence)
    if is_sampling(last) and last.state is RequestState.DECLINED:
        # A request for a language model has no word for no in 2026-07-28, so declining it ends the call.
        sentence = _("You declined, which ended the call, so {server} got nothing from you.")
        return Happened(code="declined", sentence=sentence)
    several = ngettext(
        "You stopped the call after {n} question, and {server} got nothing that it asked for.",
        "You stopped the call after {n} questions, and {server} got nothing that it asked for.",
        count,
    )
    sentence = _("You stopped the call, so {server} got no answer to its question.") if count == 1 else several
    return Happened(code="stopped", sentence=_numbers(sentence, n=count))


def _one_without_content(request: InputRequest) -> Happened:
    if request.state is RequestState.DECLINED:
        return Happened(code="declined", sentence=_("You declined, so {server} got your no, and nothing else."))
    if request.state is RequestState.CANCELLED:
        sentence = _("You dismissed the question, so {server} learned that you gave no answer, and nothing else.")
        return Happened(code="dismissed", sentence=sentence)
    sentence = _("The question ended before you answered, so {server} got nothing from you.")
    return Happened(code="nothing", sentence=sentence)


def _numbers(sentence: str, **numbers: int) -> str:
    # The other placeholders are filled by the template, which marks server and content as such.
    for name, number in numbers.items():
        sentence = sentence.replace(f"{{{name}}}", str(number))
    return sentence
