from __future__ import annotations

import secrets

import streamlit as st

from celeus_label.certify import PRESETS, Design
from celeus_label.certify.design_rules import TARGETS
from celeus_label.session import StoreError
from celeus_label.ui import (
    aspectsform,
    next_session,
    planform,
    poolform,
    raterules,
    say,
    signin,
    stopping,
    uploadform,
)

who = signin.need("lead")
workspace = signin.workspace()

st.title("Set up a session")

if "created" in st.session_state:
    made = st.session_state["created"]
    st.success("The design is frozen. Copy these links now: they can't be shown again.")
    st.text(f"{made['name']}: {made['items']:,} items")
    st.caption("For a rater")
    say.show_link(made["rater"])
    st.caption("For another lead of this session")
    say.show_link(made["lead"])
    st.caption("Each rater needs a link of their own: more are made on the page Raters.")
    if st.button("Set up another session"):
        del st.session_state["created"]
        st.rerun()
    st.stop()

before = next_session.source(workspace, who)
st.header("1 · The pool", anchor=False)
uploaded = poolform.upload()
if uploaded is None:
    st.stop()
way, table = uploaded
mapping = raterules.known_answers(table, poolform.columns(table))
poolform.as_raters_see_it(table, mapping)

st.header("2 · The scale", anchor=False)
try:
    pair = mapping.response_b is not None
    scale, judge_scale = poolform.scales(table, None if before is None else before.scale, pair)
except ValueError as error:
    say.problem(error)
    st.stop()
loaded = poolform.checked(way, table, mapping, scale, judge_scale)
if loaded is None:
    st.stop()
uploadform.beside_stored(workspace, who, loaded)

st.header("3 · The design", anchor=False)
start = Design() if before is None else before.design
name = st.text_input("Name of the session", max_chars=200)
guidelines = st.text_area(
    "Guidelines for raters",
    "" if before is None else before.guidelines,
    height=160,
    help="Shown as they stand, once at first and by the key G.",
)
examples = poolform.examples()
left, right = st.columns(2)
percent = stopping.width_percent(start, left)
left.caption(f"= {say.points(percent / 100, scale.range)}")
alpha = right.number_input(
    "Error rate alpha",
    min_value=min(
        0.001, start.alpha
    ),  # the command line gives smaller ones, and larger ones, than anybody should
    max_value=max(0.5, start.alpha),
    value=start.alpha,
    format="%g",
)
right.caption(f"= {(1 - alpha) * 100:g} % confidence at any stopping time")
target = left.selectbox(
    "Target",
    TARGETS,
    TARGETS.index(start.target),
    help="The mean of this pool, or of the population that it was sampled from.",
)
preset = right.selectbox("Preset", list(PRESETS), list(PRESETS).index(start.preset))
seed = left.number_input(
    "Seed of the draws", min_value=0, value=st.session_state.setdefault("seed", secrets.randbits(31))
)

raters = raterules.rules(scale, len(loaded.gold), start)
same_scale = before is not None and before.scale == scale
rules = stopping.rules(scale, start if same_scale else None)
warm = next_session.warm_start(workspace, who, before)
try:
    aspects = {} if pair else aspectsform.ask(loaded.pool, start)
    design = Design(
        width=percent / 100,
        alpha=alpha,
        target=target,
        preset=preset,
        seed=int(seed),
        above=rules.above,
        below=rules.below,
        budget=rules.budget,
        warm_start=warm,
        task="pairwise" if pair else "single",
        **aspects,
        **raters.design,
    )
except ValueError as error:
    say.problem(error)
    st.stop()

st.header("4 · The plan", anchor=False)
planform.show(workspace, who, design, loaded)

st.header("5 · Freeze", anchor=False)
st.caption(
    "Nothing of this can be changed once the first item is drawn, except the width and the rules to stop by."
)
if loaded.stand_in is not None:
    st.caption(
        f"The design will record that the mean of the judge's scores, {loaded.stand_in:g}, "
        f"stands in for {len(loaded.filled):,} that are missing."
    )
if st.button("Freeze the design", type="primary"):
    try:
        session = workspace.create(
            who,
            name.strip(),
            loaded,
            design,
            guidelines=guidelines,
            examples=examples,
            gold_rate=raters.gold_rate,
            repeat_rate=raters.repeat_rate,
            follows=None if before is None else before.id,
        )
    except (ValueError, StoreError) as error:
        say.problem(error, "The session was not made. Nothing that you entered is lost.")
        st.stop()
    st.session_state["session"] = session.id  # the other pages show the new one
    st.session_state["created"] = {
        "name": session.name,
        "items": session.items,
        "rater": workspace.invite(who, "rater", session.id, "Rater 1"),
        "lead": workspace.invite(who, "lead", session.id, "Lead"),
    }
    st.session_state.pop("checked")
    st.session_state.pop("next_from", None)
    st.rerun()
