"""What must hold of what the witnesses were told: one answer to each question, and the one that the person gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.model.scene import Scene, named
from webclient.model import Delivery, InputRequest


def heard(scene: Scene) -> Iterator[str]:
    """Yield what is wrong."""
    yield from _testimony(scene)
    yield from _delivered(scene)
    yield from _kept(scene)


def _testimony(scene: Scene) -> Iterator[str]:
    for seat, witness in scene.testimony.items():
        for message, told in witness.told.items():
            request = scene.by_message.get(message)
            yield from _told_once(message, told)
            for answer in told:
                if not _was_given(answer, request, scene):
                    yield f"{seat} was told {answer} for {message}, which the person did not say: {request}"
        for round_, turns in witness.rounds.items():
            # Only the last may say something new: of a link, it is given up.
            if not all(_only_opened(answers, scene) for answers in turns[:-1]):
                yield f"{seat} got the answers of round {round_} {len(turns)} times: {turns}"


def _told_once(message: str, told: Sequence[object]) -> Iterator[str]:
    # That a link was opened may be said as often as one likes, until it is given up; anything else is said once.
    opened = {"action": "accept"}
    if any(answer != opened for answer in told[:-1]) or (told[-1] not in (opened, {"action": "cancel"}) and told[1:]):
        yield f"{message} was answered several times: {told}"


def _only_opened(answers: Mapping[str, object], scene: Scene) -> bool:
    return all(
        answer == {"action": "accept"} and scene.by_message[message].kind == "url"
        for message, answer in answers.items()
    )


def _was_given(answer: Mapping[str, object], request: InputRequest | None, scene: Scene) -> bool:
    given = scene.ledger.given.get(request.id, [None])[0] if request else None
    if "error" in answer or "taken_back" in answer:
        return True
    if given is None:
        return answer == {"action": "cancel"}
    if request and request.given_up and answer == {"action": "cancel"}:
        return True
    return (answer["action"], answer.get("content")) == (given.action, given.content)


def _delivered(scene: Scene) -> Iterator[str]:
    for request in scene.requests:
        told = scene.testimony[scene.seat(request)].told.get(request.params.get("message", ""))
        if request.delivery is Delivery.DELIVERED and not told and scene.calm(request):
            yield f"{named(request)} is shown as delivered, and did not arrive"
        # Of a call that is cancelled while its answers are on their way, nobody hears any more whether they arrived.
        unknown = not scene.ledger.cancelled.isdisjoint({request.call_id, *request.possible_calls}) or (
            told and "taken_back" in told[0]
        )
        if request.delivery is Delivery.FAILED and told and not unknown and scene.calm(request):
            yield f"{named(request)} is shown as not delivered, and arrived"


def _kept(scene: Scene) -> Iterator[str]:
    for seat, witness in scene.testimony.items():
        for message, troubles in witness.asked.items():
            if message in scene.by_message or not scene.ledger.calm_since(seat, troubles):
                continue
            # A server that is slow may ask after its call was cut off; and the same may have been begun several times.
            of_tag = scene.of_tag[message.partition("-")[0]]
            if all(scene.calm(call) for call in of_tag) and not _turned_away(witness.told.get(message), seat, scene):
                yield f"{seat} asked {message}, and it was never there: {witness.told.get(message)}"


def _turned_away(told: Sequence[Mapping[str, object]] | None, seat: str, scene: Scene) -> bool:
    # What is taken back at once need not come as far; of what is turned away, one entry counts several.
    muted = seat in scene.ledger.ever_muted
    return told is not None and (
        "error" in told[0] or "taken_back" in told[0] or (muted and told[0]["action"] == "cancel")
    )
