"""Install a package through the system's own package manager, where this account may; find a free port."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

# The command that refreshes the manager's list (None: it does so by itself) and the one that installs.
MANAGERS: dict[str, tuple[list[str] | None, list[str]]] = {
    "apt-get": (["apt-get", "update", "-q"], ["apt-get", "install", "-qy", "--no-install-recommends"]),
    "dnf": (None, ["dnf", "install", "-qy"]),
    "apk": (None, ["apk", "add", "--no-cache"]),
    "pacman": (["pacman", "-Sy"], ["pacman", "-S", "--noconfirm", "--needed"]),
    "zypper": (None, ["zypper", "--non-interactive", "install"]),
}


def privilege() -> list[str] | None:
    """Words to put before a command that needs root: none for root itself; None if root can't be had."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and run(["sudo", "-n", "true"]):
        return ["sudo", "-n"]
    return None


def install(packages: dict[str, list[str]]) -> bool:
    """Install what `packages` names for the manager found here; False if there is none or it failed."""
    before = privilege()
    for manager, (refresh, add) in MANAGERS.items():
        if before is None or manager not in packages or shutil.which(manager) is None:
            continue
        print(f"installing {' '.join(packages[manager])} with {manager} …", flush=True)
        if refresh is not None:
            run([*before, *refresh])
        return run([*before, *add, *packages[manager]])
    return False


def ensured(find: Callable[[], Found | None], packages: dict[str, list[str]], otherwise: str) -> Found:
    """What `find` finds, installed now if there is nothing.

    Raises
    ------
    SystemExit
        With `otherwise`: nothing is there and nothing could be installed.
    """
    found = find()
    if found is None and install(packages):
        found = find()
    if found is None:
        raise SystemExit(otherwise)
    return found


def free_port() -> int:
    """A port on loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(command: list[str]) -> bool:
    """Run a command with its output hidden; True if it exists and succeeded."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    except OSError:
        return False
    return done.returncode == 0
