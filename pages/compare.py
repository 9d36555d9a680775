from __future__ import annotations

import numpy as np
import streamlit as st

from celeus_label.certify import Pool
from celeus_label.compare import NAMES, SYSTEMS, Comparison, side_by_side
from celeus_label.compare.bundled import bundled
from celeus_label.compare.figures import bands
from celeus_label.ui import choose, say, signin

FEWEST = 30

who = signin.need("lead")
workspace = signin.workspace()

st.title("Compare", anchor=False)
st.caption("The same items, rated again from what is known of them, under every system.")
items = st.radio("Items", ["Those rated in a session", "The bundled pool"], horizontal=True)
if items == "The bundled pool":
    try:
        pool, values = bundled()
    except ValueError as error:
        say.problem(error)
        st.stop()
else:
    session = choose.session(who)
    pool, values = workspace.known_values(who, session.id)
    rated = int((~np.isnan(values)).sum())
    st.caption(
        f"{rated:,} items are rated. They are taken as a pool of their own, with their mean as the target."
    )
    if rated < FEWEST:
        st.info(f"There is too little to compare yet: it takes {FEWEST} rated items.")
        st.stop()
percent = st.number_input("Width, % of the scale", min_value=1.0, max_value=50.0, value=5.0, format="%g")
chosen = st.multiselect("Systems", list(SYSTEMS), list(SYSTEMS), format_func=NAMES.get)
seeds = st.number_input("Runs of each", min_value=1, max_value=50, value=3)


@st.cache_data(max_entries=16, show_spinner="Rating everything again …")
def compared(
    key: tuple[str, bytes],
    presets: tuple[str, ...],
    width: float,
    runs: int,
    _pool: Pool,
    _values: np.ndarray,
) -> Comparison:
    return side_by_side(_pool, _values, presets, width=width, seeds=runs)


if not chosen or not st.button("Compare", type="primary"):
    st.stop()
key = (pool.hash, values.tobytes())
found = compared(key, tuple(chosen), percent / 100, int(seeds), pool, values)
lines = {name: found.widths[found.widths["system"] == name] for name in chosen}
reached = found.table[found.table["reached"] > 0.5]
marks = dict(zip(reached["system"], reached["median_ratings"], strict=True))
figure = bands(
    lines,
    x="ratings",
    y="width",
    x_title="Items rated",
    y_title="Width, share of the scale",
    target=found.width,
    log_y=True,
    marks=marks,
)
st.plotly_chart(figure)
shown = found.table.rename(
    columns={
        "name": "System",
        "median_ratings": "Items rated, median",
        "saving": "Fewer than EValue",
        "reached": "Runs that reached the width",
        "covered": "Runs that covered the mean",
        "note": "What speaks against certifying with it",
    }
)
st.dataframe(
    shown.drop(columns="system"),
    hide_index=True,
    column_config={
        name: st.column_config.NumberColumn(format="percent")
        for name in ("Fewer than EValue", "Runs that reached the width", "Runs that covered the mean")
    },
)
st.caption(
    f"{found.items:,} items, mean {found.mean:.4g}. The Oracle is out of reach: it knows the values beforehand."
)
