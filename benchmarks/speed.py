"""How fast it is, and how much memory it takes: `make bench`.

Each line is measured in a process of its own, so that none warms up or fills the memory for another, and names
what it may take at most. Times are of this machine, as busy as it is; the last line says how busy that was.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from joblib.externals.loky import get_reusable_executor
from numpy.typing import NDArray
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from celeus_label.certificate import export_bundle
from celeus_label.certify import Certifier, Design, Pool, Scale, design_body, draw_events, replay
from celeus_label.compare.pools import diagnostic
from celeus_label.compare.runner import Job, run
from celeus_label.compare.studies.base import certify
from celeus_label.compare.systems import design_of as system_design
from celeus_label.ingest import guess_mapping, load, read_table
from celeus_label.ingest.large import open_parquet
from celeus_label.ledger import Event, append
from scripts.browser import ensure
from tests.browser.people import Server

ITEMS = 127_600
MANY = 1_000_000
LARGE = 10_000_000
AT = "2026-01-01T00:00:00+00:00"


@dataclass(frozen=True)
class Row:
    """One figure: what was measured, in which unit, and the most it may be."""

    what: str
    value: float
    unit: str
    most: float


def pool_of(size: int) -> tuple[Pool, NDArray[np.float64]]:
    """A pool of 0/1 answers with a judge that knows something, and a column to sample by."""
    rng = np.random.default_rng(1)
    sure = rng.beta(5, 1, size)
    values = (rng.random(size) < sure).astype(float)
    judge = np.clip(sure + rng.normal(0, 0.1, size), 0, 1)
    spread = np.sqrt(0.02 + judge * (1 - judge))
    return Pool(
        [f"item-{row}" for row in range(size)], judge, Scale(0, 1), features={"spread": spread}
    ), values


def design_of(preset: str, count: int) -> Design:
    """A design that needs several times so many ratings, so that every round is one of an open session."""
    return Design(preset=preset, width=0.6 / count**0.5, weights="spread" if preset == "celeus" else None)


def rounds(preset: str, size: int, count: int) -> NDArray[np.float64]:
    """Milliseconds of each `ask` and `tell`."""
    pool, values = pool_of(size)
    certifier = Certifier(pool, design_of(preset, count))
    took = []
    for _ in range(count):
        started = time.perf_counter()
        draw = certifier.ask()
        certifier.tell(draw, float(values[draw.position]))
        took.append(time.perf_counter() - started)
    return np.array(took) * 1000


def session(preset: str, size: int, count: int) -> tuple[Pool, Design, list[Event], Certifier]:
    """A session of so many ratings with its ledger."""
    pool, values = pool_of(size)
    design = design_of(preset, count)
    certifier = Certifier(pool, design)
    events = [append(None, "design", {**design_body("bench", pool, design), "guidelines_hash": ""}, AT)]
    for _ in range(count):
        draw = certifier.propose()
        assert draw is not None
        certifier.add(draw)
        value = float(values[draw.position])
        certifier.tell(draw, value, "p1")
        rating = {"round": draw.round, "rater": "p1", "value": value, "duration_ms": 900}
        for kind, body in [*draw_events(draw), ("rating", rating)]:
            events.append(append(events[-1], kind, body, AT))
    return pool, design, events, certifier


def round_celeus() -> list[Row]:
    took = rounds("celeus", ITEMS, 3250)[2750:]
    return [
        Row(
            f"a round, {ITEMS:,} items, about 3,000 ratings, celeus: median",
            float(np.median(took)),
            "ms",
            0.5,
        )
    ]


def round_target_aware() -> list[Row]:
    took = rounds("target-aware", ITEMS, 3250)[100:]
    what = f"a round, {ITEMS:,} items, target-aware"
    return [
        Row(f"{what}, about 3,000 ratings: median", float(np.median(took[-500:])), "ms", 2),
        Row(f"{what}, any: the longest", float(took.max()), "ms", 25),
    ]


def round_many() -> list[Row]:
    return [
        Row(
            f"a round, {MANY:,} items, {preset}: median",
            float(np.median(rounds(preset, MANY, 1500)[500:])),
            "ms",
            15,
        )
        for preset in ("celeus", "target-aware")
    ]


def large_file(path: Path, size: int) -> None:
    """Write a pool with texts as Parquet, a row group at a time."""
    rng, group = np.random.default_rng(1), 10_000
    writer = None
    for first in range(0, size, group):
        sure = rng.beta(5, 1, group)
        judge = np.clip(sure + rng.normal(0, 0.1, group), 0, 1)
        table = pa.table(
            {
                "item_id": [f"item-{row}" for row in range(first, first + group)],
                "judge_score": judge,
                "spread": np.sqrt(0.02 + judge * (1 - judge)),
                "prompt": [f"What is {row}, and why?" for row in range(first, first + group)],
                "response": [f"{row}: {'it is what it is. ' * 9}" for row in range(first, first + group)],
                "human": (rng.random(group) < sure).astype(np.int8),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def large_pool(path: Path, size: int) -> Path:
    """Such a file; it is written by a process of its own, whose memory is not measured."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        process.submit(large_file, path, size).result()
    return path


def large() -> list[Row]:
    """Pools of 10,000,000 items in a file: `make bench BENCH="--only large"`."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = large_pool(Path(folder) / "large.parquet", LARGE)
        for preset in ("celeus", "target-aware"):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                found += process.submit(large_session, path, preset).result()
    return found


def large_session(path: Path, preset: str) -> list[Row]:
    """1,500 ratings on a pool in a file, the text of each item read."""
    before, started = _peak(), time.perf_counter()
    known = open_parquet(path, scale=Scale(0, 1), features=["spread"])
    loading, loaded = time.perf_counter() - started, _peak() - before
    certifier = Certifier(known.pool, design_of(preset, 1500))
    took, fits, texts = [], [], []
    for _ in range(1500):
        started = time.perf_counter()
        draw = certifier.ask()
        asked = time.perf_counter()
        _, _, value = known.texts(draw.position, "prompt", "response", "human")
        read = time.perf_counter()
        certifier.tell(draw, float(value))
        took.append(time.perf_counter() - started - (read - asked))
        texts.append(read - asked)
        if draw.fit is not None:
            fits.append(took[-1])
    held = _peak() - before
    what = f"{LARGE:,} items in a Parquet file, {preset}"
    rows = [
        Row(f"{what}: load", loading, "s", 120),
        Row(f"{what}: memory at most while loading", loaded / 1e6, "MB", 1000),
        Row(f"{what}: a round, median", float(np.median(took)) * 1000, "ms", 25),
        Row(f"{what}: its texts, median", float(np.median(texts)) * 1000, "ms", 50),
        Row(f"{what}: memory at most, 1,500 ratings", held / LARGE, "bytes an item", 200),
    ]
    if fits:
        rows.append(Row(f"{what}: a round with a new fit, the longest of {len(fits)}", max(fits), "s", 5))
    started = time.perf_counter()
    _ = known.pool.hash
    return [*rows, Row(f"{what}: hash of the pool", time.perf_counter() - started, "s", 60)]


def growth() -> list[Row]:
    took = rounds("target-aware", ITEMS, 10_000)
    ratio = float(np.median(took[9_500:]) / np.median(took[750:1_250]))
    return [Row("a round after 10,000 ratings over one after 1,000, target-aware", ratio, "times", 3)]


def replaying() -> list[Row]:
    pool, design, events, _ = session("target-aware", ITEMS, 10_000)
    started = time.perf_counter()
    replay(pool, design, events)
    return [Row(f"replay of 10,000 ratings, {ITEMS:,} items", time.perf_counter() - started, "s", 8)]


def memory() -> list[Row]:
    size = 200_000
    tracemalloc.start()
    pool, values = pool_of(size)
    certifier = Certifier(pool, design_of("target-aware", 3000))
    for _ in range(3000):
        draw = certifier.ask()
        certifier.tell(draw, float(values[draw.position]))
    held = tracemalloc.get_traced_memory()[0] - values.nbytes
    return [Row("memory of a session beside the texts, 3,000 ratings", held / size, "bytes an item", 200)]


def importing() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.csv"
        with path.open("w", encoding="utf-8") as file:
            file.write("item_id,judge_score,prompt,response\n")
            for row in range(MANY):
                file.write(f'i{row},{row % 5 + 1},"What is {row}, and why?","{"It is what it is. " * 9}"\n')
        size = path.stat().st_size / 1e6
        started, before = time.perf_counter(), _peak()
        table = read_table(path)
        loaded = load(table, guess_mapping(table), Scale(1, 5))
        assert loaded.pool.size == MANY
        took = time.perf_counter() - started
        return [
            Row(f"import of {MANY:,} rows of CSV ({size:.0f} MB)", took, "s", 60),
            Row("the same: memory", (_peak() - before) / 1e6, "MB", 1000),
        ]


def exporting() -> list[Row]:
    pool, design, events, certifier = session("target-aware", ITEMS, 50_000)
    with tempfile.TemporaryDirectory() as folder:
        started, before = time.perf_counter(), _peak()
        export_bundle(
            Path(folder) / "bundle.zip", pool=pool, design=design, events=events, certifier=certifier
        )
        return [
            Row("export of a bundle with 50,000 ratings", time.perf_counter() - started, "s", 20),
            Row("the same: memory on top", (_peak() - before) / 1e6, "MB", 200),
        ]


def starting() -> list[Row]:
    path = ensure()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        server = Server(Path(folder) / "bench.db")
        link = server.link("lead", None, "Ada")
        started = time.perf_counter()
        server.start()
        page.goto(link)
        page.get_by_role("heading").first.wait_for()
        took = time.perf_counter() - started
        server.stop()
    return [Row("start of the server to the first page of a lead, in a browser", took, "s", 4)]


def trials(first: int, count: int) -> dict[str, list[dict[str, Any]]]:
    """Trials of target-aware, each on a diagnostic pool of its own."""
    design, rows = system_design("target-aware"), []
    for seed in range(first, first + count):
        pool = diagnostic(seed)
        lower, upper, ratings = certify(pool, "target-aware", design, seed)
        rows.append({"ratings": ratings, "missed": not lower[-1] <= pool.mean <= upper[-1]})
    return {"trials": rows}


def covering() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        jobs = [Job(f"trials-{first}", trials, (first, 50)) for first in range(0, 1000, 50)]
        started = time.perf_counter()
        run(jobs, Path(folder), processes=2)
        took = time.perf_counter() - started
        get_reusable_executor().shutdown(wait=True, kill_workers=True)  # or this process would wait for them
    return [Row("1,000 trials of target-aware, a pool of 2,500 items each, two cores", took, "s", 180)]


def _peak() -> float:
    """Bytes that this process has held at most."""
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


PARTS: dict[str, Callable[[], list[Row]]] = {
    "celeus": round_celeus,
    "target-aware": round_target_aware,
    "many": round_many,
    "growth": growth,
    "replay": replaying,
    "memory": memory,
    "import": importing,
    "export": exporting,
    "start": starting,
    "coverage": covering,
}
# Minutes, and more memory than a machine at work may have to spare: only where it is asked for.
ON_REQUEST: dict[str, Callable[[], list[Row]]] = {"large": large}


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help=f"parts, separated by commas: {', '.join(PARTS | ON_REQUEST)}")
    chosen = parser.parse_args()
    names = chosen.only.split(",") if chosen.only else list(PARTS)
    table = Table("what", "measured", "at most", "")
    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("", total=len(names))
        for name in names:
            bars.update(bar, description=name)
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                for row in process.submit((PARTS | ON_REQUEST)[name]).result():
                    bars.console.print(f"{row.what}: {row.value:.3g} {row.unit}")
                    table.add_row(
                        row.what,
                        f"{row.value:.3g} {row.unit}",
                        f"{row.most:g} {row.unit}",
                        "" if row.value <= row.most else f"{row.value / row.most:.2f} times too much",
                    )
            bars.advance(bar)
    console = Console(width=140)
    console.print(table)
    console.print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} over the last minute")


if __name__ == "__main__":
    # under its own name, by which other processes find its functions
    from benchmarks.speed import main as named

    named()
