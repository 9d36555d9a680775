"""The whole tree of draw sequences of a tiny pool, driven through a real `Certifier`.

Nothing is sampled: at every node each item that is left is drawn once, by feeding the certifier a random number that
leads to it, and the probability of a path is the product of the q that its draws report. What a history leaves behind
is kept as plain numbers in a `Node`, so that tests can sum over all sequences.

This is the one place in these tests that looks inside a certifier: at the terms of its rounds, and at the sizes of
its bets against one candidate. Cells are made few, so that a tree is quick and the chords of a cell are put to work.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np

from celeus_label.certify import Certifier, Design, Draw, Pool, Scale, candidates
from celeus_label.certify import certifier as certifier_module
from celeus_label.certify.bets import HedgedBet, TargetBet
from celeus_label.certify.running import RunningHedgedBet
from celeus_label.certify.signals import Terms

BETS = (HedgedBet, RunningHedgedBet, TargetBet)
Rate = Callable[[Certifier, Draw], None]
Values = Sequence[float]


@dataclass
class Node:
    """A history, seen after what was done with its last draw.

    Attributes
    ----------
    path : positions drawn so far, in order
    q : probability of the last draw given the path before it
    probability : of the whole path
    terms : of the last draw (None at the root)
    ratings : rounds in the interval
    lower, upper, status : what the certifier reports
    wealth : of the bet that the mean is above its truth, and of the one that it is below
    """

    path: tuple[int, ...]
    q: float
    probability: float
    terms: Terms | None
    ratings: int
    lower: float
    upper: float
    status: str
    wealth: tuple[float, float]
    children: list[Node] = field(default_factory=list)

    def nodes(self) -> Iterator[Node]:
        """This node and every one below it, parents first."""
        yield self
        for child in self.children:
            yield from child.nodes()


def make_pool(judge: Values, weights: Values | None = None) -> Pool:
    """A pool on the unit scale, its items numbered, with an optional feature "w" to sample by."""
    features = {} if weights is None else {"w": list(weights)}
    return Pool([f"item-{row}" for row in range(len(judge))], list(judge), Scale(0, 1), features=features)


def mean(values: Values) -> float:
    return math.fsum(values) / len(values)


def telling(values: Values) -> Rate:
    """A rater who knows every value."""
    return lambda certifier, draw: certifier.tell(draw, float(values[draw.position]))


def grow(
    pool: Pool,
    design: Design,
    rate: Rate,
    truths: float | tuple[float, float],
    cells: int = 48,
    fit_every: int = 1,
) -> Node:
    """The tree of all draw sequences.

    Parameters
    ----------
    rate : what is done once a draw is made; it may tell, postpone, go on to another width, …
    truths : candidate against which the wealth of each of the two sides is followed, as a rule the pool mean
    cells : number of cells of candidates
    fit_every : a fitted surrogate is learnt anew after this number of ratings; in real sessions it takes more
        ratings than a tiny pool has until the first fit
    """
    pair = truths if isinstance(truths, tuple) else (truths, truths)
    with forced_draws() as number, few_cells(cells), _watched_bets(), early_fits(fit_every):
        start = Certifier(pool, design)
        for inference in (start._inference, *start._checkpoints):
            _watch(inference._lower, pair[0])
            _watch(inference._upper, 1 - pair[1])
        root = _node(start, (), 1.0, 1.0, None)
        _grow(root, start, rate, number)
    return root


def _grow(node: Node, certifier: Certifier, rate: Rate, number: list[float]) -> None:
    numbers = numbers_for_each_item(certifier, number)
    here = pickle.dumps(certifier, protocol=5)  # much faster than a deep copy for each child
    for u in numbers:
        number[0] = u
        child: Certifier = pickle.loads(here)
        draw = child.ask()
        rate(child, draw)
        path, probability = (*node.path, draw.position), node.probability * draw.q
        node.children.append(_node(child, path, draw.q, probability, child._rounds[-1].terms))
        if child.draws < child.pool.size:
            _grow(node.children[-1], child, rate, number)


def _node(
    certifier: Certifier, path: tuple[int, ...], q: float, probability: float, terms: Terms | None
) -> Node:
    inference = certifier._inference
    lower, upper = certifier.unit_interval
    wealth = (float(inference._lower.wealth.sum()), float(inference._upper.wealth.sum()))  # type: ignore[attr-defined]
    return Node(path, q, probability, terms, certifier.ratings, lower, upper, certifier.status, wealth)


@contextmanager
def forced_draws() -> Iterator[list[float]]:
    """Draws are made by the number in the list instead of by the seed."""
    number = [0.0]
    with mock.patch.object(certifier_module, "random_number", lambda seed, round_: number[0]):
        yield number


def numbers_for_each_item(certifier: Certifier, number: list[float]) -> list[float]:
    """For each item that is left, a random number that draws it; `number` is the list of `forced_draws`."""
    left = certifier.pool.size - certifier.draws
    found: dict[int, float] = {}
    beta = float(certifier.design.beta or 1.0)
    likely = [(k + 0.5) / left * share for share in (1.0, beta) for k in range(left)]
    for u in [*likely, *np.linspace(0, 1, 1000, endpoint=False)]:
        number[0] = float(u)
        draw = certifier.propose()
        assert draw is not None
        found.setdefault(draw.position, float(u))
        if len(found) == left:
            return list(found.values())
    raise AssertionError(f"only the items {sorted(found)} of {left} can be drawn")


@contextmanager
def early_fits(every: int) -> Iterator[None]:
    """Fits are due after every few committed rounds, from the first on."""
    with mock.patch.object(certifier_module, "next_fit", lambda committed: committed + every):
        yield


# --- following the wealth of one candidate ---------------------------------------------------------------------


def _watch(side: Any, candidate: float) -> None:
    side.candidate = candidate
    side.wealth = np.exp(side.bet.log_weights)


@contextmanager
def _watched_bets() -> Iterator[None]:
    """Every round multiplies `wealth` of a watched side by 1 + lam (S - v), with the lam of the candidate's cell."""
    commit = candidates.LowerEnd.commit

    def sizes_seen(plain: Any) -> Any:
        def sizes(self: Any, part: slice, edges: Any, *rest: Any) -> Any:
            self.seen = (edges, plain(self, part, edges, *rest))
            return self.seen[1]

        return sizes

    def watched_commit(self: Any, signal: float, *rest: Any) -> None:
        self.bet.seen = None
        commit(self, signal, *rest)
        if self.bet.seen is None:
            return
        edges, sizes = self.bet.seen
        cell = int(np.searchsorted(edges, self.candidate, side="right")) - 1
        if self.candidate == 1.0 == edges[-1]:
            cell -= 1
        if 0 <= cell < sizes.shape[1]:
            self.wealth = self.wealth * (1 + sizes[:, cell] * (signal - self.candidate))

    with ExitStack() as stack:
        for bet in BETS:
            stack.enter_context(mock.patch.object(bet, "sizes", sizes_seen(bet.sizes)))
        stack.enter_context(mock.patch.object(candidates.LowerEnd, "commit", watched_commit))
        yield


@contextmanager
def few_cells(cells: int) -> Iterator[None]:
    """Candidates are grouped into this number of cells."""
    with ExitStack() as stack:
        for bet in BETS:
            stack.enter_context(mock.patch.object(bet, "cells", cells))
        yield
