"""`mcp-webclient users`: list, add, disable, enable, delete and sign out users, also while mcp-webclient runs.

A running program sees within a second what was changed, and ends streams and connections then.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from webclient.content.visible_text import visible
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.model import HOST_ISSUER, LOCAL_ISSUER, LOCAL_USER, Person, User, folded_email
from webclient.runtime.beside import decoded, refuse, run
from webclient.runtime.cli_options import DatabaseURL, DataDir
from webclient.settings import load_settings

if TYPE_CHECKING:
    from webclient.store import Store

PATIENCE = 10.0
"""Seconds for which `delete` waits for the running program."""

PAUSE = 0.2
"""Seconds between two looks whether it has deleted the user."""

commands = typer.Typer(help="List, add, disable, enable, delete and sign out users.", no_args_is_help=True)

Named = Annotated[str, typer.Argument(metavar="USER", help="The user's ID, e-mail address or subject.")]
Search = Annotated[str, typer.Option("--search", help="Words; each must be in the name, e-mail address or subject.")]
Disabled = Annotated[
    bool | None, typer.Option("--disabled/--enabled", help="Only users who are disabled, or who are not.")
]
Issuer = Annotated[
    str,
    typer.Option(
        "--issuer",
        help="proxy, the URL of the OpenID provider, or host: and the name of an embedding application; by default "
        "that of WEBCLIENT_OIDC_ISSUER.",
    ),
]
Subject = Annotated[str, typer.Option("--subject", help="The name of the user at the issuer.")]
Email = Annotated[str, typer.Option("--email", help="The e-mail address that the issuer has verified.")]
Name = Annotated[str, typer.Option("--name", help="The name that is shown until the first sign-in.")]
EvenLast = Annotated[bool, typer.Option("--even-last", help="Also the last administrator.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@commands.command("list")
def list_users(
    *, search: Search = "", disabled: Disabled = None, data_dir: DataDir = None, database_url: DatabaseURL = None
) -> None:
    """List users in the order in which they first came."""

    async def read(store: Store) -> list[User]:
        from webclient.store import UserFilter  # noqa: PLC0415  (loading takes a second)

        found, _is_more = await store.users.page(UserFilter(query=decoded(search), disabled=disabled))
        return [user for user, _counts in found]

    for user in run(read, data_dir, database_url):
        state = "disabled" if user.disabled_at else "awaited" if user.is_awaited else "enabled"
        signed_in = f"signed in {user.signed_in_at:%Y-%m-%d %H:%M}Z" if user.signed_in_at else "never signed in"
        names = [visible(text, 80) for text in (user.name, user.email, user.known_subject) if text]
        typer.echo(f"{user.id}  {state:8}  {user.role.value:5}  {signed_in}  {', '.join(dict.fromkeys(names))}")


@commands.command("add")
def add(
    *,
    subject: Subject = "",
    email: Email = "",
    issuer: Issuer = "",
    name: Name = "",
    data_dir: DataDir = None,
    database_url: DatabaseURL = None,
) -> None:
    """Add a user who has not signed in yet, so that programs can ask them; print the ID.

    The first sign-in that proves the subject, or the e-mail address, is that of this user.
    """
    subject, email, issuer, name = map(decoded, (subject, email, issuer, name))
    if bool(subject) is bool(email):
        refuse("Name the user by --subject or by --email.")
    if not all(each.isprintable() for each in (subject, email, issuer, name)) or len(name + email) > 400:
        refuse("Names have printable characters only, and at most 400.")
    if email and "@" not in email:
        refuse(f"“{visible(email, 80)}” is not an e-mail address.")
    issuer = issuer or load_settings(data_dir=data_dir, database_url=database_url).oidc_issuer or ""
    if not issuer or issuer == LOCAL_ISSUER or len(issuer) > 255 or len(subject) > 255:
        refuse("Name the issuer by --issuer: proxy, the URL of the OpenID provider, or host:NAME.")
    if email and issuer.startswith(HOST_ISSUER):
        refuse("This issuer names no e-mail addresses. Name the user by --subject.")

    async def make(store: Store) -> tuple[User, bool]:
        return await store.users.add(Person(issuer=issuer, subject=subject, email=email, name=name))

    user, is_new = run(make, data_dir, database_url)
    said = "Added" if is_new else "Known already"
    typer.echo(f"{said}: {visible(user.shown_name, 80)}.", err=True)
    typer.echo(user.id)


@commands.command("disable")
def disable(
    named: Named, *, even_last: EvenLast = False, data_dir: DataDir = None, database_url: DatabaseURL = None
) -> None:
    """Disable a user: end sign-ins, streams and connections, and refuse their requests and programs."""

    async def shut_out(store: Store) -> User:
        user = await _changeable(store, named)
        await store.users.disable(user.id, even_last=even_last)
        return user

    user = run(shut_out, data_dir, database_url)
    typer.echo(f"Disabled: {visible(user.shown_name, 80)}.", err=True)


@commands.command("enable")
def enable(named: Named, *, data_dir: DataDir = None, database_url: DatabaseURL = None) -> None:
    """Let a disabled user sign in again."""

    async def let_in(store: Store) -> User:
        user = await _changeable(store, named)
        await store.users.enable(user.id)
        return user

    user = run(let_in, data_dir, database_url)
    typer.echo(f"Enabled: {visible(user.shown_name, 80)}.", err=True)


@commands.command("sign-out")
def sign_out(named: Named, *, data_dir: DataDir = None, database_url: DatabaseURL = None) -> None:
    """End all sign-ins of a user in browsers and frames; tokens of programs go on."""

    async def end(store: Store) -> tuple[User, int]:
        user = await _found(store, named)
        sign_ins = await store.open_sessions.of(user.id)
        return user, await store.open_sessions.end(user.id, [each.id for each in sign_ins])

    user, ended = run(end, data_dir, database_url)
    typer.echo(f"Sign-ins of {visible(user.shown_name, 80)} that were ended: {ended}.", err=True)


@commands.command("delete")
def delete(
    named: Named,
    *,
    yes: Yes = False,
    even_last: EvenLast = False,
    data_dir: DataDir = None,
    database_url: DatabaseURL = None,
) -> None:
    """Delete a user with everything of theirs.

    The user is disabled at once. The running program deletes the rows, or does so at its next start.
    """

    async def find(store: Store) -> User:
        return await _changeable(store, named)

    async def shut_out(store: Store) -> bool:
        await store.users.disable(user.id, even_last=even_last)
        await store.users.want_erased(user.id)
        typer.echo(
            f"Disabled: {shown}. Waiting up to {PATIENCE:.0f} seconds until mcp-webclient deletes them.", err=True
        )
        until = monotonic() + PATIENCE
        # Another process deletes the rows; only the database shows when.
        while (left := await store.users.get(user.id)) and monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(PAUSE)
        return left is None

    user = run(find, data_dir, database_url)
    shown = visible(user.shown_name, 80)
    if not yes:
        typer.confirm(f"Delete {shown}, with all servers, questions, answers and history?", abort=True, err=True)
    if run(shut_out, data_dir, database_url):
        typer.echo(f"Deleted: {shown}.", err=True)
    else:
        typer.echo(f"Not deleted yet: {shown}. mcp-webclient deletes them when it runs.", err=True)


async def _changeable(store: Store, named: str) -> User:
    user = await _found(store, named)
    if user.id == LOCAL_USER:
        raise ConflictError("The user of the token can be neither disabled nor deleted.")
    return user


async def _found(store: Store, named: str) -> User:
    """Return the one user with this ID, e-mail address or subject. Raises NotFoundError and ConflictError."""
    named = decoded(named)
    if user := await store.users.get(named):
        return user
    folded = folded_email(named)
    found = [
        each for each in await store.users.all() if folded in (folded_email(each.email), folded_email(each.subject))
    ]
    if len(found) > 1:
        ids = ", ".join(each.id for each in found)
        raise ConflictError(f"Several users have this name. Name one by the ID: {ids}.")
    if not found:
        raise NotFoundError(f"There is no user “{visible(named, 80)}”. `mcp-webclient users list` shows all.")
    return found[0]
