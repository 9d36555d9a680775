"""The one place where the store and the statistics meet; who may do what is decided here, at every action."""

from __future__ import annotations

from celeus_label.session.types import (
    Example,
    Identity,
    Idle,
    InviteInfo,
    Monitor,
    NotAllowed,
    OwnRating,
    SessionInfo,
    Task,
    Trajectory,
)
from celeus_label.session.workspace import Workspace
from celeus_label.store import Saved, StoreError

__all__ = [
    "Example",
    "Identity",
    "Idle",
    "InviteInfo",
    "Monitor",
    "NotAllowed",
    "OwnRating",
    "Saved",
    "SessionInfo",
    "StoreError",
    "Task",
    "Trajectory",
    "Workspace",
]
