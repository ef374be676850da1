"""Everything there is to look at in one moment: what the model believes, the witnesses say, and the database holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.model.ledger import Ledger
from tests.model.testimony import Testimony
from webclient.model import Call, Came, InputRequest, RequestState

Move = tuple[str, str, str, str]
"""Call or request, its id, and the states from and to."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What there is to look at. `seats` are the names of the seats by the ids of their servers, `moves` what is new."""

    ledger: Ledger
    testimony: Mapping[str, Testimony]
    seats: Mapping[str, str]
    requests: Sequence[InputRequest]
    calls: Sequence[Call]
    moves: Sequence[Move]
    of_call: defaultdict[str | None, list[InputRequest]] = field(default_factory=lambda: defaultdict(list))
    of_tag: defaultdict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))
    by_message: dict[str, InputRequest] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for request in self.requests:
            self.of_call[request.call_id].append(request)
            self.by_message[request.params.get("message", "")] = request
        for call in self.calls:
            self.of_tag[(call.arguments or {})["tag"]].append(call)

    def seat(self, thing: InputRequest | Call) -> str:
        """Return the name of the seat of a question or a call."""
        return self.seats[thing.server_id]

    def calm(self, thing: InputRequest | Call) -> bool:
        """Whether nothing went wrong at its seat since it was begun, or seen."""
        if isinstance(thing, InputRequest):
            return self.ledger.calm_since(self.seat(thing), self.ledger.first_seen[thing.id])
        # Of one whose beginning nobody was told of, the program was killed just then.
        begun = self.ledger.calls.get(thing.id)
        return begun is not None and self.ledger.calm_since(begun.seat, begun.troubles)


def holds(request: InputRequest) -> bool:
    """Whether its call waits for it."""
    # The server has its answer to a link that it pushed; its call waits no more for it.
    return request.pending or (request.state is RequestState.WAITING and request.came is not Came.PUSHED)


def named(request: InputRequest) -> str:
    """Return what a question is, in short."""
    return f"{request.came} {request.kind} {request.params.get('message')} ({request.state}, call {request.call_id})"
