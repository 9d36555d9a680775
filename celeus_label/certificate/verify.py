"""Recompute a bundle from what it holds, and name every place where it says something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from celeus_label.certificate.archive import BundleReader, Unreadable
from celeus_label.certificate.checks import Checks
from celeus_label.certificate.claim import Claim, package_version
from celeus_label.certificate.differences import short, shown


@dataclass(frozen=True)
class Verdict:
    """What became of a verification.

    Attributes
    ----------
    status : str
        "VALID": the bundle says what follows from it. "INVALID": it is a bundle, and contradicts itself or
        does not end with the expected hash. "UNREADABLE": no bundle, damaged, or not safe to read.
    differences : list of str
        A sentence each, the first difference first; empty if VALID.
    claim : Claim or None
        The claim as it was recomputed; None where that was not possible.
    """

    status: str
    differences: list[str]
    claim: Claim | None = None

    @property
    def valid(self) -> bool:
        """Whether `status` is "VALID"."""
        return self.status == "VALID"


def verify(
    path: str | Path, ledger_hash: str | None = None, progress: Callable[[float], None] | None = None
) -> Verdict:
    """Recompute every hash, draw, signal and interval of a bundle and compare.

    Parameters
    ----------
    path : path
        The bundle. Nothing of it is unpacked to the disk.
    ledger_hash : str, optional
        The hash that the session's ledger is known to end with, from elsewhere than the bundle. Without it,
        the bundle of somebody who made up the whole ledger verifies, too.
    progress : callable, optional
        Called with the share of the ledger that is replayed, 0 to 1.

    Returns
    -------
    Verdict
        No content of the file raises an exception.
    """
    try:
        with BundleReader(Path(path)) as bundle:
            checks = Checks(bundle, progress)
            claim = checks.run(ledger_hash)
    except Unreadable as fault:
        return Verdict("UNREADABLE", [short(str(fault))])
    differences = checks.found.sentences()
    if differences and checks.made_with not in (None, package_version()):
        differences.append(
            f"the bundle says that celeus-label {shown(str(checks.made_with))} made it, and this is "
            f"{package_version()}: versions may compute differently, so verify with that one, too"
        )
    return Verdict("INVALID" if differences else "VALID", differences, claim)
