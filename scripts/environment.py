"""Make the virtual environment and install a lock file and this project into it.

usage, at the repository's root: python -m scripts.environment .venv requirements.txt

Runs on a bare Python, so it uses the standard library alone. uv installs in seconds what takes pip a
minute; where uv can't be had, or can't reach an index that pip is set up for, pip does the same.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from scripts import system


def main(venv: Path, lock: str) -> None:
    """Bring `venv` to what `lock` says, and this project into it, editable."""
    python = venv / "bin" / "python"
    if not system.run([str(python), "-m", "pip", "--version"]):
        create(venv)
    uv = venv / "bin" / "uv"
    pip = [str(python), "-m", "pip", "-qq", "--disable-pip-version-check"]  # errors alone
    if not uv.exists():
        system.run([*pip, "install", "--require-hashes", "-r", "requirements-bootstrap.txt"])
    print(f"installing {lock} into {venv} …", flush=True)
    fast = [str(uv), "pip", "--quiet"]
    if uv.exists() and install([*fast, "install", "--python", str(python)], lock):
        return
    print("uv could not, so pip does it; this takes a few minutes …", flush=True)
    if not install([*pip, "install"], lock):
        raise SystemExit(f"{lock} could not be installed; the lines above say why.")


def create(venv: Path) -> None:
    """Make an empty environment with pip, from the Python that runs this."""
    if venv.exists():
        print(f"{venv} has no working Python: making it anew", flush=True)
        shutil.rmtree(venv)
    print(f"making {venv} with Python {sys.version.split()[0]} …", flush=True)
    make = [sys.executable, "-m", "venv", str(venv)]
    package = (
        f"python3.{sys.version_info.minor}-venv"  # Debian and its kin keep venv's pip in a package of its own
    )
    if system.run(make) or (system.install({"apt-get": [package]}) and system.run(make)):
        return
    shutil.rmtree(venv, ignore_errors=True)
    raise SystemExit(
        f"{sys.executable} can't make a virtual environment. "
        f"On Debian or Ubuntu install {package}, then run make again."
    )


def install(command: list[str], lock: str) -> bool:
    """Install the locked packages, then this project without looking at its dependencies again."""
    steps = (["--require-hashes", "-r", lock], ["--no-deps", "--no-build-isolation", "-e", "."])
    return all(subprocess.run([*command, *step]).returncode == 0 for step in steps)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2])
