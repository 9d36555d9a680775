"""A throw-away PostgreSQL on loopback, for the tests; run as a program it prints where it would come from.

The server's programs come from the system's package, and run as an ordinary user. Whoever can't have them is told
so by a sentence: no test is skipped.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts import system

PACKAGES = {
    "apt-get": ["postgresql"],
    "dnf": ["postgresql-server"],
    "apk": ["postgresql"],
    "pacman": ["postgresql"],
    "zypper": ["postgresql-server"],
}
FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/libexec/postgresql*",
    "/opt/homebrew/opt/postgresql*/bin",
)
_ACCOUNTS = ("postgres", "nobody")


def find() -> Path | None:
    """The folder of `initdb` and `postgres`: that of the PATH, or the newest of the usual ones; else None."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).resolve().parent
    folders = [
        folder
        for pattern in FOLDERS
        for folder in Path("/").glob(pattern[1:])
        if (folder / "initdb").exists()
    ]
    return max(folders, key=_version, default=None)


def ensure() -> Path:
    """The folder of the server's programs, installed now if there are none.

    Raises
    ------
    SystemExit
        None are there and none could be installed.
    """
    return system.ensured(
        find,
        PACKAGES,
        "The tests of the PostgreSQL store need PostgreSQL's server programs (initdb, postgres): none are on the "
        "PATH or in the usual folders, and the system's package manager gave none. Install the package "
        "`postgresql`, then run `make test` again.",
    )


class Server:
    """A running PostgreSQL that trusts whoever comes over loopback; `url(database)` is the address of one of it."""

    def __init__(self, folder: Path, port: int, bin: Path, account: dict[str, object]) -> None:
        self.folder, self.port, self._bin, self._account = folder, port, bin, account
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0

    def url(self, database: str) -> str:
        """The address of a database."""
        return f"postgresql://celeus@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database and return its address."""
        import psycopg

        self._databases += 1
        name = f"test_{self._databases}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def start(self) -> None:
        """Start, and return once it answers."""
        options = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "max_connections": 300,
            "fsync": "off",  # it is thrown away; what outlives a killed process does not need the disk
            "shared_buffers": "64MB",
        }
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._bin / "postgres"), "-D", str(self.folder / "data"), *settings],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd="/", **self._account,  # type: ignore[call-overload]
            )  # fmt: skip
        end = time.monotonic() + 60
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise SystemExit(
                    "The PostgreSQL for the tests did not start; it says:\n"
                    + (self.folder / "log").read_text("utf-8", "replace")[-2000:]
                )
            time.sleep(0.05)

    def stop(self, signal: str = "INT") -> None:
        """Stop: INT ends every connection, QUIT is as good as a crash."""
        if self._process is not None:
            self._process.send_signal({"INT": 2, "QUIT": 3}[signal])
            self._process.wait(60)
            self._process = None

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def running() -> Iterator[Server]:
    """A server of its own in a temporary folder, gone at the end."""
    bin = ensure()
    folder = Path(tempfile.mkdtemp(prefix="celeus-postgres-"))
    account = _ordinary()
    if account:
        os.chown(folder, int(account["user"]), int(account["group"]))  # type: ignore[call-overload]
    server = Server(folder, system.free_port(), bin, account)
    try:
        subprocess.run(
            [str(bin / "initdb"), "-D", str(folder / "data"), "-U", "celeus", "-A", "trust", "-E", "UTF8",
             "--locale=C", "--no-sync"],
            check=True, capture_output=True, stdin=subprocess.DEVNULL, cwd="/", **account,  # type: ignore[call-overload]
        )  # fmt: skip
        server.start()
        yield server
    finally:
        server.stop("QUIT")
        shutil.rmtree(folder, ignore_errors=True)


def _ordinary() -> dict[str, object]:
    """Whom the server runs as, for `subprocess`: PostgreSQL refuses to be run by root."""
    if os.geteuid() != 0:
        return {}
    for name in _ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise SystemExit(
        "PostgreSQL can't be run by root, and there is no account `postgres` or `nobody` to run it."
    )


def _version(folder: Path) -> list[int]:
    return [int(part) for part in "".join(c if c.isdigit() else " " for c in str(folder)).split()]


if __name__ == "__main__":
    print(f"PostgreSQL for the tests: {ensure()}", flush=True)
