"""What must hold in every tree of draw sequences (METHOD 8)."""

from __future__ import annotations

import math

from tests.exact.tree import Node, Values, mean


def check_signals(root: Node, values: Values) -> None:
    """The q are probabilities, the signal is unbiased at every node, and its bounds hold for any value."""
    for node in root.nodes():
        if not node.children:
            continue
        drawn = math.fsum(values[position] for position in node.path)
        total = math.fsum(child.q for child in node.children)
        assert abs(total - 1) < 1e-12, f"after {node.path}: the q sum to {total!r}"
        expected = 0.0
        for child in node.children:
            known = child.terms
            assert known is not None and known.q == child.q > 0
            expected += child.q * known.signal(drawn, values[child.path[-1]])
            low, high = known.bounds(drawn)
            for value in (0.0, values[child.path[-1]], 1.0):
                signal = known.signal(drawn, value)
                assert low - 1e-12 <= signal <= high + 1e-12, f"{child.path}: {low!r} {signal!r} {high!r}"
        assert abs(expected - mean(values)) < 1e-12, (
            f"after {node.path}: the mean of the signal is {expected!r}"
        )
        # local bounds are the tightest that are known before the draw
        known_all = [child.terms for child in node.children if child.terms is not None]
        low, high = known_all[0].bounds(drawn)
        assert math.isclose(min(known.signal(drawn, 0.0) for known in known_all), low, abs_tol=1e-12)
        assert math.isclose(max(known.signal(drawn, 1.0) for known in known_all), high, abs_tol=1e-12)


def check_wealth(root: Node, tolerance: float = 1e-9) -> None:
    """Against the truth no bet gains or loses on average, at any node, nor over the whole tree."""
    for node in root.nodes():
        for side in (0, 1):
            assert node.wealth[side] > 0 or node.path, "wealth starts at 1"
            assert node.wealth[side] >= 0
            if node.children:
                after = math.fsum(child.q * child.wealth[side] for child in node.children)
                assert abs(after - node.wealth[side]) <= tolerance * max(1.0, node.wealth[side]), (
                    f"after {node.path}: wealth {node.wealth[side]!r} becomes {after!r} on average (side {side})"
                )
    assert root.wealth == (1.0, 1.0) or all(abs(wealth - 1) < 1e-12 for wealth in root.wealth)


def miscoverage(root: Node, truth: float) -> float:
    """Exact probability that the interval excludes the truth at any time."""

    def excluded(node: Node) -> float:
        if not node.lower <= truth <= node.upper:
            return node.probability
        return math.fsum(excluded(child) for child in node.children)

    return excluded(root)


def check_nested(root: Node) -> None:
    """Intervals never grow, and rounds without a rating change nothing."""
    for node in root.nodes():
        for child in node.children:
            assert child.lower >= node.lower and child.upper <= node.upper, f"{child.path}: the interval grew"
            if child.ratings == node.ratings:
                assert (child.lower, child.upper) == (node.lower, node.upper)


def check_exhaustion(root: Node, truth: float) -> None:
    """With everything rated the interval is the truth, or contradicted where the truth was excluded before."""

    def walk(node: Node, lost: bool) -> None:
        lost = lost or not node.lower <= truth <= node.upper
        if node.children:
            for child in node.children:
                walk(child, lost)
        elif lost:
            assert node.status == "contradicted" and node.lower > node.upper, f"{node.path}: {node.status}"
        else:
            assert node.lower <= truth <= node.upper
            assert node.upper - node.lower < 1e-9, f"{node.path}: {node.lower!r} to {node.upper!r}"
            assert node.status == "target met"

    walk(root, False)
