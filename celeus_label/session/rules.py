"""Which role a provider's word gives: rules over e-mail addresses and groups, the first that fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

_FIELDS = {"role", "emails", "groups", "session"}
_ROLES = ("rater", "lead", "admin")


@dataclass(frozen=True)
class Rule:
    """Who has one of these addresses (`*` stands for anything) or is in one of these groups has this role.

    `session` is a session's name: raters need one, a lead without one leads them all.
    """

    role: str
    emails: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    session: str | None = None

    def fits(self, email: str | None, groups: Iterable[str]) -> bool:
        """Whether the rule is about somebody.

        >>> Rule("lead", emails=("*@example.org",)).fits("Lea@Example.org", ())
        True
        >>> Rule("lead", groups=("leads",)).fits(None, ["Leads"])
        False
        """
        address = "" if email is None else email.strip().casefold()
        by_email = address and any(fnmatchcase(address, one.casefold()) for one in self.emails)
        return bool(by_email) or not set(self.groups).isdisjoint(groups)


def read_rules(tables: Iterable[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """The rules of the configuration's tables `[[roles]]`, checked.

    Raises
    ------
    ValueError
        A table has another field, an unknown role, nobody to fit, or a rater's has no session; its number is named.
    """
    rules = []
    for number, table in enumerate(tables, start=1):
        place = f"[[roles]] number {number}"
        unknown = set(table) - _FIELDS
        if unknown:
            raise ValueError(
                f"{place}: there is no {min(unknown)!r}; it may have {', '.join(sorted(_FIELDS))}"
            )
        role, session = table.get("role"), table.get("session")
        if role not in _ROLES:
            raise ValueError(f"{place}: role is {role!r}, none of {', '.join(_ROLES)}")
        emails, groups = (_texts(table.get(name, ()), f"{place}: {name}") for name in ("emails", "groups"))
        if not emails and not groups:
            raise ValueError(f"{place}: it names neither emails nor groups, and would fit nobody")
        if session is not None and not isinstance(session, str):
            raise ValueError(f"{place}: session is {session!r}, not a session's name")
        if role == "rater" and session is None:
            raise ValueError(f"{place}: a rater's rule needs the session's name")
        rules.append(Rule(role, emails, groups, session))
    return tuple(rules)


def rule_for(rules: Iterable[Rule], side: str, claims: Mapping[str, Any]) -> Rule | None:
    """The first rule that fits what a provider says of somebody, for raters or for those who lead.

    An address that the provider says is not verified counts for nothing.
    """
    email = verified_email(claims)
    groups = claims.get("groups") or ()
    if isinstance(groups, str):
        groups = (groups,)
    for rule in rules:
        if (rule.role == "rater") == (side == "rater") and rule.fits(email, groups):
            return rule
    return None


def verified_email(claims: Mapping[str, Any]) -> str | None:
    """The address that a provider says somebody has, unless it says that this was not verified."""
    email = claims.get("email")
    verified = str(claims.get("email_verified", True)).casefold() == "true"  # some write it as a text
    return email if verified and isinstance(email, str) and email.strip() else None


def _texts(value: Any, place: str) -> tuple[str, ...]:
    if isinstance(value, str) or not all(isinstance(one, str) and one for one in value):
        raise ValueError(f"{place} must be a list of texts, got {value!r}")
    return tuple(value)
