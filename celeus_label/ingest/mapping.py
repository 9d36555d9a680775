"""Which column is what: said by a person, or guessed from names and values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from celeus_label.ingest.cells import NotAScore, is_missing, read_score
from celeus_label.ingest.limits import IngestError
from celeus_label.ingest.preferences import pair_of_columns, worth
from celeus_label.ingest.table import SAMPLE_ROWS, Row, Table, cell

_IDS = (
    "item_id", "id", "uid", "uuid", "example_id", "sample_id", "record_id", "doc_id", "question_id",
    "custom_id", "key",
)  # fmt: skip
PROMPTS = (
    "prompt", "instruction", "question", "input", "query", "user_prompt", "source", "src", "messages",
    "context", "document", "article", "problem",
)  # fmt: skip
RESPONSES = (
    "response", "output", "answer", "completion", "generation", "model_output", "model_response",
    "prediction", "hypothesis", "candidate", "summary", "translation", "mt", "text", "content",
)  # fmt: skip
_GROUPS = frozenset({
    "system", "model", "model_id", "model_name", "generator", "topic", "category", "subset", "aspect",
    "criterion", "domain", "dataset", "task", "language", "lang_pair", "split",
})  # fmt: skip
_COUNT_WORDS = frozenset({
    "id", "index", "idx", "turn", "epoch", "n", "count", "row", "seed", "tstamp", "timestamp", "time", "date",
    "year", "length", "tokens", "cost", "price", "latency", "latencyms", "ms", "seconds", "duration",
})  # fmt: skip
_JUDGE_WORDS = frozenset({
    "judge", "judges", "judged", "judgement", "judgment", "llm", "gpt", "gpt4", "chatgpt", "claude",
    "autorater", "auto", "automatic", "metric", "reward", "surrogate", "evaluator", "model", "predicted",
})  # fmt: skip
_SCORE_WORDS = frozenset({
    "score", "scores", "bleu", "rouge", "meteor", "bertscore", "comet", "chrf", "bleurt", "reward",
    "logprob", "probability",
})  # fmt: skip
_FEATURE_WORDS = _JUDGE_WORDS | _SCORE_WORDS | {
    "spread", "std", "confidence", "entropy", "perplexity", "ter", "agreement",
}  # fmt: skip
_HUMAN_WORDS = frozenset({
    "human", "humans", "annotator", "annotators", "annotation", "annotations", "annotated", "rater",
    "raters", "rating", "ratings", "gold", "golden", "expert", "experts", "crowd", "mturk", "turker",
    "worker", "workers", "likert", "mos", "label", "labels", "target", "truth", "stars", "user_score", "da",
})  # fmt: skip


@dataclass(frozen=True)
class Mapping:
    """The columns of a table and what they are.

    Attributes
    ----------
    judge : str
        The judge's scores; empty in a guess that found none.
    item_id : str or None
        None numbers the rows: "row-1", "row-2", …
    prompt, response : str or None
        What raters see.
    response_b : str or None
        The second of two responses to compare; `response` is then the first, A.
    features : tuple of str
        Numbers known of every item: further judges, spreads, probabilities.
    groups : tuple of str
        Categories of every item: system, topic, …
    human : str or None
        Hidden human scores, for simulations and comparisons alone: never shown, never a surrogate.
    gold : str or None
        Known answers: a row that has one is a gold item, which tests raters and is not part of the pool.
    """

    judge: str
    item_id: str | None = None
    prompt: str | None = None
    response: str | None = None
    features: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    human: str | None = None
    gold: str | None = None
    response_b: str | None = None

    def used(self) -> tuple[str, ...]:
        """The mapped columns, each once."""
        single = [
            self.judge, self.item_id, self.prompt, self.response, self.response_b, self.human, self.gold,
        ]  # fmt: skip
        return tuple(dict.fromkeys([name for name in single if name] + [*self.features, *self.groups]))

    def check(self, table: Table) -> None:
        """Raise `IngestError` where a mapped column is missing, or the human scores are a surrogate too."""
        if not self.judge:
            raise IngestError(f"no column is chosen for the judge's scores; the columns are {_list(table)}")
        for name in self.used():
            if name not in table.columns:
                raise IngestError(_missing(table, name))
        if self.human is not None and self.human in (self.judge, *self.features):
            raise IngestError(
                f'column "{self.human}" holds the human scores: it can be neither judge nor feature'
            )
        if self.response_b is not None and self.response in (None, self.response_b):
            raise IngestError(
                f'column "{self.response_b}" is the second of two responses to compare; choose another one as the first'
            )
        if self.gold is not None and self.gold in (self.judge, self.human, *self.features):
            raise IngestError(
                f'column "{self.gold}" holds the answers of the gold items: it can be nothing else beside'
            )


def _missing(table: Table, name: str) -> str:
    where = f" from the first {SAMPLE_ROWS:,} rows" if table.format in ("json", "jsonl") else ""
    close = get_close_matches(name, table.columns, n=1)
    meant = f'; did you mean "{close[0]}"?' if close else ";"
    return f'column "{name}" is missing{where}{meant} the columns are {_list(table)}'


def _list(table: Table) -> str:
    shown = ", ".join(table.columns[:40])
    return shown + (f" and {len(table.columns) - 40} more" if len(table.columns) > 40 else "")


def looks_human(name: str) -> bool:
    """Whether a column's name says that people gave its scores.

    >>> looks_human("human_score"), looks_human("judge_label"), looks_human("rouge")
    (True, False, False)
    """
    words = _words(name)
    return bool(words & _HUMAN_WORDS) and not words & _JUDGE_WORDS


def human_columns(table: Table, rows: list[Row] | None = None) -> tuple[str, ...]:
    """The columns of numbers whose names say that people gave them."""
    sample = table.head() if rows is None else rows
    return tuple(name for name in table.columns if looks_human(name) and _is_numeric(table, sample, name))


def guess_mapping(table: Table) -> Mapping:
    """A first proposal for a person to correct; a column that looks like human scores is left out."""
    rows = table.head()
    # a preset has spread the objects inside already
    names = [name for name in table.columns if table.preset is None or "." not in name]
    by_name = {_plain(name): name for name in reversed(names)}
    pair = pair_of_columns(by_name, RESPONSES)
    numeric = [
        name
        for name in names
        if not looks_human(name)
        and _is_numeric(table, rows, name, pair is not None)
        and name not in (pair or ())
    ]
    # a column of exactly that name is meant as the ids: that they repeat must be said, not worked around
    unique = next((by_name[name] for name in _IDS if _is_unique(rows, by_name.get(name))), None)
    item_id = by_name.get("item_id", unique)
    free = [name for name in numeric if name != item_id and not _is_count(name)]
    judge = max(free, key=name_likeness, default="")
    if judge and name_likeness(judge) == 0 and len(free) > 1:
        judge = ""
    texts = [name for name in names if name not in numeric and name != item_id]
    # answers may all be numbers
    either = [*texts, *(name for name in numeric if name not in (item_id, judge))]
    prompt = _first(PROMPTS, by_name, texts) or _first(PROMPTS, by_name, either)
    response = _first(RESPONSES, by_name, texts, prompt) or _first(RESPONSES, by_name, either, prompt)
    response, response_b = pair or (response, None)
    taken = (judge, prompt, response, response_b)
    features = tuple(name for name in free if name not in taken and _words(name) & _FEATURE_WORDS)
    groups = tuple(name for name in texts if _plain(name) in _GROUPS and name not in taken)
    return Mapping(judge, item_id, prompt, response, features, groups, response_b=response_b)


def _first(
    wanted: tuple[str, ...], by_name: dict[str, str], among: list[str], barred: str | None = None
) -> str | None:
    """The first of the wanted names that a column among these has."""
    found = (by_name[name] for name in wanted if by_name.get(name) in among)
    return next((name for name in found if name != barred), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _words(name: str) -> set[str]:
    plain = _plain(re.sub(r"([a-z])([A-Z])", r"\1_\2", name))
    return {plain, *plain.split("_")}


def name_likeness(name: str) -> int:
    """How much a column's name sounds like a judge's score, 0 to 3; 2 and more name a machine."""
    words = _words(name)
    if words & {"spread", "std", "raw", "variance", "confidence"}:
        return 0
    return 2 * bool(words & _JUDGE_WORDS) + bool(words & _SCORE_WORDS)


def _is_count(name: str) -> bool:
    counts = _words(name) & _COUNT_WORDS and name_likeness(name) < 2
    return bool(counts) or name.startswith("column_")


def _is_numeric(table: Table, rows: list[Row], name: str, of_pairs: bool = False) -> bool:
    """Whether most of the cells that are not missing are scores, or of pairs preferences."""
    full = [value for value in (cell(row, name) for row in rows) if not is_missing(value)]
    full = [worth(value) for value in full] if of_pairs else full
    return bool(full) and 2 * sum(_is_score(value, table.decimal_comma) for value in full) > len(full)


def _is_score(value: object, decimal_comma: bool) -> bool:
    try:
        read_score(value, decimal_comma)
    except NotAScore:
        return False
    return True


def _is_unique(rows: list[Row], name: str | None) -> bool:
    if name is None:
        return False
    values = [str(cell(row, name)) for row in rows if not is_missing(cell(row, name))]
    return len(values) == len(rows) and len(set(values)) == len(values)
