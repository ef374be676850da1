"""PostgreSQL: its connections, the locks of processes, and which errors are faults of the storage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.types.string import StrDumperUnknown, TextLoader
from sqlalchemy import (
    URL,
    BigInteger,
    ColumnElement,
    Connection,
    Engine,
    cast,
    column,
    create_engine,
    event,
    func,
    literal,
    not_,
    select,
    table,
)
from sqlalchemy.exc import DataError
from sqlalchemy.pool import NullPool

from webclient.domain.model import Reason, ReasonCode
from webclient.store.database.node import LOCAL_NODE
from webclient.store.database.node_connection import CHANNEL
from webclient.store.database.postgresql_text import read_json, read_text, write_json, write_text
from webclient.store.database.storage_errors import StorageError

_LOCK = 0x6D637077
"""The first half of the key of our advisory lock ("mcpw"); the second is the schema's."""

_NODE_LOCK = 0x6D63706E
"""The first half of the key of a node's lock ("mcpn"); the second is made of its id and the schema."""

_MIGRATION_LOCK = 0x6D63706D
"""The first half of the key of the lock on upgrades ("mcpm"), which nodes make one after the other."""

_TO_CONNECT = {
    "application_name": "mcp-webclient",
    "connect_timeout": "5",
    # A server that has gone without a word is noticed within half a minute; otherwise a write would wait for hours.
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
"""Parameters of libpq; an address may say otherwise."""

LOCK_TIMEOUT = "5s"
"""How long a statement waits for a lock: the server may notice late that an earlier connection was closed."""

_LOCK_UPGRADES = select(func.pg_advisory_xact_lock(_MIGRATION_LOCK, func.hashtext(func.current_schema())))

_SETTINGS = (
    "client_encoding = utf8",
    # The same from the other side: the lock of a client that has gone is free again.
    "tcp_keepalives_idle = 10",
    "tcp_keepalives_interval = 5",
    "tcp_keepalives_count = 3",
)

_TO_READ = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}

_MARK = (
    "UPDATE nodes SET started_at = started_at WHERE id = %s AND pg_current_xact_id_if_assigned() IS NOT NULL "
    "RETURNING pg_current_xact_id()::text"
)
_MARKED = "SELECT 1 FROM nodes WHERE xmin = %s::xid8::xid LIMIT 1"

_FAULTS: tuple[tuple[tuple[str, ...], ReasonCode], ...] = (
    (("53100",), ReasonCode.DATABASE_FULL),
    (("25006",), ReasonCode.DATABASE_READ_ONLY),
    (("08", "57P", "57014", "53"), ReasonCode.DATABASE_UNREACHABLE),
    (("28", "3D000", "42501"), ReasonCode.DATABASE_REFUSED),
    (("58", "XX", "55P03", "40"), ReasonCode.DATABASE_UNUSABLE),
)
"""SQLSTATEs, or how they begin (PostgreSQL, Appendix A), and what they mean for a person."""

_REFUSAL = re.compile(
    r"password authentication failed|no password supplied|no pg_hba\.conf entry|authentication failed for user"
    r"|(?:database|role) \".*\" does not exist|permission denied for database|is not permitted to log in"
    r"|certificate verify failed|root certificate file|server certificate for|does not support SSL|invalid \w+ value"
    r"|invalid port number"
)
"""Words of a server, or of libpq, for a wrong address, user or password.

A connection that could not be made has no SQLSTATE (libpq does not pass it on), so the text decides. A server that says
it in another language is taken to be away, which a restart of this program does not make worse.
"""


class PostgreSQL:
    """The database at `url`; nothing is opened until it is used. Its password is in no message.

    One that `shares` it keeps out only another node with the id `node_id`, and programs that do not share the database.
    The locks end with the connection, so other nodes know at once of a process that died (`dead_nodes`). That
    connection goes to the `direct` address, if `url` is that of a pooler.
    """

    writers = 1
    """The connection of the one writer holds the lock that keeps other processes from writing, unless they share."""

    readers = 4

    def __init__(self, url: URL, node_id: str = LOCAL_NODE, *, shares: bool = False, direct: URL | None = None) -> None:
        self._passwords = {str(each.password or each.query.get("password") or "") for each in (url, direct or url)}
        self.engine = _engine(url, pooled=direct is not None)
        self._direct = self.engine if direct is None else _engine(direct)
        self.name = _name(url)
        self.direct_name = _name(direct or url)
        self._is_alone = True
        self._node_id = node_id
        self._shares = shares

    def stand_beside(self) -> None:
        """Write without the lock from now on.

        This is for a command: it adds and changes single rows, which the running program reads when it needs them.
        """
        self._is_alone = False

    def connect(self, *, to_write: bool) -> Connection:
        """Open a connection; one `to_write` has the lock, unless this process shares the database. Raises as `hold`."""
        if to_write and self._is_alone and not self._shares:
            return self.hold()
        connection = self._connect(self.engine)
        # All statements of a unit of work that reads see one state.
        return connection if to_write else connection.execution_options(**_TO_READ)

    def hold(self) -> Connection:
        """Open a connection with the locks of this process. Raises StorageError while another one has them."""
        connection = self._connect(self._direct)
        try:
            self._lock(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def sees_lock(self) -> bool:
        """Return whether the lock at the direct address is in the database at `url`.

        So it is where there is one address.
        """
        if self._direct is self.engine:
            return True
        with closing(self.connect(to_write=False)) as connection:
            return not connection.execute(select(dead_nodes(literal(self._node_id)))).scalar_one()

    def listen(self) -> Connection:
        """Open a connection as `hold` does, which also hears what is announced."""
        connection = self.hold()
        with self._naming_faults():
            raw = _raw(connection)
            raw.execute(f"LISTEN {CHANNEL}".encode())
            raw.commit()
        return connection

    def notes(self, connection: Connection) -> list[str]:
        """Return what was announced until now. Raises StorageError if the connection is lost."""
        with self._naming_faults():
            return [note.payload for note in _raw(connection).notifies(timeout=0)]

    def _connect(self, engine: Engine) -> Connection:
        # A connection that breaks while it is set up is not named by the engine.
        with self._naming_faults():
            return engine.connect()

    @contextmanager
    def _naming_faults(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self.fault(error) or error from None

    def shares_connections(self) -> bool:
        """Return whether a pooler gives each transaction any connection to the server (PgBouncer: transaction mode).

        Locks, settings and prepared statements belong to a connection, so none of them could be relied on. With a
        direct address, this is asked about that one.
        """
        with closing(self._connect(self._direct)) as own:
            process = _process_of(own)
            own.rollback()
            if _raw(own).info.backend_pid == process:
                # The server itself named its process when the connection was opened: nothing is between.
                return False
            with closing(self._connect(self._direct)) as another:
                # A pooler that took our connection back gives it to that transaction, or gives us the next one.
                return _process_of(another) == process or _process_of(own) != process

    def mark(self, connection: Connection) -> str | None:
        """Return the id of the transaction; None if it changed nothing. The row of this node bears it as well."""
        id_: str | None = connection.exec_driver_sql(_MARK, (self._node_id,)).scalar()
        return id_

    def was_committed(self, mark: str) -> bool | None:
        """Ask how the transaction ended: a connection that is lost during COMMIT takes the reply with it."""
        with closing(self.connect(to_write=False)) as connection:
            try:
                state = connection.exec_driver_sql("SELECT pg_xact_status(%s::xid8)", (mark,)).scalar()
            except DataError:
                # The server has crashed, and knows of no transaction with this id.
                return False
            if state != "committed":
                return None if state == "in progress" else False
            # A server that has crashed gives an id again if it had not written anything of its transaction.
            connection.rollback()
            return connection.exec_driver_sql(_MARKED, (mark,)).scalar() is not None

    def scrub(self, _connection: Connection) -> bool:
        """Do nothing: only an administrator can have PostgreSQL overwrite what it keeps of earlier states of rows."""
        return True

    def fault(self, error: BaseException | None) -> StorageError | None:
        """Return the error to raise if nothing can be stored or read now; None if `error` is a mistake of ours."""
        if not isinstance(error, psycopg.Error):
            return None
        state = error.sqlstate or _state_without_connection(error)
        for states, code in _FAULTS:
            if state.startswith(states):
                first_line, *_rest = [*self.masked(str(error)).strip().splitlines(), ""]
                return StorageError(Reason(code), f"{self.name}: {first_line}")
        return None

    def masked(self, text: str) -> str:
        """Return the text without the password."""
        for password in self._passwords - {""}:
            text = text.replace(password, "***")
        return text

    def _lock(self, connection: Connection) -> None:
        how = "pg_advisory_lock_shared" if self._shares else "pg_advisory_lock"
        raw = _raw(connection)
        taken = ReasonCode.DATABASE_IN_USE
        try:
            raw.execute(f"SELECT {how}(%s, hashtext(current_schema()))".encode(), [_LOCK])
            if self._shares:
                taken = ReasonCode.NODE_IN_USE
                raw.execute(
                    "SELECT pg_advisory_lock(%s, hashtext(%s || current_schema()))", [_NODE_LOCK, self._node_id]
                )
            raw.commit()
        except psycopg.errors.LockNotAvailable:
            raise StorageError(Reason(taken), self.name) from None
        except psycopg.Error as error:
            raise self.fault(error) or error from None


def lock_upgrades(connection: Connection) -> None:
    """Have no other node upgrade the tables until this transaction ends."""
    connection.execute(_LOCK_UPGRADES)


def dead_nodes(node_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that no connection has the lock of a node."""
    locks = table(
        "pg_locks", column("locktype"), column("classid"), column("objid"), column("database"), column("granted")
    )
    # The key of a lock is unsigned where locks are listed.
    key = cast(func.hashtext(node_id.concat(func.current_schema())), BigInteger).op("&")(4294967295)
    databases = table("pg_database", column("oid"), column("datname"))
    here = select(databases.c.oid).where(databases.c.datname == func.current_database()).scalar_subquery()
    taken = (
        select(literal(1))
        .select_from(locks)
        .where(
            locks.c.locktype == "advisory",
            locks.c.granted,
            cast(locks.c.classid, BigInteger) == _NODE_LOCK,
            cast(locks.c.objid, BigInteger) == key,
            locks.c.database == here,
        )
    )
    return not_(taken.exists())


def _engine(url: URL, *, pooled: bool = False) -> Engine:
    """Return an engine; `pooled`, with nothing that belongs to one connection of the server."""
    known = {name: value for name, value in _TO_CONNECT.items() if name not in url.query}
    arguments = {**known, "prepare_threshold": None, "client_encoding": "utf8"} if pooled else known
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args=arguments,
        poolclass=NullPool,
        json_serializer=write_json,
        json_deserializer=read_json,
        hide_parameters=True,
    )
    event.listen(engine, "connect", _adapt)
    if pooled:
        event.listen(engine, "begin", _limit_waiting)
    else:
        event.listen(engine, "connect", _set_up)
    return engine


def _raw(connection: Connection) -> psycopg.Connection[Any]:
    raw: psycopg.Connection[Any] = connection.connection.driver_connection  # type: ignore[assignment]
    return raw


def _process_of(connection: Connection) -> int:
    """Return the id of the server's process for this transaction, which stays open."""
    process: int = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
    return process


def _state_without_connection(error: psycopg.Error) -> str:
    if not isinstance(error, psycopg.OperationalError):
        return ""
    return "28000" if _REFUSAL.search(str(error)) else "08000"


def _name(url: URL) -> str:
    """Return what a person knows the database by, without the password and other parameters."""
    where = url.host or str(url.query.get("host", "localhost"))
    return f"{url.database or url.username or ''} at {where}" + (f":{url.port}" if url.port else "")


class _TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(write_text(obj))


class _TextLoader(TextLoader):
    def load(self, data: Buffer) -> str:
        return read_text(bytes(data).decode())


def _adapt(connection: psycopg.Connection[Any], _record: Any) -> None:
    connection.adapters.register_dumper(str, _TextDumper)
    for name in ("text", "varchar"):
        connection.adapters.register_loader(name, _TextLoader)


def _limit_waiting(connection: Connection) -> None:
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")


def _set_up(connection: psycopg.Connection[Any], _record: Any) -> None:
    settings = (f"lock_timeout = '{LOCK_TIMEOUT}'", *_SETTINGS)
    connection.execute("; ".join(f"SET {setting}" for setting in settings).encode())
    connection.commit()
