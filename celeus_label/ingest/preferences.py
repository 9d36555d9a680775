"""Two responses in a row, and words that say which of them is preferred."""

from __future__ import annotations

_SUFFIXES = (("_a", "_b", "_c"), ("_1", "_2", "_3"))
_A, _B = (
    ("a", "model_a", "response_a", "output_a", "a wins"),
    ("b", "model_b", "response_b", "output_b", "b wins"),
)
_NEITHER = ("tie", "even", "both good", "both bad", "both_bad", "tie (bothbad)", "neither")
_WORTH = {word: worth for words, worth in ((_A, 1.0), (_B, 0.0), (_NEITHER, 0.5)) for word in words}


def pair_of_columns(by_name: dict[str, str], bases: tuple[str, ...]) -> tuple[str, str] | None:
    """The columns of two responses to compare, if there are any.

    Parameters
    ----------
    by_name : dict of str to str
        Columns by their plain names.
    bases : tuple of str
        What a column with a response is called.

    >>> pair_of_columns({"prompt": "Prompt", "response_a": "Response A", "response_b": "Response B"}, ("response",))
    ('Response A', 'Response B')
    """
    for base in bases:
        for a, b, further in _SUFFIXES:  # three and more are choices, or turns
            if base + a in by_name and base + b in by_name and base + further not in by_name:
                return by_name[base + a], by_name[base + b]
    return None


def worth(value: object) -> object:
    """A preference in words as a number, 1 where A is preferred; anything else as it is.

    >>> worth("A"), worth("model_b"), worth("tie (bothbad)"), worth("0.7")
    (1.0, 0.0, 0.5, '0.7')
    """
    return _WORTH.get(value.strip().lower(), value) if isinstance(value, str) else value
