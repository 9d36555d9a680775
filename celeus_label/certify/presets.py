"""The presets: named sets of the parts that a design is made of."""

from __future__ import annotations

from typing import Any

# What a preset means: the parts it is made of. Each can be set on its own in a design.
PRESETS: dict[str, dict[str, Any]] = {
    "target-aware": {
        "signal": "corrected",
        "surrogate": "fitted",
        "bet": "target",
        "bounds": "local",
        "population_step": "kl",
        "beta": 0.4,
        "theta": 0.5,
        "c": 0.5,
    },
    "celeus": {
        "signal": "corrected",
        "surrogate": "judge",
        "bet": "hedged",
        "bounds": "local",
        "population_step": "hoeffding",
        "beta": 0.4,
        "theta": 0.5,
        "c": 0.5,
        "alpha_split": 0.5,
    },
    "celeus-no-surrogate": {
        "signal": "corrected",
        "surrogate": "none",
        "bet": "hedged",
        "bounds": "local",
        "population_step": "hoeffding",
        "beta": 0.4,
        "theta": 0.5,
        "c": 0.5,
        "alpha_split": 0.5,
    },
    "evalue": {
        "signal": "raw",
        "surrogate": "none",
        "bet": "hedged",
        "bounds": "local",
        "population_step": "hoeffding",
        "beta": 1.0,
        "theta": 0.5,
        "c": 0.5,
        "alpha_split": 0.5,
    },
}

# Systems that `compare` runs beside the presets. No design may have them: nothing can be certified with them.
COMPARED_ONLY = {
    "oracle": "it samples by the hidden values, which nobody knows before the ratings are in",
    "cer-eval": "it is not valid: it chooses its parts of the pool and measures them from the same ratings",
}
