"""Ask the public database of vulnerabilities about every locked package.

usage, at the repository's root: .venv/bin/python -m scripts.audit

Ends with 0 where nothing is known, 1 where something is, and 2 where the database could not be asked: that is no
verdict. It needs the network, so it is no part of `make test`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = "pip-audit==2.10.1"
LOCKS = ("requirements-server.txt", "requirements-dev.txt", "requirements-bootstrap.txt")


def main() -> int:
    """Audit each lock; what was found is printed."""
    uvx = Path(sys.executable).with_name("uvx")
    worst = 0
    for lock in LOCKS:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            options = [
                "--requirement",
                lock,
                "--require-hashes",
                "--disable-pip",
                "--progress-spinner",
                "off",
            ]
            command = [str(uvx), "--quiet", TOOL, *options, "--format", "json", "--output", str(report)]
            done = subprocess.run(command, capture_output=True, text=True)
            if not report.is_file() or not report.stat().st_size:
                said = (done.stderr.strip() or "it said nothing").splitlines()[-1]
                print(f"{lock}: NOT CHECKED, the database of vulnerabilities could not be asked: {said}")
                worst = 2
                continue
            packages = json.loads(report.read_text("utf-8"))["dependencies"]
        found = [
            f"{one['name']} {one['version']}: {fault['id']}, "
            f"mended in {', '.join(fault['fix_versions']) or 'no version yet'}"
            for one in packages
            for fault in one.get("vulns", ())
        ]
        skipped = [one["name"] for one in packages if "skip_reason" in one]
        print(f"{lock}: {len(packages) - len(skipped)} packages checked, {len(found)} known vulnerabilities")
        if skipped:
            print(
                f"  NOT CHECKED, the database does not answer for them: {len(skipped)} ({', '.join(skipped[:5])} …)"
            )
            worst = 2
        for sentence in found:
            print(f"  {sentence}")
        worst = max(worst, int(bool(found)))
    return worst


if __name__ == "__main__":
    sys.exit(main())
