"""The index of runs, in SQLite beside them. It answers quickly; the files are the truth, and it is made of them anew
whenever it is missing, damaged, of another make, or behind.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from edgeops.locations import RUNS
from edgeops.runs.summary import HostSummary, Summary, kind_of, result_file, summarise

FILE = "index.sqlite"
VERSION = 1
_WAIT_S = 5.0

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (name TEXT PRIMARY KEY, stamp TEXT NOT NULL, summary TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS accepted (
    run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE, host TEXT NOT NULL, records TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS accepted_by_host ON accepted (host, run);
"""


@dataclass(frozen=True)
class Accepted:
    """An accepted smoke of one host: the run's name and the file of its records."""

    run: str
    records: Path


@dataclass(frozen=True)
class Index:
    """What is known of the runs below ``root``."""

    root: Path
    database: sqlite3.Connection

    def runs(self) -> list[Summary]:
        """All runs, the newest first."""
        rows = self.database.execute("SELECT summary FROM runs ORDER BY name DESC")
        return [_read(text) for (text,) in rows]

    def accepted(self, host: str, before: str) -> Iterator[Accepted]:
        """Accepted smokes of ``host`` that began before the run named ``before``, the newest first."""
        query = "SELECT run, records FROM accepted WHERE host = ? AND run < ? ORDER BY run DESC"
        for run, records in self.database.execute(query, (host, before)).fetchall():
            yield Accepted(run, self.root / run / records)


@contextmanager
def open_index(root: Path = RUNS) -> Iterator[Index]:
    """The index of the runs below ``root``, brought up to date. Where it cannot be kept on disk it is in memory."""
    with closing(_current(root)) as database:
        yield Index(root, database)


def _current(root: Path) -> sqlite3.Connection:
    path = root / FILE
    for place in (str(path), str(path), ":memory:"):
        if place != ":memory:" and not root.is_dir():
            continue
        try:
            return _opened(place, root)
        except sqlite3.DatabaseError as error:
            if not isinstance(error, sqlite3.OperationalError):  # that one is a lock or a full disk, no damage
                path.unlink(missing_ok=True)
    raise AssertionError("a database in memory can always be made")


def _opened(place: str, root: Path) -> sqlite3.Connection:
    database = sqlite3.connect(place, timeout=_WAIT_S)
    try:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version not in (0, VERSION):
            raise sqlite3.DatabaseError("an index of another make")
        database.execute("PRAGMA foreign_keys = ON")
        database.executescript(_TABLES + f"PRAGMA user_version = {VERSION};")
        with database:
            _catch_up(database, root)
            if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("damaged")
    except BaseException:
        database.close()
        raise
    return database


def _catch_up(database: sqlite3.Connection, root: Path) -> None:
    there = {path.name: path for path in root.iterdir() if kind_of(path.name)} if root.is_dir() else {}
    known = dict(database.execute("SELECT name, stamp FROM runs"))
    for name in known.keys() - there.keys():
        database.execute("DELETE FROM runs WHERE name = ?", (name,))
    for name, path in there.items():
        stamp = _stamp(path)
        if known.get(name) != stamp:
            _put(database, summarise(path), stamp)


def _stamp(directory: Path) -> str:
    try:
        state = result_file(directory).stat()
    except OSError:
        return "none"
    return f"{state.st_mtime_ns}:{state.st_size}"


def _put(database: sqlite3.Connection, summary: Summary, stamp: str) -> None:
    database.execute("DELETE FROM runs WHERE name = ?", (summary.name,))
    row = (summary.name, stamp, json.dumps(summary.document()))
    database.execute("INSERT INTO runs VALUES (?, ?, ?)", row)
    good = [(summary.name, host.host, host.records) for host in summary.hosts if host.accepted and host.records]
    database.executemany("INSERT INTO accepted VALUES (?, ?, ?)", good)


def _read(text: str) -> Summary:
    found = json.loads(text)
    return Summary(**{**found, "hosts": tuple(HostSummary(**host) for host in found["hosts"])})
