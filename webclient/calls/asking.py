"""Puts the requests of a call's next round, which came in a result or in an error, and notes which links are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from webclient.calls.outcomes import InputRequired
from webclient.calls.required_links import LinksRequired, UnopenedError
from webclient.calls.rounds import InputRound, LinksRound, Reply, Round, check_rounds
from webclient.calls.running import RunningCalls
from webclient.i18n import gettext as _
from webclient.inbox import Inbox
from webclient.inbox.intake import Intake
from webclient.model import Call, InputRequest
from webclient.servers.connection import Connection


class Asking:
    """The rounds of one call, as they begin."""

    def __init__(self, call: Call, inbox: Inbox, running_calls: RunningCalls, questions: Intake) -> None:
        self._call = call
        self._inbox = inbox
        self._running_calls = running_calls
        self._intake = questions

    async def next(
        self, connection: Connection, current: Round | None, outcome: InputRequired | LinksRequired
    ) -> Round:
        """Put the questions of the round that follows `current`; they came on `connection`.

        Raises TooManyRoundsError, TooLargeError, RefusedError and UnopenedError.
        """
        unanswered = check_rounds(current)
        read = await self._read(connection, current, outcome, current.number + 1 if current else 1)
        following = replace(read, unanswered_before=unanswered)
        requests = list(following.requests.values())
        try:
            await self.went_on(current, following.requests)
            if following.open:
                await self._running_calls.save_checkpoint(self._call, following.checkpoint)
            await self._intake.put(connection, self._call, [each for each in requests if each.pending])
        finally:
            self._intake.release(requests)
        return following

    async def went_on(self, current: Round | None, still: Mapping[str, InputRequest] | None = None) -> None:
        """Note that the server no longer waits for the opened links of `current` but those that it asks `still`."""
        asked_still = {request.id for request in (still or {}).values()}
        for request in current.opened if isinstance(current, InputRound) else ():
            if request.id not in asked_still:
                await self._inbox.links.went_on(request)

    async def _read(
        self, connection: Connection, current: Round | None, outcome: InputRequired | LinksRequired, number: int
    ) -> Round:
        if isinstance(outcome, LinksRequired):
            links = await self._links(connection, outcome, number)
            sent = current.reply if current else Reply()
            return LinksRound(number=number, requests=links, error=outcome.error, sent=sent)
        connection.limits.check_state(outcome.state)
        opened = current.opened_again(outcome.entries) if isinstance(current, InputRound) else {}
        requests = await self._intake.round(connection, self._call, outcome.entries, number, opened=opened)
        return InputRound(number=number, requests=requests, state=outcome.state)

    async def _links(self, connection: Connection, required: LinksRequired, number: int) -> dict[str, InputRequest]:
        requests = await self._intake.required(connection, self._call, required.links, required.refused, number)
        if not required.links:
            message = _("The server needs you to open a link first, but did not say which: {missing}.")
            raise UnopenedError({**required.error, "message": message.format(missing=required.missing)})
        if requests is None:
            message = _("You muted {label}, so the links that it needs were not shown.")
            message = message.format(label=self._call.server_label)
            raise UnopenedError({**required.error, "message": message})
        return requests
