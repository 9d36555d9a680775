"""Whatever raters and leads do, in whatever order, the rules of the queue hold: a model in a few lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from celeus_label.store import AlreadyRated, Claim, LeaseExpired, Nothing, StoreError
from tests.store.desk import Desk

who = st.integers(0, 3)


class Queue(RuleBasedStateMachine):
    def __init__(self, address: Callable[[], str]) -> None:
        super().__init__()
        self.address = address

    @initialize(
        k=st.integers(1, 3),
        reports=st.integers(1, 2),
        step=st.sampled_from([None, 0, 2]),
        gold=st.sampled_from([0, 2]),
        repeat_rate=st.sampled_from([0, 0.4]),
    )
    def open_a_session(self, k: int, reports: int, step: float | None, gold: int, repeat_rate: float) -> None:
        self.desk = Desk(
            self.address(),
            size=6,
            ratings_per_item=k,
            unratable_after=reports,
            disagreement=step,
            gold=gold,
            gold_rate=0.4 if gold else 0.0,
            repeat_rate=repeat_rate,
        )
        self.k, self.reports, self.step = k, reports, step
        self.raters = [self.desk.ann, self.desk.bob, self.desk.cid, self.desk.dan]
        self.claims: dict[str, list[Claim]] = defaultdict(list)
        self.saved: dict[tuple[int, str], float] = {}

    def teardown(self) -> None:
        if hasattr(self, "desk"):
            self.desk.store.close()

    @rule(rater=who)
    def claim(self, rater: int) -> None:
        person = self.raters[rater]
        claim = self.desk.ask(person)
        if isinstance(claim, Nothing):
            return
        assert (claim.round, person) not in self.saved, "a draw came back to who rated it"
        self.claims[person].append(claim)

    @rule(rater=who, value=st.integers(0, 5), which=st.integers(0, 8))
    def rate(self, rater: int, value: int, which: int) -> None:
        self.on_some_lease(rater, which, lambda claim, person: self.rate_now(claim, person, value))

    def rate_now(self, claim: Claim, person: str, value: int) -> None:
        before = len(self.desk.kinds())
        saved = self.desk.rate(claim, person, value)
        if (claim.round, person) in self.saved:
            assert len(self.desk.kinds()) == before, "a second submit left a trace"
        else:
            assert saved.value == value
            self.saved[claim.round, person] = value

    @rule(rater=who, which=st.integers(0, 8))
    def later(self, rater: int, which: int) -> None:
        self.on_some_lease(
            rater, which, lambda claim, person: self.desk.store.later(claim.lease, person, self.desk.now)
        )

    @rule(rater=who, which=st.integers(0, 8))
    def unratable(self, rater: int, which: int) -> None:
        self.on_some_lease(
            rater,
            which,
            lambda claim, person: self.desk.store.unratable(claim.lease, person, "empty", "", self.desk.now),
        )

    @rule(rater=who, which=st.integers(0, 8))
    def renew(self, rater: int, which: int) -> None:
        self.on_some_lease(
            rater, which, lambda claim, person: self.desk.store.renew(claim.lease, person, self.desk.now)
        )

    @rule(rater=who)
    def sign_out(self, rater: int) -> None:
        self.desk.store.release_all(self.raters[rater], self.desk.now)

    @rule(round=st.integers(1, 6))
    def take_back(self, round: int) -> None:
        self.desk.store.take_back(self.desk.session, round, self.desk.now)

    @rule(seconds=st.sampled_from([1, 150, 301, 4000, -3600]))
    def time_goes_by(self, seconds: int) -> None:
        self.desk.pass_time(seconds)

    @rule(rater=who, round=st.integers(1, 6), value=st.integers(0, 5))
    def correct(self, rater: int, round: int, value: int) -> None:
        person = self.raters[rater]
        try:
            self.desk.store.correct(self.desk.session, round, person, value, "lead", self.desk.now)
        except StoreError:
            assert (round, person) not in self.saved
        else:
            self.saved[round, person] = value

    @rule(round=st.integers(1, 6), value=st.integers(0, 5))
    def decide(self, round: int, value: int) -> None:
        before = self.desk.kinds()
        try:
            self.desk.store.adjudicate(self.desk.session, round, value, "lead", self.desk.now)
        except StoreError:
            assert self.desk.kinds() == before, "a refusal left a trace"
        else:
            disputed = {d.round: d for d in self.desk.store.disputes(self.desk.session)}
            assert disputed[round].decided == value
            assert disputed[round].state == "done"

    def on_some_lease(self, rater: int, which: int, action: Any) -> None:
        """Newest lease first, since that is what people do; old ones are the stale tabs."""
        person = self.raters[rater]
        if len(self.claims[person]) > which:
            before = self.desk.kinds()
            try:
                action(self.claims[person][-1 - which], person)
            except (LeaseExpired, AlreadyRated):
                assert self.desk.kinds() == before, "a refusal left a trace"

    @invariant()
    def the_rules_hold(self) -> None:
        if not hasattr(self, "desk"):
            return
        assert self.desk.store.check() == []
        stored = {
            (row.round, row.rater): row.value
            for person in self.raters
            for row in self.desk.store.recent(self.desk.session, person, 100)
        }
        assert stored == self.saved, "the ratings acknowledged are not the ratings stored"
        counts = self.desk.counts()
        assert len({held.rater for held in counts.held}) == len(counts.held), "two leases for one rater"
        assert counts.ratings == sum(round > 0 for round, _ in self.saved)
        assert all(held.round > 0 for held in counts.held)
        places: dict[int, int] = defaultdict(int)
        for round, _ in self.saved:
            places[round] += 1
        assert all(taken == 1 for round, taken in places.items() if round < 0), "a control for two raters"
        for held in counts.held:
            places[held.round] += 1
        most = self.k if self.step is None else self.k + 1
        assert all(taken <= most for taken in places.values()), "more raters than places"
        rounds = [
            event.body["round"] for event in self.desk.store.events(self.desk.session) if event.kind == "draw"
        ]
        assert rounds == list(range(1, len(rounds) + 1))


def test_whatever_is_done_the_rules_hold(address: Callable[[], str]) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        lambda: Queue(address),
        settings=settings(
            max_examples=30, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
