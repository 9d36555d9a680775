"""The files of a bundle as tables: what an export writes, and what a verification expects to find."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from celeus_label.certificate.archive import (
    ASPECTS,
    CERTIFICATE,
    OPTIONAL,
    POOL,
    RATERS,
    RATINGS,
    REQUIRED,
    TEXTS,
    TRAJECTORY,
)
from celeus_label.certificate.cells import Cell, cell_of, row_of
from celeus_label.certificate.claim import Claim
from celeus_label.certificate.history import History
from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.ledger import canonical

#: Of certificate.csv: how the bundle is laid out.
BUNDLE_VERSION = 2
#: How far a computed number may be from the recomputed one, on [0, 1]: another machine's rounding.
TOLERANCE = 1e-9

SHA256 = "sha256:"
#: The last column of certificate.csv, over all that come before it.
SEAL = SHA256 + "this row"
FEATURE = "feature:"
GROUP = "group:"
ASPECT = "aspect:"

# Of certificate.csv, on the raters' scale or with "_unit" on [0, 1].
_COMPUTED = ("estimate", "lower", "upper", "width", "alpha1", "alpha2")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    tolerance : float
        How far its numbers may be off; 0 where they were recorded, not computed.
    free : bool
        Whether nothing else in the bundle says what its cells must be.
    """

    name: str
    tolerance: float = 0.0
    free: bool = False


@dataclass(frozen=True)
class Table:
    """A table; `source` begins the sentence that says where its values come from."""

    name: str
    columns: tuple[Column, ...]
    rows: Iterable[Sequence[Cell]]
    source: str

    def lines(self) -> Iterator[str]:
        """The table as CSV."""
        yield row_of(column.name for column in self.columns)
        for row in self.rows:
            yield row_of(row)


def pool_table(pool: Pool) -> Table:
    """Items with the judge's scores, features and groups; position counts from 0 as in the ledger."""
    names = [*(FEATURE + name for name in pool.features), *(GROUP + name for name in pool.groups)]
    columns = tuple(map(Column, ["position", "item_id", "judge_score", *names]))

    def rows() -> Iterator[Sequence[Cell]]:
        features = [_blank_nan(column.tolist()) for column in pool.features.values()]
        data = zip(pool.item_ids, pool.judge.tolist(), *features, *pool.groups.values(), strict=True)
        for position, cells in enumerate(data):
            yield (position, *cells)

    return Table(POOL, columns, rows(), "the pool has")


def ratings_table(history: History, design: Design) -> Table:
    """The ratings as they stand; `flag` is 1 where the rater pointed the item out to the lead."""
    names = [
        "ledger_row",
        "round",
        "item_id",
        "rater",
        "value",
        "rated_at",
        "duration_ms",
        "corrections",
        "corrected_at",
        "first_value",
        "comment",
        "flag",
        *(["verdict", "left"] if design.task == "pairwise" else []),
    ]
    aspects = [aspect.name for aspect in design.aspects]
    rows = (
        [*(getattr(rating, name) for name in names), *(rating.aspects.get(name) for name in aspects)]
        for rating in history.current()
    )
    columns = [*names, *(ASPECT + name for name in aspects)]
    return Table(RATINGS, tuple(map(Column, columns)), rows, "the ledger says")


def aspects_table(claim: Claim) -> Table:
    """The interval of each further aspect; its ends and estimate are blank where it is contradicted."""
    exact = ("aspect", "scale_lower", "scale_upper", "scale_step", "alpha", "rated")
    computed = ("estimate", "lower", "upper", "width")
    widest = max((aspect.scale.range for aspect in claim.aspects), default=1.0)
    columns = (
        *map(Column, exact),
        *(Column(name, TOLERANCE * widest) for name in computed),
        *(Column(f"{name}_unit", TOLERANCE) for name in computed),
    )

    def rows() -> Iterator[Sequence[Cell]]:
        for one in claim.aspects:
            scale = one.scale
            known = (one.name, scale.lower, scale.upper, scale.step, one.alpha, one.rated)
            if one.contradicted:
                yield (*known, *[None] * 8)
                continue
            width = one.upper_unit - one.lower_unit
            yield (
                *known,
                *(one.estimate, one.lower, one.upper, width * scale.range),
                *(one.estimate_unit, one.lower_unit, one.upper_unit, width),
            )

    return Table(ASPECTS, columns, rows(), "computed again it is")


def trajectory_table(certifier: Certifier) -> Table:
    """The interval for the target after each round, on the raters' scale and on [0, 1].

    Last come the ends for the pool's mean; a row with lower > upper is contradicted.
    """
    scale, design, size = certifier.pool.scale, certifier.design, certifier.pool.size
    exact = ("t",)
    on_scale = ("lower", "upper", "estimate", "width")
    on_unit = (
        "lower_unit",
        "upper_unit",
        "estimate_unit",
        "width_unit",
        "pool_lower_unit",
        "pool_upper_unit",
    )
    columns = (
        *(Column(name) for name in exact),
        *(Column(name, TOLERANCE * scale.range) for name in on_scale),
        *(Column(name, TOLERANCE) for name in on_unit),
    )

    def rows() -> Iterator[Sequence[Cell]]:
        path = certifier.trajectory
        data = zip(path["lower"].tolist(), path["upper"].tolist(), path["estimate"].tolist(), strict=True)
        for t, (pool_lower, pool_upper, estimate) in enumerate(data, start=1):
            low, high = pool_lower, pool_upper
            if low <= high:
                low, high = design.widen(low, high, size)
            yield (
                t,
                scale.from_unit(low),
                scale.from_unit(high),
                scale.from_unit(estimate),
                (high - low) * scale.range,
                low,
                high,
                estimate,
                high - low,
                pool_lower,
                pool_upper,
            )

    return Table(TRAJECTORY, columns, rows(), "computed again it is")


def texts_table(pool: Pool, texts: Iterable[tuple[str, str]] | None) -> Table:
    """Prompt and response of every item; `texts` None where they are only to be told from other tables."""
    columns = (
        Column("position"),
        Column("item_id"),
        Column("prompt", free=True),
        Column("response", free=True),
    )

    def rows() -> Iterator[Sequence[Cell]]:
        if texts is None:
            yield from ((position, item_id, "", "") for position, item_id in enumerate(pool.item_ids))
            return
        given = iter(texts)
        for position, item_id in enumerate(pool.item_ids):
            pair = next(given, None)
            if pair is None:
                raise ValueError(f"texts: {position} for a pool of {pool.size} items")
            yield (position, item_id, pair[0], pair[1])
        if next(given, None) is not None:
            raise ValueError(f"texts: more than the {pool.size} items of the pool")

    return Table(TEXTS, columns, rows(), "the pool has")


def raters_table(history: History, names: Mapping[str, str]) -> Table:
    """Everybody whom the ledger names; a name that is not given stays blank."""
    columns = (Column("rater"), Column("name", free=True))
    rows = ([person, names.get(person)] for person in history.people)
    return Table(RATERS, columns, rows, "the ledger says")


def certificate_table(claim: Claim, digests: Mapping[str, str]) -> Table:
    """The one row of certificate.csv, with the SHA-256 of every other file and, last, of itself."""
    values: dict[str, Cell] = {"bundle_version": BUNDLE_VERSION, **claim.fields()}
    columns = []
    for name in values:
        unit = 1.0 if name.endswith("_unit") or name.startswith("alpha") else claim.scale.range
        tolerance = TOLERANCE * unit if name.removesuffix("_unit") in _COMPUTED else 0.0
        columns.append(Column(name, tolerance, free=name == "package_version"))
    for name in (*REQUIRED[:-1], *OPTIONAL):
        values[SHA256 + name] = digests.get(name)
        columns.append(Column(SHA256 + name, free=True))
    values[SEAL] = seal([cell_of(value) for value in values.values()])
    columns.append(Column(SEAL, free=True))
    return Table(CERTIFICATE, tuple(columns), [list(values.values())], "computed again it is")


def seal(cells: Sequence[str]) -> str:
    """SHA-256 of the cells of a row as one canonical JSON list."""
    return hashlib.sha256(canonical(list(cells)).encode("utf-8")).hexdigest()


def design_document(body: Mapping[str, Any], judge_scale: Scale) -> dict[str, Any]:
    """design.json: the content of the ledger's first row, and what of the pool is in no other file."""
    return {"session": dict(body), "judge_scale": judge_scale.to_dict()}


def design_lines(body: Mapping[str, Any], judge_scale: Scale) -> Iterator[str]:
    """design.json, for people."""
    document = design_document(body, judge_scale)
    yield json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _blank_nan(values: list[float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values]
