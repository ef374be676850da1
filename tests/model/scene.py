"""One moment of a run: the model's record, the testimony of the witnesses, and the rows of the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.model.ledger import Ledger
from tests.model.testimony import Testimony
from webclient.domain.model import Call, InputRequest, Origin, RequestState

Move = tuple[str, str, str, str]
"""Call or request, its id, and the states from and to."""


@dataclass(frozen=True, slots=True)
class Scene:
    """All that the rules look at. `seats` has the names of seats by the ids of servers, `moves` the new moves."""

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
        """Return the name of the seat of a request or a call."""
        return self.seats[thing.server_id]

    def calm(self, thing: InputRequest | Call) -> bool:
        """Return whether nothing went wrong at its seat since it was begun, or seen."""
        if isinstance(thing, InputRequest):
            return self.ledger.calm_since(self.seat(thing), self.ledger.first_seen[thing.id])
        # A call that is not in the ledger was begun just when the program was killed.
        begun = self.ledger.calls.get(thing.id)
        return begun is not None and self.ledger.calm_since(begun.seat, begun.troubles)


def holds(request: InputRequest) -> bool:
    """Return whether its call waits for it."""
    # The server has its answer to a link that it pushed; its call waits no more for it.
    return request.pending or (request.state is RequestState.WAITING and request.origin is not Origin.PUSHED)


def named(request: InputRequest) -> str:
    """Describe a request in short."""
    return f"{request.origin} {request.kind} {request.params.get('message')} ({request.state}, call {request.call_id})"
