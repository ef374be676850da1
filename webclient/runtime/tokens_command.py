"""`mcp-webclient tokens`: make, list and revoke the tokens of programs, also while mcp-webclient runs.

The token itself is the only thing that `create` writes to standard output, so that a script can read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from webclient.content.visible_text import visible
from webclient.domain.model import EVERYONE, LOCAL_USER, ProgramToken, is_user_header
from webclient.runtime.beside import decoded, refuse, run
from webclient.runtime.cli_options import DatabaseURL, DataDir

if TYPE_CHECKING:
    from webclient.store import Store

SCOPES = ("ask", "read", "answer", "gateway", "admin")

commands = typer.Typer(help="Make, list and revoke the tokens of programs.", no_args_is_help=True)


User = Annotated[str, typer.Option("--user", help="The id of the user for whom the program acts.")]
Label = Annotated[str, typer.Argument(help="The program, as its questions name it.")]
ScopeNames = Annotated[
    list[str], typer.Option("--scope", help="What it may do: ask, read, answer, gateway or admin; repeatable.")
]
MayAsk = Annotated[
    list[str],
    typer.Option("--may-ask", help="The id of another user whom it may ask, or `everyone`; repeatable.", metavar="ID"),
]
Patience = Annotated[
    float | None,
    typer.Option("--patience", help="The seconds for which an agent waits for a result.", min=1, max=86_400),
]
UserHeader = Annotated[
    str | None,
    typer.Option(
        "--user-header",
        help="The header that names the user for whom each request to the gateway is; with the scope gateway alone.",
        metavar="NAME",
    ),
]
TokenId = Annotated[str, typer.Argument(help="The id of the token, which `list` shows.")]


@commands.command("create")
def create(
    label: Label,
    *,
    scope: ScopeNames = ["ask"],  # noqa: B006  (typer wants a list, and it is never changed)
    user: User = LOCAL_USER,
    may_ask: MayAsk = [],  # noqa: B006  (as above)
    patience: Patience = None,
    user_header: UserHeader = None,
    data_dir: DataDir = None,
    database_url: DatabaseURL = None,
) -> None:
    """Make a token, and print it: it is not stored, and is never shown again."""
    if unknown := sorted(set(scope) - set(SCOPES)):
        refuse(f"“{visible(unknown[0], 40)}” is not a scope. Use ask, read, answer, gateway or admin.")
    if user_header is not None and not is_user_header(user_header):
        refuse(f"“{visible(user_header, 40)}” cannot name a user. Use a header such as X-OpenWebUI-User-Email.")
    if user_header is not None and (set(scope) != {"gateway"} or may_ask):
        refuse("With --user-header, the scope is gateway alone, and --may-ask is left out.")
    label = decoded(label).strip()
    if not label:
        refuse("Name the program.")

    async def make(store: Store) -> tuple[ProgramToken, str]:
        from webclient.auth import Scope, new_token  # noqa: PLC0415  (loading takes a second)

        others = [EVERYONE if name == "everyone" else name for name in may_ask]
        token, secret = new_token(
            user, label, [Scope(name) for name in scope], others, patience=patience, user_header=user_header
        )
        await store.of(user).tokens.add(token, secret)
        return token, secret

    token, secret = run(make, data_dir, database_url)
    typer.echo(f"Token {token.id} for {visible(token.label, 80)}, with the scopes {', '.join(token.scopes)}:", err=True)
    typer.echo(secret)


@commands.command("list")
def list_tokens(*, user: User = LOCAL_USER, data_dir: DataDir = None, database_url: DatabaseURL = None) -> None:
    """List all tokens, newest first, without their secrets."""

    async def read(store: Store) -> list[ProgramToken]:
        return await store.of(user).tokens.all()

    for token in run(read, data_dir, database_url):
        state = "revoked" if token.revoked_at else "muted" if token.muted_at else "valid"
        used = f"used {token.used_at:%Y-%m-%d %H:%M}Z" if token.used_at else "never used"
        scopes = ",".join(token.scopes)
        typer.echo(f"{token.id}  …{token.hint}  {state:7}  {scopes}  {used}  {visible(token.label, 80)}")


@commands.command("revoke")
def revoke(
    token_id: TokenId, *, user: User = LOCAL_USER, data_dir: DataDir = None, database_url: DatabaseURL = None
) -> None:
    """Revoke a token for good: its program is refused from now on."""

    async def end(store: Store) -> ProgramToken:
        return await store.of(user).tokens.revoke(token_id)

    token = run(end, data_dir, database_url)
    typer.echo(f"Revoked: {visible(token.label, 80)}.", err=True)
