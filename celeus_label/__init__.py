"""Certify the mean human rating of a pool of LLM outputs with as few ratings as possible.

>>> from celeus_label import Certifier, Design, Pool
>>> pool = Pool.from_frame({"item_id": ["a", "b"], "judge_score": [2, 4]}, scale=(1, 5))
>>> Certifier(pool, Design(width=0.05, seed=7)).ask().round
1
"""

from celeus_label.certify import Certifier, Design, Draw, Interval, Pool, Scale, replay

__all__ = ["Certifier", "Design", "Draw", "Interval", "Pool", "Scale", "replay"]
