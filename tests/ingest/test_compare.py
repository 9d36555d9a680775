"""The same file again, and files that differ in one thing."""

from __future__ import annotations

from collections.abc import Callable

from celeus_label.ingest import Comparison, Known, Loaded, compare, content_hash

Load = Callable[..., Loaded]

HEAD = "item_id,prompt,response,judge_score\n"
FILE = HEAD + "a,p,r,3\nb,q,r,4\nc,s,r,5\n"


def stored(loaded: Loaded) -> list[Known]:
    return [
        Known(item_id, content, float(judge))
        for item_id, content, judge in zip(
            loaded.pool.item_ids, loaded.content_hashes(), loaded.pool.judge, strict=True
        )
    ]


def test_the_same_file_again(take: Load) -> None:
    found = compare(take(FILE), stored(take(FILE)))
    assert found == Comparison((), ("a", "b", "c"), {}, {}, ())
    assert found.identical
    assert str(found) == "all 3 rows are stored already, unchanged"


def test_every_kind_of_difference(take: Load) -> None:
    again = HEAD + "a,p,r,3\nb,q,other,4\nd,s,r,5\ne,new,r,1\n"
    found = compare(take(again), stored(take(FILE)))
    assert found.same == ("a",)
    assert found.changed == {"b": "texts"}
    assert found.conflicts == {"d": "c"}
    assert found.new == ("e",)
    assert found.missing == ("c",)
    assert not found.identical
    assert str(found) == "1 new, 1 the same, 1 changed, 1 stored under another id, 1 no longer there"


def test_another_judge_score_is_a_change(take: Load) -> None:
    again = HEAD + "a,p,r,3.5\nb,other,r,1\nc,s,r,5\n"
    found = compare(take(again), stored(take(FILE)))
    assert found.changed == {"a": "judge score", "b": "texts and judge score"}


def test_items_without_text_don_t_conflict(take: Load) -> None:
    found = compare(take("item_id,judge_score\nx,3\n"), stored(take("item_id,judge_score\ny,3\n")))
    assert (found.new, found.conflicts, found.missing) == (("x",), {}, ("y",))


def test_the_border_of_prompt_and_response_counts() -> None:
    assert content_hash("ab", "c") != content_hash("a", "bc")
    assert len(content_hash("é", "")) == 64
