"""The proxy of deploy/nginx as a process of its own, in a temporary folder; run as a program it prints where it is."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts import system

CONF = Path(__file__).resolve().parents[1] / "deploy" / "nginx"
PACKAGES = {name: ["nginx"] for name in system.MANAGERS}
_PLACES = ("/usr/sbin", "/usr/local/sbin", "/usr/bin", "/opt/homebrew/bin")

# What a system's own nginx.conf would have around it; everything is written to this folder, nothing to the system's.
_MAIN = """
daemon off;
pid nginx.pid;
error_log stderr crit;
worker_processes 1;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include {conf};
}}
"""


def find() -> str | None:
    """Path of nginx, else None."""
    return shutil.which("nginx") or shutil.which("nginx", path=":".join(_PLACES))


def ensure() -> str:
    """Path of nginx, installed now if there is none.

    Raises
    ------
    SystemExit
        None is there and none could be installed.
    """
    return system.ensured(
        find,
        PACKAGES,
        "nginx is needed: none is on the PATH, and the system's package manager gave none. Install the package "
        "`nginx`, then try again.",
    )


def write(folder: Path, ports: list[int], listen: str) -> Path:
    """The configuration of deploy/nginx with three servers at these ports, and another place to listen."""
    servers = (CONF / "servers.conf").read_text("utf-8")
    for usual, port in zip((8501, 8502, 8503), ports, strict=True):
        servers = servers.replace(f":{usual}", f":{port}")
    beside = folder / "celeus-label"
    beside.mkdir()
    (beside / "servers.conf").write_text(servers, "utf-8")
    (beside / "listen.conf").write_text(listen, "utf-8")
    main = folder / "nginx.conf"
    main.write_text(_MAIN.format(conf=CONF / "celeus-label.conf"), "utf-8")
    return main


def faults(main: Path) -> str:
    """What `nginx -t` has against a configuration; nothing if it is good."""
    done = subprocess.run(
        [ensure(), "-t", "-q", "-p", str(main.parent), "-c", str(main)], capture_output=True, text=True
    )
    return done.stderr


@contextmanager
def running(ports: list[int]) -> Iterator[int]:
    """A proxy in front of three servers; its port on loopback."""
    port = system.free_port()
    with tempfile.TemporaryDirectory(prefix="celeus-nginx-") as folder:
        Path(folder).chmod(0o755)  # nginx run by root works as another account
        main = write(Path(folder), ports, f"listen 127.0.0.1:{port};\n")
        said = faults(main)
        if said:
            raise SystemExit(f"nginx refuses its configuration:\n{said}")
        process = subprocess.Popen([ensure(), "-p", folder, "-c", str(main)], stdin=subprocess.DEVNULL)
        try:
            while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
                if process.poll() is not None:
                    raise SystemExit(f"nginx ended by itself with {process.returncode}")
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait(30)


if __name__ == "__main__":
    print(f"nginx: {ensure()}", flush=True)
