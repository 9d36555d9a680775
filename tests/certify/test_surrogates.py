"""What is learnt from the ratings: stable on every kind of column, deterministic, and never a reason to be invalid."""

from __future__ import annotations

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, Pool, Scale, draw_events, replay
from celeus_label.certify.features import Coefficients, Features
from celeus_label.certify.surrogates import Fit, learn, next_fit, surrogate_of, weights_of
from celeus_label.ledger import append

RNG = np.random.default_rng(11)
N = 600
TRUTH = RNG.random(N)


def pool(
    judge: object, features: dict[str, object] | None = None, groups: dict[str, object] | None = None
) -> Pool:
    return Pool([f"i{n}" for n in range(N)], judge, Scale(0, 1), features=features, groups=groups)  # type: ignore[arg-type]


def fitted(subject: Pool, y: np.ndarray, count: int = 120, seed: int = 0) -> tuple[Features, Fit]:
    features = Features(subject)
    chosen = np.random.default_rng(seed).choice(N, count, replace=False)
    left = np.arange(N, N - count, -1, dtype=float)
    return features, learn(features, count, chosen, y[chosen], 1 / left, left, 0.025)


ODD = {
    "a constant judge": pool(np.full(N, 0.5)),
    "a judge of three values": pool(np.round(TRUTH * 2) / 2),
    "collinear columns": pool(TRUTH, {"twice": 2 * TRUTH, "minus": -TRUTH}),
    "missing values": pool(TRUTH, {"x": np.where(RNG.random(N) < 0.3, np.nan, TRUTH)}),
    "a column of nothing": pool(TRUTH, {"x": np.full(N, np.nan)}),
    "huge numbers": pool(TRUTH, {"x": 1e300 * TRUTH}),
    "tiny numbers": pool(TRUTH, {"x": 1e-300 * TRUTH}),
    "as many levels as items": pool(TRUTH, groups={"g": [f"level {n}" for n in range(N)]}),
    "one level": pool(TRUTH, groups={"g": ["same"] * N}),
}


@pytest.mark.parametrize("subject", ODD.values(), ids=ODD)
@pytest.mark.parametrize("kind", ["0/1", "Likert", "continuous", "all equal"])
def test_every_kind_of_column_gives_a_usable_fit(subject: Pool, kind: str) -> None:
    y = {
        "0/1": (TRUTH > 0.6).astype(float),
        "Likert": np.round(TRUTH * 4) / 4,
        "continuous": TRUTH,
        "all equal": np.full(N, 0.25),
    }[kind]
    features, fit = fitted(subject, y)
    surrogate = surrogate_of(features, fit)
    assert np.isfinite(surrogate).all()
    assert surrogate.min() >= 0
    assert surrogate.max() <= 1
    weights = weights_of(features, fit)
    assert weights is None or (np.isfinite(weights).all() and weights.min() > 0)
    assert 0 < fit.beta <= 1
    assert np.isfinite(fit.outlook.variance)
    assert fit.outlook.variance > 0


@pytest.mark.parametrize(
    "judge",
    [1 - TRUTH, np.clip(TRUTH + 0.4, 0, 1), np.where(TRUTH > 0.5, 1.0, 0.0)],
    ids=["reversed", "generous", "extreme"],
)
def test_a_bad_judge_that_knows_something_is_repaired(judge: np.ndarray) -> None:
    features, fit = fitted(pool(judge), TRUTH)
    residual = TRUTH - surrogate_of(features, fit)
    assert residual.var() < 0.45 * TRUTH.var()
    assert abs(residual.mean()) < 0.05


def test_a_useless_judge_is_ignored() -> None:
    noise = np.random.default_rng(3).random(N)
    losses = []
    for seed in range(20):
        features, fit = fitted(pool(noise), TRUTH, seed=seed)
        losses.append((TRUTH - surrogate_of(features, fit)).var() / TRUTH.var())
    assert np.mean(losses) < 1.03


def test_a_groups_effect_is_found() -> None:
    systems = [f"s{n % 3}" for n in range(N)]
    y = np.array([0.2, 0.5, 0.8])[np.arange(N) % 3]
    features, fit = fitted(pool(np.full(N, 0.5), groups={"system": systems}), y)
    assert np.abs(y - surrogate_of(features, fit)).max() < 0.05


def test_sampling_is_by_weights_where_that_helps_and_uniform_where_not() -> None:
    sure = np.arange(N) % 2 == 0
    y = np.where(sure, 0.5, (np.random.default_rng(5).random(N) > 0.5).astype(float))
    groups = {"kind": ["sure" if s else "open" for s in sure]}
    features, fit = fitted(pool(np.full(N, 0.5), groups=groups), y)
    weights = weights_of(features, fit)
    assert weights is not None
    assert weights[~sure].mean() > 2 * weights[sure].mean()
    assert fitted(pool(np.full(N, 0.5)), TRUTH)[1].scale is None


def test_the_same_ratings_give_the_same_fit_and_it_survives_a_file() -> None:
    subject = pool(TRUTH, {"x": RNG.random(N)}, {"g": [f"{n % 7}" for n in range(N)]})
    y = np.round(TRUTH * 4) / 4
    _, one = fitted(subject, y)
    _, two = fitted(subject, y)
    assert one == two
    assert Fit.from_dict(one.to_dict()) == one
    assert one.difference(two, 0.0) == ""
    other = Fit.from_dict({**one.to_dict(), "beta": one.beta + 0.1})
    assert "fit/beta" in one.difference(other, 1e-9)


def test_ridge_agrees_with_normal_equations_and_real_leaving_out() -> None:
    from celeus_label.certify.surrogates import _PENALTIES, _ridge

    x = RNG.normal(size=(40, 4))
    y = x @ np.array([0.3, 0, -0.2, 0.1]) + RNG.normal(0, 0.1, 40)

    def solve(rows: np.ndarray, values: np.ndarray, penalty: float) -> tuple[float, np.ndarray]:
        centre = rows.mean(axis=0)
        b = rows - centre
        slopes = np.linalg.solve(b.T @ b + penalty * np.eye(4), b.T @ (values - values.mean()))
        return values.mean() - centre @ slopes, slopes

    residuals, intercept, slopes = _ridge(x, y)
    fits = {penalty: solve(x, y, penalty) for penalty in _PENALTIES}
    chosen = min(_PENALTIES, key=lambda p: np.abs(fits[p][1] - slopes).max())
    np.testing.assert_allclose(fits[chosen][1], slopes, atol=1e-12)
    np.testing.assert_allclose(fits[chosen][0], intercept, atol=1e-12)
    left_out = []
    for row in range(40):
        rest = np.arange(40) != row
        # the penalised slopes of the others; centring uses the others' mean, which the closed form knows
        b, slope = solve(x[rest], y[rest], chosen)
        left_out.append(y[row] - b - x[row] @ slope)
    np.testing.assert_allclose(residuals, left_out, rtol=0.05, atol=2e-3)


def test_the_schedule_of_fits_is_sparse() -> None:
    due, dues = 0, []
    while due < 10_000:
        due = next_fit(due)
        dues.append(due)
    assert dues[:5] == [10, 16, 23, 32, 43]
    assert len(dues) < 40


def test_prediction_is_the_linear_function_by_name() -> None:
    subject = pool(TRUTH, groups={"g": ["a", "b"] * (N // 2)})
    features = Features(subject)
    fit = Coefficients(0.25, {"judge": 0.5}, {"g": {"a": 0.125}})
    scaled = (TRUTH - TRUTH.mean()) / TRUTH.std()
    expected = 0.25 + 0.5 * scaled + np.where(np.arange(N) % 2 == 0, 0.125, 0.0)
    np.testing.assert_allclose(features.predict(fit), expected, atol=1e-12)


def test_groups_are_numbered_as_numpy_sorts_them() -> None:
    names = ["b", "ä", "b\0", "", "B", "\0", "日本", "b\0c"]
    levels = [names[row % len(names)] for row in range(N)]
    known, codes = np.unique(np.array(levels, dtype=object).astype(str), return_inverse=True)
    found = Features(pool(np.full(N, 0.5), groups={"g": levels})).groups["g"]
    assert found[0] == known.tolist()
    np.testing.assert_array_equal(found[1], codes)


def test_a_ledgers_fit_is_checked_and_rebuilt_by_replay() -> None:
    subject = pool(np.clip(TRUTH + 0.2, 0, 1))
    design = Design(seed=4, width=0.1)
    live = Certifier(subject, design)
    events = [append(None, "design", {"pool_hash": subject.hash}, "t")]
    for _ in range(40):
        draw = live.propose()
        assert draw is not None
        for kind, body in draw_events(draw):
            events.append(append(events[-1], kind, body, "t"))
        live.add(draw)
        value = float(np.round(TRUTH[draw.position], 2))
        live.tell(draw, value)
        body = {"round": draw.round, "rater": "rater", "value": value}
        events.append(append(events[-1], "rating", body, "t"))
    assert sum(event.kind == "fit" for event in events) == 4
    assert replay(subject, design, events).interval == live.interval
    place = next(n for n, event in enumerate(events) if event.kind == "fit")
    body = {**events[place].body, "surrogate": {**events[place].body["surrogate"], "intercept": 0.9}}
    forged = [*events[:place], append(events[place - 1], "fit", body, "t")]
    with pytest.raises(ValueError, match=r"fit/surrogate/intercept is 0.9, but the rule gives"):
        replay(subject, design, forged)
    without = [event for event in events[: place + 2] if event.kind != "fit"]
    with pytest.raises(ValueError, match=r"its fits is 1, but the rule gives|a fit is due before it"):
        replay(subject, design, without)


def test_a_warm_start_is_used_from_the_first_draw_and_saves_ratings() -> None:
    noise = np.random.default_rng(9).normal(0, 0.15, N)
    y = np.round(np.clip(TRUTH + noise, 0, 1), 2)
    subject = pool(1 - TRUTH)

    def run(design: Design) -> Certifier:
        certifier = Certifier(subject, design)
        while not certifier.stopped:
            draw = certifier.ask()
            certifier.tell(draw, float(y[draw.position]))
        return certifier

    cold = [run(Design(seed=seed, width=0.06)) for seed in range(6)]
    assert cold[0].learnt is not None
    start = {"fit": cold[0].learnt.to_dict(), "source": "the first session"}
    warm = [run(Design(seed=seed, width=0.06, warm_start=start)) for seed in range(6, 12)]
    assert warm[0].learnt is not None
    assert sum(one.ratings for one in warm) < sum(one.ratings for one in cold)
    with pytest.raises(ValueError, match="needs the column 'feature x'"):
        fit = {
            **cold[0].learnt.to_dict(),
            "surrogate": {"intercept": 0, "numbers": {"feature x": 1}, "groups": {}},
        }
        Certifier(subject, Design(warm_start={"fit": fit, "source": "another"}))
    with pytest.raises(ValueError, match="learns nothing"):
        Certifier(subject, Design(preset="celeus", warm_start=start))
