"""One pool under every system."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.compare import SYSTEMS, side_by_side
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.systems import design_of
from celeus_label.ingest import bundled


def small(size: int = 300) -> tuple[Pool, np.ndarray]:
    rng = np.random.default_rng(4)
    truth = rng.integers(1, 6, size)
    judge = np.clip(truth + rng.integers(-1, 2, size), 1, 5)
    features = {
        "spread": rng.random(size),
        "length": np.where(rng.random(size) < 0.1, np.nan, rng.random(size)),
    }
    groups = {"system": [f"s{row % 3}" for row in range(size)]}
    ids = [f"i{row}" for row in range(size)]
    return Pool(ids, judge.astype(float), Scale(1, 5, 1), features=features, groups=groups), truth.astype(
        float
    )


def test_every_system_has_its_line_and_its_row() -> None:
    pool, values = small()
    found = side_by_side(pool, values, width=0.15, seeds=2, weights="spread")
    assert found.table["system"].tolist() == list(SYSTEMS)
    assert found.items == 300
    assert found.mean == pytest.approx(values.mean())
    assert set(found.widths["system"]) == set(SYSTEMS)
    for (_, _), line in found.widths.groupby(["system", "seed"]):
        assert line["ratings"].is_monotonic_increasing
    table = found.table.set_index("system")
    assert table["saving"]["evalue"] == 0
    assert table["median_ratings"]["target-aware"] < table["median_ratings"]["evalue"]
    assert table["note"]["celeus"] == table["note"]["target-aware"] == ""
    assert table["note"]["cer-eval"].startswith("not valid")
    assert table["note"]["evalue"].startswith("not valid for the pool's mean")


def test_the_certifiers_own_sessions_are_the_lines() -> None:
    pool, values = small()
    found = side_by_side(pool, values, ["target-aware"], width=0.15, seeds=1)
    certifier = Certifier(pool, Design(width=0.15, seed=0))
    while not certifier.stopped:
        drawn = certifier.ask()
        certifier.tell(drawn, values[drawn.position])
    assert found.table["median_ratings"][0] == certifier.ratings
    assert found.widths["width"].iloc[-1] == pytest.approx(certifier.interval.width)


def test_items_without_a_value_are_left_out() -> None:
    pool, values = small()
    values[::2] = np.nan
    found = side_by_side(pool, values, ["celeus", "target-aware"], width=0.2, seeds=1)
    assert found.items == 150
    assert found.mean == pytest.approx(np.nanmean(values))
    assert (found.widths["ratings"] <= 150).all()


def test_a_mean_of_several_ratings_may_lie_between_two_points() -> None:
    pool, values = small(60)
    side_by_side(pool, values * 0.9 + 0.3, ["celeus"], width=0.3, seeds=1)


def test_a_scale_on_which_low_is_bad_keeps_its_direction() -> None:
    pool, values = small()
    turned = Pool(pool.item_ids, 6 - pool.judge, pool.scale, Scale(5, 1))
    one, other = (
        side_by_side(which, values, ["celeus"], width=0.15, seeds=1).table["median_ratings"][0]
        for which in (Pool(pool.item_ids, pool.judge, pool.scale), turned)
    )
    assert one == other


def test_what_is_wrong_is_named() -> None:
    pool, values = small()
    with pytest.raises(ValueError, match="no system is called 'best'; there are evalue"):
        side_by_side(pool, values, ["best"])
    with pytest.raises(ValueError, match=r"\(299,\) values for 300 items"):
        side_by_side(pool, values[1:])
    with pytest.raises(ValueError, match="no item's value is known"):
        side_by_side(pool, np.full(300, np.nan))
    with pytest.raises(ValueError, match="row 7: the value is 9, outside the scale 1 to 5"):
        side_by_side(pool, np.where(np.arange(300) == 6, 9.0, values))
    with pytest.raises(ValueError, match="the pool has no feature 'w' to sample by; it has spread, length"):
        side_by_side(pool, values, weights="w")


def test_the_bundled_pool_has_a_score_for_every_item() -> None:
    loaded = bundled()
    pool, values = loaded.pool, loaded.human
    assert values is not None
    assert pool.size == len(values) == 1500
    assert np.corrcoef(pool.judge, values)[0, 1] > 0.2
    assert set(values) <= {1, 2, 3, 4, 5}


def test_the_oracle_alone_sees_what_is_hidden() -> None:
    rng = np.random.default_rng(0)
    hidden = HiddenPool("p", rng.random(20), rng.random(20), rng.random(20))
    assert hidden.pool("celeus").features["weights"].tolist() == hidden.weights.tolist()  # type: ignore[union-attr]
    assert hidden.pool("oracle").features["weights"] == pytest.approx(
        np.abs(hidden.values - hidden.surrogate)
    )
    for system in ("evalue", "celeus-no-surrogate", "target-aware"):
        assert "weights" not in hidden.pool(system).features
    with pytest.raises(ValueError, match="item 3: its value is 2"):
        dataclasses.replace(hidden, values=np.where(np.arange(20) == 2, 2.0, hidden.values))
    with pytest.raises(ValueError, match="system must be one of evalue"):
        design_of("cer-eval")
