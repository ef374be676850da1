"""Rules for the answers that witnesses received: one answer to each request, and the one that the person gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.model.scene import Scene, named
from webclient.domain.model import Delivery, InputRequest


def answers_match(scene: Scene) -> Iterator[str]:
    """Yield each answer that differs from what the person gave, or came twice."""
    yield from _testimony(scene)
    yield from _delivered(scene)
    yield from _recorded(scene)


def _testimony(scene: Scene) -> Iterator[str]:
    for seat, witness in scene.testimony.items():
        for message, answers in witness.answers.items():
            request = scene.by_message.get(message)
            yield from _answered_once(message, answers)
            for answer in answers:
                if not _was_given(answer, request, scene):
                    yield f"{seat} got the answer {answer} for {message}, which the person did not say: {request}"
        for round_, turns in witness.rounds.items():
            # Only the last may say something new: that a link is given up.
            if not all(_only_opened(answers, scene) for answers in turns[:-1]):
                yield f"{seat} got the answers of round {round_} {len(turns)} times: {turns}"


def _answered_once(message: str, answers: Sequence[object]) -> Iterator[str]:
    # An opened link may be reported any number of times, until it is given up; every other answer comes once.
    opened = {"action": "accept"}
    if any(answer != opened for answer in answers[:-1]) or (
        answers[-1] not in (opened, {"action": "cancel"}) and answers[1:]
    ):
        yield f"{message} was answered several times: {answers}"


def _only_opened(answers: Mapping[str, object], scene: Scene) -> bool:
    return all(
        answer == {"action": "accept"} and scene.by_message[message].kind == "url"
        for message, answer in answers.items()
    )


def _was_given(answer: Mapping[str, object], request: InputRequest | None, scene: Scene) -> bool:
    given = scene.ledger.given.get(request.id, [None])[0] if request else None
    if "error" in answer or "withdrawn" in answer:
        return True
    if given is None:
        return answer == {"action": "cancel"}
    if request and request.given_up and answer == {"action": "cancel"}:
        return True
    return (answer["action"], answer.get("content")) == (given.action, given.content)


def _delivered(scene: Scene) -> Iterator[str]:
    for request in scene.requests:
        answers = scene.testimony[scene.seat(request)].answers.get(request.params.get("message", ""))
        # However broken everything was: a card may not know, and must not say what the server knows otherwise.
        if request.delivery is Delivery.DELIVERED and not answers:
            yield f"{named(request)} is shown as delivered, and did not arrive"
        if request.delivery is Delivery.FAILED and any("withdrawn" not in each for each in answers or ()):
            yield f"{named(request)} is shown as not delivered, and arrived"


def _recorded(scene: Scene) -> Iterator[str]:
    for seat, witness in scene.testimony.items():
        for message, troubles in witness.requests.items():
            if message in scene.by_message or not scene.ledger.calm_since(seat, troubles):
                continue
            # A slow server may ask after its call was cut off, and the same call may have been begun several times.
            of_tag = scene.of_tag[message.partition("-")[0]]
            if all(scene.calm(call) for call in of_tag) and not _not_shown(witness.answers.get(message), seat, scene):
                yield f"{seat} asked {message}, and it was never there: {witness.answers.get(message)}"


def _not_shown(answers: Sequence[Mapping[str, object]] | None, seat: str, scene: Scene) -> bool:
    # A request that is withdrawn at once may never be stored; several refused requests share one entry.
    muted = seat in scene.ledger.ever_muted
    return answers is not None and (
        "error" in answers[0] or "withdrawn" in answers[0] or (muted and answers[0]["action"] == "cancel")
    )
