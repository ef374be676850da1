"""The model's record of everything begun, answered and broken, and so the possible ends of each call and request."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from webclient.domain.model import Action, Call, Json, ProgramToken


@dataclass(frozen=True, slots=True)
class Begun:
    """A call that was begun at `seat` with this script; it had had so many `troubles` at the last look before."""

    seat: str
    script: Json
    troubles: int


@dataclass(frozen=True, slots=True)
class Given:
    """An answer of the person that won."""

    action: Action
    content: Json | None


@dataclass(eq=False, slots=True)
class Errand:
    """A call of the `tool` that an agent wants at the `seat` with this script, sent again until its result has come.

    The program had been started again `restarts` times when it was first sent. `sent` are the requests that wait for
    it now, with what makes each go away. `doubled` is how often it was sent while another request of it waited, and
    `refused` how many responses let its agent send it again. `answer` is its response; it is `over` with that, if its
    agent cancels it, and if the agent is `revoked`.
    """

    agent: ProgramToken
    seat: str
    script: Json
    restarts: int
    tool: str = "play"
    call_id: str = ""
    sent: dict[asyncio.Task[None], asyncio.Event] = field(default_factory=dict)
    doubled: int = 0
    refused: int = 0
    answer: Json | None = None
    over: bool = False
    revoked: bool = False

    @property
    def tag(self) -> str:
        """The tag of its call."""
        return str(self.script["tag"])


@dataclass(slots=True)
class Ledger:
    """All that was done, by the ids of calls and requests.

    `troubles` counts, for each seat, what may have cost it a connection, a call or a request; nothing may be lost
    where there was none. `before` is how many there were at the last look, `first_seen` how many at the last look
    before a request was seen. `forgotten` are the seats that no longer know their clients, or did not once; `lost` is
    what a step found missing. `declining` is when the program was last killed while it declined all
    requests of a server: which of them were declined by then is unknown. `agents` are those whose tokens are valid,
    `errands` what they wanted, and `restarts` how often the program was started again.
    """

    calls: dict[str, Begun] = field(default_factory=dict)
    given: defaultdict[str, list[Given]] = field(default_factory=lambda: defaultdict(list))
    cancelled: set[str] = field(default_factory=set)
    expired: set[str] = field(default_factory=set)
    ever_muted: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    troubles: Counter[str] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)
    first_seen: dict[str, int] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    declining: dict[str, datetime] = field(default_factory=dict)
    agents: list[ProgramToken] = field(default_factory=list)
    errands: list[Errand] = field(default_factory=list)
    restarts: int = 0

    def begin(self, call_id: str, seat: str, script: Json) -> None:
        """Note that a call was begun."""
        self.calls[call_id] = Begun(seat, script, self.before[seat])

    def begun_by_agent(self, call: Call) -> None:
        """Note that a call was begun for an agent."""
        errand = next(each for each in reversed(self.errands) if each.script == call.arguments)
        errand.call_id = call.id
        self.begin(call.id, errand.seat, errand.script)
        if errand.revoked:
            self.cancelled.add(call.id)

    def calm_since(self, seat: str, troubles: int) -> bool:
        """Return whether nothing went wrong at the seat since it had had so many troubles."""
        return self.troubles[seat] == troubles
