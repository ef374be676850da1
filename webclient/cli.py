"""The command line: `serve`, `demo`, `import`, `tokens` and `rotate-key`.

Standard output carries the ready line and nothing else, so that a program can wait for it; the rest goes to
standard error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Never

import typer

from webclient import demo_servers, exit_status, tokens_command
from webclient.assertion_settings import AssertionKind
from webclient.config_file import ServerConfig, read_config
from webclient.demo import MODELS
from webclient.errors import WebclientError
from webclient.import_command import import_servers
from webclient.loading import loading
from webclient.log_lines import LogFormat, log_as, log_to_standard_error
from webclient.model import COMMAND_LINE, acting
from webclient.settings import Settings, load_settings

SHORT_TOKEN = 16
"""A token with fewer characters could be guessed."""

app = typer.Typer(
    help="See and answer in the browser what MCP servers ask.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)


def _option(name: str, setting: str) -> Any:
    return typer.Option(name, help=Settings.model_fields[setting].description, show_default=False)


Host = Annotated[str | None, _option("--host", "host")]
Port = Annotated[int | None, _option("--port", "port")]
UnixSocket = Annotated[Path | None, _option("--unix-socket", "unix_socket")]
Token = Annotated[str | None, _option("--token", "token")]
IdentityWays = Annotated[list[str] | None, _option("--identity", "identity")]
EmbeddersFile = Annotated[Path | None, _option("--embedders", "embedders")]
AuthHeader = Annotated[str | None, _option("--auth-header", "auth_header")]
AuthJwt = Annotated[AssertionKind | None, _option("--auth-jwt", "auth_jwt")]
AuthAudience = Annotated[str | None, _option("--auth-audience", "auth_audience")]
AuthIssuer = Annotated[str | None, _option("--auth-issuer", "auth_issuer")]
AuthSigner = Annotated[str | None, _option("--auth-signer", "auth_signer")]
AuthKeys = Annotated[str | None, _option("--auth-keys", "auth_keys")]
OidcIssuer = Annotated[str | None, _option("--oidc-issuer", "oidc_issuer")]
OidcClientID = Annotated[str | None, _option("--oidc-client-id", "oidc_client_id")]
OidcSecretFile = Annotated[Path | None, _option("--oidc-client-secret-file", "oidc_client_secret_file")]
OidcRolesClaim = Annotated[str | None, _option("--oidc-roles-claim", "oidc_roles_claim")]
OidcAdmins = Annotated[list[str] | None, _option("--oidc-admin-group", "oidc_admin_groups")]
OidcAllowedGroups = Annotated[list[str] | None, _option("--oidc-allow-group", "oidc_allowed_groups")]
OidcAllowedDomains = Annotated[list[str] | None, _option("--oidc-allow-domain", "oidc_allowed_domains")]
Admins = Annotated[list[str] | None, _option("--admin", "admins")]
Config = Annotated[Path | None, _option("--config", "config")]
ModelsFile = Annotated[Path | None, _option("--models", "models")]
DataDir = Annotated[Path | None, _option("--data-dir", "data_dir")]
DatabaseURL = Annotated[str | None, _option("--database-url", "database_url")]
PublicURL = Annotated[str | None, _option("--public-url", "public_url")]
AllowedHosts = Annotated[list[str] | None, _option("--allowed-host", "allowed_hosts")]
TrustedProxies = Annotated[list[str] | None, _option("--trusted-proxy", "trusted_proxies")]
ServerNetworks = Annotated[list[str] | None, _option("--server-network", "server_networks")]
LogFormatOption = Annotated[LogFormat | None, _option("--log-format", "log_format")]
WireLog = Annotated[Path | None, _option("--wire-log", "wire_log")]
OneTimeLink = Annotated[bool | None, _option("--one-time-link", "one_time_link")]
OpenBrowser = Annotated[bool | None, _option("--open/--no-open", "open_browser")]
EmbedOrigins = Annotated[list[str] | None, _option("--embed-origin", "embed_origins")]


def _command(*demo: demo_servers.DemoServer, guided: bool = False) -> Callable[..., None]:
    # Both commands take the same options and differ in the servers that they add to those of the config.
    def command(
        *,
        host: Host = None,
        port: Port = None,
        unix_socket: UnixSocket = None,
        token: Token = None,
        identity: IdentityWays = None,
        embedders: EmbeddersFile = None,
        auth_header: AuthHeader = None,
        auth_jwt: AuthJwt = None,
        auth_audience: AuthAudience = None,
        auth_issuer: AuthIssuer = None,
        auth_signer: AuthSigner = None,
        auth_keys: AuthKeys = None,
        oidc_issuer: OidcIssuer = None,
        oidc_client_id: OidcClientID = None,
        oidc_client_secret_file: OidcSecretFile = None,
        oidc_roles_claim: OidcRolesClaim = None,
        oidc_admin_group: OidcAdmins = None,
        oidc_allow_group: OidcAllowedGroups = None,
        oidc_allow_domain: OidcAllowedDomains = None,
        admin: Admins = None,
        config: Config = None,
        models: ModelsFile = None,
        data_dir: DataDir = None,
        database_url: DatabaseURL = None,
        public_url: PublicURL = None,
        allowed_host: AllowedHosts = None,
        embed_origin: EmbedOrigins = None,
        trusted_proxy: TrustedProxies = None,
        server_network: ServerNetworks = None,
        one_time_link: OneTimeLink = None,
        open_browser: OpenBrowser = None,
        wire_log: WireLog = None,
        log_format: LogFormatOption = None,
    ) -> None:
        _run(
            demo,
            guided,
            host=host,
            port=port,
            unix_socket=unix_socket,
            token=token,
            identity=identity,
            embedders=embedders,
            auth_header=auth_header,
            auth_jwt=auth_jwt,
            auth_audience=auth_audience,
            auth_issuer=auth_issuer,
            auth_signer=auth_signer,
            auth_keys=auth_keys,
            oidc_issuer=oidc_issuer,
            oidc_client_id=oidc_client_id,
            oidc_client_secret_file=oidc_client_secret_file,
            oidc_roles_claim=oidc_roles_claim,
            oidc_admin_groups=oidc_admin_group,
            oidc_allowed_groups=oidc_allow_group,
            oidc_allowed_domains=oidc_allow_domain,
            admins=admin,
            config=config,
            models=models,
            data_dir=data_dir,
            database_url=database_url,
            public_url=public_url,
            allowed_hosts=allowed_host,
            embed_origins=embed_origin,
            trusted_proxies=trusted_proxy,
            server_networks=server_network,
            one_time_link=one_time_link,
            open_browser=open_browser,
            wire_log=wire_log,
            log_format=log_format,
        )

    return command


app.command("serve", help="Serve the inbox for the MCP servers of the config.")(_command())
app.command("demo", help="Serve a guided demo with servers of its own: nothing to set up.")(
    _command(demo_servers.trips, demo_servers.office, demo_servers.hostile, guided=True)
)


app.command("import", help="Take over servers that other programs are configured with.")(import_servers)
app.add_typer(tokens_command.commands, name="tokens")


@app.command("rotate-key", help="Seal the tokens and header values in the database with a new key.")
def rotate_key(*, data_dir: DataDir = None, database_url: DatabaseURL = None) -> None:
    """Seal all secrets again, while the program does not run."""
    log_to_standard_error()
    try:
        settings = load_settings(data_dir=data_dir, database_url=database_url)
        from webclient import store  # noqa: PLC0415  (see `_serve`)

        with ExitStack() as alone:
            if settings.database_url is None:
                alone.enter_context(store.lock_data_dir(settings.data_dir))
            alone.enter_context(acting(COMMAND_LINE))
            rotated = store.rotate_key(settings.data_dir, settings.database_url, secret_keys=settings.secret_keys)
    except WebclientError as error:
        _refuse(str(error))
    _say(f"Rows that are sealed with the new key now: {rotated.sealed}.")
    if rotated.lost:
        _say(f"Rows that no key opens: {rotated.lost}. Their servers need a new sign-in, or their headers again.")
    if settings.secret_keys:
        _say("All keys in WEBCLIENT_SECRET_KEYS but the first can be dropped now.")


def _run(demo: Sequence[demo_servers.DemoServer], guided: bool, **given: Any) -> None:
    log_to_standard_error()
    try:
        settings = load_settings(**given)
        log_as(settings.log_format)
        if guided and settings.models is None:
            settings = settings.model_copy(update={"models": MODELS})
        configured = read_config(settings.config, os.environ) if settings.config else []
        for each in configured:
            if each.error:
                _say(each.error)
        _prepare(settings)
        _serve(settings, configured, demo, guided=guided)
    except WebclientError as error:
        _refuse(str(error))


def _serve(
    settings: Settings, configured: Sequence[ServerConfig], demo: Sequence[demo_servers.DemoServer], *, guided: bool
) -> None:
    try:
        with loading():
            # Loading these takes seconds, which `--help`, `import` and a wrong setting do without.
            from webclient import serving, store, wire_log  # noqa: PLC0415
    except KeyboardInterrupt:
        raise typer.Exit(exit_status.INTERRUPTED) from None
    with ExitStack() as running:
        if settings.database_url is None:
            running.enter_context(store.lock_data_dir(settings.data_dir))
        store.prepare(settings.data_dir, settings.database_url, secret_keys=settings.secret_keys)
        if settings.wire_log:
            wire_log.LogFile(settings.wire_log, settings.max_wire_log_file_bytes).check()
        added = [running.enter_context(server(settings.data_dir)) for server in demo]
        serving.serve(settings, [*configured, *added], guided=guided)


def _prepare(settings: Settings) -> None:
    if len(settings.token) < SHORT_TOKEN:
        _say("The token is short enough to be guessed; leave it out to have a good one made.")
    folder = settings.data_dir
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        _refuse(f"The data folder {folder} cannot be made: {error.strerror}.")
    # Only a warning: someone may share the folder on purpose, and it is theirs. Windows has no such bits.
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        _say(f"Other users can look into the data folder {folder}; chmod 700 would stop that.")


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)


def _refuse(sentence: str) -> Never:
    _say(sentence)
    raise typer.Exit(exit_status.USAGE)
