"""The certificate of a session: a bundle that holds all it follows from, and its verification by anybody."""

from celeus_label.certificate.claim import Claim, claim_of
from celeus_label.certificate.export import export_bundle
from celeus_label.certificate.page import certificate_html
from celeus_label.certificate.verify import Verdict, verify
from celeus_label.certificate.words import claim_sentence, not_claimed

__all__ = [
    "Claim",
    "Verdict",
    "certificate_html",
    "claim_of",
    "claim_sentence",
    "export_bundle",
    "not_claimed",
    "verify",
]
