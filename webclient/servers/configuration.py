"""The configuration that is read again without a restart: the config file and the embedders file."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from webclient.auth import HostSessions
from webclient.auth.embedders import Embedder, read_embedders
from webclient.domain.errors import ConflictError
from webclient.domain.i18n import N_, speaking
from webclient.domain.i18n import gettext as _
from webclient.domain.languages import DEFAULT, translations
from webclient.domain.model import AuditAction
from webclient.servers.config_file import ServerConfig, read_config
from webclient.servers.connections import Presence, error_of
from webclient.settings import ConfigError, Settings
from webclient.store import StorageError, Store
from webclient.support import background

logger = logging.getLogger(__name__)


class ReloadError(ConflictError):
    """The files cannot be used, so nothing was changed; the message says what is wrong and where."""

    title = N_("Not reloaded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The names of entries that a file has added, changed and removed."""

    added: Sequence[str] = ()
    changed: Sequence[str] = ()
    removed: Sequence[str] = ()

    @classmethod
    def between(cls, before: Iterable[ServerConfig | Embedder], after: Iterable[ServerConfig | Embedder]) -> Self:
        """Return how two readings of a file differ."""
        old, new = ({each.name: each for each in entries} for entries in (before, after))
        return cls(
            added=[name for name in new if name not in old],
            changed=[name for name, each in new.items() if name in old and old[name] != each],
            removed=[name for name in old if name not in new],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloaded:
    """The changes of a reload: MCP servers, and applications that embed this program."""

    servers: Difference
    applications: Difference


class Configuration:
    """The servers and embedding applications in use, and the files that they come from.

    `beside` are servers that no file names, such as those of the demo.
    """

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        store: Store,
        presence: Presence,
        host: HostSessions | None,
        *,
        configured: Sequence[ServerConfig],
        beside: Sequence[ServerConfig],
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._store = store
        self._presence = presence
        self._host = host
        self._configured = configured
        self._embedders: Sequence[Embedder] = tuple(host.embedders) if host else ()
        self._beside = beside
        self._turn = asyncio.Lock()
        self.on_use: Callable[[], Awaitable[object]] | None = None
        """Called when files are in use; raises StorageError."""

    @property
    def files(self) -> Sequence[Path]:
        """The files that a reload reads."""
        return [path for path in (self._settings.config, self._settings.embedders) if path]

    @property
    def has_audit(self) -> bool:
        """Whether there is an audit trail, which only programs with several users have."""
        return self._settings.has_users

    async def reload(self, *, for_all: bool = True) -> Reloaded:
        """Read the files again, and use all of them or none. Reloads come one after the other.

        With `for_all`, it is recorded, and other processes read their files as well. Raises ReloadError for a wrong
        file, and StorageError.
        """
        if not self.files:
            raise ReloadError(_("There is nothing to reload: this program was started without a config file."))
        # Shielded: a browser that leaves must not stop it half-way.
        return await background.shared(background.start(self._in_turn(for_all=for_all), name="reload", awaited=True))

    async def follow(self) -> None:
        """Read the files again, because another process has."""
        if self.files:
            # The log says why they cannot be used.
            with suppress(ReloadError):
                await self.reload(for_all=False)

    async def _in_turn(self, *, for_all: bool) -> Reloaded:
        async with self._turn:
            try:
                servers, embedders = await asyncio.to_thread(self._read)
                self._check(servers)
                # Without the database the rows of servers and sessions would stay behind.
                await self._store.health.probe()
                if self._host:
                    await self._host.use(embedders)
            except (ConfigError, StorageError) as error:
                with speaking(translations(DEFAULT)):
                    logger.warning("Nothing was reloaded: %s", str(error))
                if isinstance(error, StorageError):
                    raise
                await self._record_failure()
                raise ReloadError(
                    _("{wrong} Nothing was changed: the earlier configuration stays in use.").format(wrong=error)
                ) from error
            return await self._use(servers, embedders, for_all=for_all)

    def _read(self) -> tuple[Sequence[ServerConfig], Sequence[Embedder]]:
        config, embedders = self._settings.config, self._settings.embedders
        return (
            read_config(config, self._environ) if config else self._configured,
            read_embedders(embedders, self._environ) if embedders else (),
        )

    def _check(self, servers: Sequence[ServerConfig]) -> None:
        """Refuse an entry that has become wrong; one that was wrong before does not stop the others."""
        before = {each.name: each for each in self._configured}
        for each in servers:
            wrong = error_of(each)
            if wrong and before.get(each.name) != each:
                raise ConfigError(wrong)

    async def _use(self, servers: Sequence[ServerConfig], embedders: Sequence[Embedder], *, for_all: bool) -> Reloaded:
        reloaded = Reloaded(
            servers=Difference.between(self._configured, servers),
            applications=Difference.between(self._embedders, embedders),
        )
        self._configured, self._embedders = servers, embedders
        await self._presence.use([*servers, *self._beside])
        details = _details(reloaded)
        if for_all:
            await self._store.health.write_soon("reload", partial(self._store.audit.add_reload, details))
        if self.on_use:
            await self._store.health.write_soon("use", self.on_use)
        logger.info("The configuration was reloaded: %s", details or "nothing has changed")
        return reloaded

    async def _record_failure(self) -> None:
        record = partial(self._store.audit.add, AuditAction.CONFIG_RELOADED, outcome="failed")
        await self._store.health.write_soon("reload", record)


def _details(reloaded: Reloaded) -> Mapping[str, Sequence[str]]:
    parts = reloaded.servers, reloaded.applications
    named = {
        "entries_added": [name for part in parts for name in part.added],
        "entries_changed": [name for part in parts for name in part.changed],
        "entries_removed": [name for part in parts for name in part.removed],
    }
    return {code: names for code, names in named.items() if names}
