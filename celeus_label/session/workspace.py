"""Everything that people do, in one object."""

from __future__ import annotations

from celeus_label.session.access import Access
from celeus_label.session.care import Care
from celeus_label.session.certifying import Certifying
from celeus_label.session.comparing import Comparing
from celeus_label.session.correcting import Correcting
from celeus_label.session.leading import Leading
from celeus_label.session.logs import logged
from celeus_label.session.people import People
from celeus_label.session.quality import Quality
from celeus_label.session.rating import Rating
from celeus_label.session.sessions import Sessions
from celeus_label.session.stopping import Stopping
from celeus_label.session.uploads import Uploads
from celeus_label.session.watching import Watching


@logged
class Workspace(
    People,
    Access,
    Sessions,
    Uploads,
    Rating,
    Leading,
    Watching,
    Quality,
    Correcting,
    Stopping,
    Certifying,
    Comparing,
    Care,
):
    """One database and what people do in it; each concept has its module.

    Parameters
    ----------
    db : path or str
        A SQLite file, made if there is none, or `postgresql://user@host/database`.
    clock : callable
        The present time, aware and in UTC.
    """
