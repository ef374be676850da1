"""Every change of a state, as the database sees it: triggers log them, and queries beside the store read them."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import create_engine, text

from webclient.store.database.sqlite import FILE

_SQLITE = (
    "CREATE TABLE IF NOT EXISTS moves (n INTEGER PRIMARY KEY, what TEXT, id TEXT, old TEXT, new TEXT)",
    """CREATE TRIGGER IF NOT EXISTS request_moves AFTER UPDATE OF state ON requests WHEN old.state != new.state
    BEGIN INSERT INTO moves (what, id, old, new) VALUES ('request', new.id, old.state, new.state); END""",
    """CREATE TRIGGER IF NOT EXISTS call_moves AFTER UPDATE OF state ON calls WHEN old.state != new.state
    BEGIN INSERT INTO moves (what, id, old, new) VALUES ('call', new.id, old.state, new.state); END""",
)

_POSTGRESQL = (
    "CREATE TABLE moves (n SERIAL PRIMARY KEY, what TEXT, id TEXT, old TEXT, new TEXT)",
    """CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO moves (what, id, old, new) VALUES (TG_ARGV[0], NEW.id, OLD.state, NEW.state); RETURN NULL; END $$""",
    """CREATE TRIGGER request_moves AFTER UPDATE OF state ON requests FOR EACH ROW WHEN (OLD.state <> NEW.state)
    EXECUTE FUNCTION note_move('request')""",
    """CREATE TRIGGER call_moves AFTER UPDATE OF state ON calls FOR EACH ROW WHEN (OLD.state <> NEW.state)
    EXECUTE FUNCTION note_move('call')""",
)


class MoveLog:
    """The log in the database at `url`, or else in the folder, whose tables must be there."""

    def __init__(self, folder: Path, url: str | None) -> None:
        address = url.replace("postgresql:", "postgresql+psycopg:") if url else f"sqlite:///{folder / FILE}"
        self._db = create_engine(address, isolation_level="AUTOCOMMIT").connect()
        self._read = 0
        for statement in _POSTGRESQL if url else _SQLITE:
            self._db.exec_driver_sql(statement)

    def ids(self, where: str) -> list[str]:
        """Return the ids of the rows that meet `TABLE WHERE CONDITION`, oldest first."""
        return list(self._db.execute(text(f"SELECT id FROM {where} ORDER BY created_at, id")).scalars())  # noqa: S608

    def moves(self) -> list[tuple[str, str, str, str]]:
        """Return the changes since this was last called: call or request, its id, from, to."""
        later = text("SELECT n, what, id, old, new FROM moves WHERE n > :read ORDER BY n")
        rows = self._db.execute(later, {"read": self._read}).all()
        self._read = rows[-1].n if rows else self._read
        return [(row.what, row.id, row.old, row.new) for row in rows]

    def close(self) -> None:
        """Close the connection."""
        self._db.close()
        self._db.engine.dispose()
