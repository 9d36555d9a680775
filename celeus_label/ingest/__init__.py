"""Files to pools: any table that people have, read by one reader, with a report of every row."""

from celeus_label.ingest.bundled import bundled
from celeus_label.ingest.comparison import Comparison, Known, compare
from celeus_label.ingest.limits import IngestError
from celeus_label.ingest.loading import GoldItem, Loaded, content_hash, load, preview
from celeus_label.ingest.mapping import Mapping, guess_mapping, human_columns, looks_human
from celeus_label.ingest.read import read_table
from celeus_label.ingest.report import Change, Reading, Refusal, Report
from celeus_label.ingest.several import read_tables, together
from celeus_label.ingest.table import Table, cell
from celeus_label.ingest.texts import Texts

__all__ = [
    "Change",
    "Comparison",
    "GoldItem",
    "IngestError",
    "Known",
    "Loaded",
    "Mapping",
    "Reading",
    "Refusal",
    "Report",
    "Table",
    "Texts",
    "bundled",
    "cell",
    "compare",
    "content_hash",
    "guess_mapping",
    "human_columns",
    "load",
    "looks_human",
    "preview",
    "read_table",
    "read_tables",
    "together",
]
