"""The server, call or input request that the path of a route names; one of another user is not found (404).

So are the users of other users, but not of administrators. A cursor names a place in the history.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from webclient.auth import Principal
from webclient.domain.errors import ConflictError, InvalidInputError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Call, InputRequest, Server
from webclient.servers.accounts import Account, is_fixed
from webclient.store import HistoryCursor
from webclient.web.http.context import PrincipalDep, ServicesDep


async def _server(server_id: str, services: ServicesDep, principal: PrincipalDep) -> Server:
    return await services.store.of(principal.user_id).servers.get(server_id)


async def _call(call_id: str, services: ServicesDep, principal: PrincipalDep) -> Call:
    return await services.store.of(principal.user_id).calls.get(call_id)


async def _request(request_id: str, services: ServicesDep, principal: PrincipalDep) -> InputRequest:
    return await services.store.of(principal.user_id).requests.get(request_id)


async def _admin(principal: PrincipalDep) -> Principal:
    if not principal.is_admin:
        # As if there were no such page: what exists here is not for others to learn.
        raise NotFoundError(
            _("Nothing exists at this address. It may have been removed, or the address may be mistyped.")
        )
    return principal


AdminDep = Annotated[Principal, Depends(_admin)]
"""The principal, who is an administrator; anyone else gets 404."""


async def _account(user_id: str, services: ServicesDep, _admin: AdminDep) -> Account:
    return await services.accounts.get(user_id)


AccountDep = Annotated[Account, Depends(_account)]
"""The user whom the path names, for an administrator."""


async def _changeable_account(account: AccountDep, admin: AdminDep) -> Account:
    if is_fixed(account.user, admin.user_id):
        raise ConflictError(_("Neither the user of the token nor you can be disabled or deleted here."))
    return account


ChangeableAccountDep = Annotated[Account, Depends(_changeable_account)]
"""The same, if the administrator may disable and delete the user; else 409."""

# Dependencies run in the order of a route's parameters: name these after everything that must be read before the row.
ServerDep = Annotated[Server, Depends(_server)]
CallDep = Annotated[Call, Depends(_call)]
RequestDep = Annotated[InputRequest, Depends(_request)]


def read_history_cursor(text: str | None) -> HistoryCursor | None:
    """Return the place in the history that a cursor names. Raises InvalidInputError."""
    if not text:
        return None
    try:
        return HistoryCursor.read(text)
    except ValueError:
        message = _("Invalid cursor. Pass the `next` value of the previous page.")
        raise InvalidInputError(message, {"before": message}) from None
