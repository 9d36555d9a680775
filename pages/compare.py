from __future__ import annotations

import numpy as np
import streamlit as st

from celeus_label.compare import NAMES, SYSTEMS, side_by_side
from celeus_label.compare.figures import bands
from celeus_label.ingest import bundled
from celeus_label.ui import choose, figures, say, signin, working
from celeus_label.ui.charts import log_ticks

FEWEST = 30

who = signin.need("lead")
workspace = signin.workspace()

st.title("Compare", anchor=False)
st.caption("The same items, rated again from what is known of them, under every system.")
items = st.radio("Items", ["Those rated in a session", "The bundled pool"], horizontal=True)
if items == "The bundled pool":
    try:
        loaded = bundled()
    except ValueError as error:
        say.problem(error)
        st.stop()
    assert loaded.human is not None
    pool, values = loaded.pool, loaded.human
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
chosen = st.multiselect("Systems", list(SYSTEMS), list(SYSTEMS), format_func=lambda one: NAMES[one])
seeds = st.number_input("Runs of each", min_value=1, max_value=50, value=3)

wanted = (pool.hash, values.tobytes(), tuple(chosen), percent, int(seeds))
if chosen and st.button("Compare", type="primary"):
    found = working.barred(
        "compare",
        "Rating everything again …",
        lambda show: side_by_side(pool, values, chosen, width=percent / 100, seeds=int(seeds), progress=show),
    )
    st.session_state["side by side"] = wanted, found
kept = st.session_state.get("side by side")
if kept is None or kept[0] != wanted:
    st.caption("Nothing is rated anew by people, and no session changes. It takes seconds to minutes.")
    st.stop()
found = kept[1]
lines = {name: found.widths[found.widths["system"] == name] for name in chosen}
reached = found.table[found.table["reached"] > 0.5]
figure = bands(
    lines,
    x="ratings",
    y="width",
    x_title="Items rated",
    y_title="Width, share of the scale",
    target=found.width,
    log_y=True,
    marks=dict(zip(reached["system"], reached["median_ratings"], strict=True)),
)
figure.update_layout(
    legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}, font={"size": 12}
)
figure.update_xaxes(title_font_size=14)
figure.update_yaxes(title_font_size=14, **log_ticks(float(found.widths["width"].clip(lower=1e-4).min()), 1.0))
figures.shown(
    figure,
    {name: found.widths[name] for name in found.widths},
    key="compare",
    label="Width against items rated, under each system",
    height=480,
)
st.caption(
    "Lines are means over the runs, bands one standard deviation. Dashed: the width asked for. Triangles: the median "
    "number of rated items at which a system reached it."
)
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
