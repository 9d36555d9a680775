"""The one place where the store and the statistics meet; who may do what is decided here, at every action."""

from __future__ import annotations

from celeus_label.certify.agreement import Agreement, Measure
from celeus_label.session.care import restore
from celeus_label.session.quality import ControlRules, RaterReport, Score
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
from celeus_label.store import (
    AlreadyRated,
    ControlRow,
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseReadOnly,
    DatabaseUnavailable,
    Dispute,
    ItemRow,
    LeaseExpired,
    LeaseUnknown,
    OwnWork,
    QueueCounts,
    Remark,
    Saved,
    StoreError,
)

__all__ = [
    "Agreement",
    "AlreadyRated",
    "ControlRow",
    "ControlRules",
    "DatabaseBusy",
    "DatabaseDamaged",
    "DatabaseFull",
    "DatabaseReadOnly",
    "DatabaseUnavailable",
    "Dispute",
    "Example",
    "Identity",
    "Idle",
    "InviteInfo",
    "ItemRow",
    "LeaseExpired",
    "LeaseUnknown",
    "Measure",
    "Monitor",
    "NotAllowed",
    "OwnRating",
    "OwnWork",
    "QueueCounts",
    "RaterReport",
    "Remark",
    "Saved",
    "Score",
    "SessionInfo",
    "StoreError",
    "Task",
    "Trajectory",
    "Workspace",
    "restore",
]
