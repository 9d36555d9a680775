"""AlpacaEval and MT-Bench."""

from __future__ import annotations

import re
from collections.abc import Iterator

from celeus_label.ingest.presets.base import Preset, as_list, dig, has
from celeus_label.ingest.table import Row

_QUESTION = re.compile(r"\[(?:User )?Question\]\n(.*?)\n\n\[The Start of ", re.DOTALL)
_ANSWER = re.compile(
    r"\[The Start of Assistant(?: [AB])?'s Answer\]\n(.*?)\n\[The End of Assistant(?: [AB])?'s Answer\]",
    re.DOTALL,
)
_CHAT = re.compile(
    r"<\|The Start of Assistant ([AB])'s Conversation with User\|>(.*?)"
    r"<\|The End of Assistant \1's Conversation",
    re.DOTALL,
)
_SPEAKER = re.compile(r"^### (User|Assistant [AB]):\n", re.MULTILINE)
_WINS = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}


def _alpaca_output(row: Row) -> Iterator[Row]:
    yield {"prompt": row["instruction"], "response": row["output"], "system": row.get("generator")}


def _alpaca_annotation(row: Row) -> Iterator[Row]:
    yield {
        "prompt": row["instruction"],
        "response_a": row["output_1"],
        "response_b": row["output_2"],
        "judge_score": row["preference"],
        "system": row.get("generator_2"),
    }


def _mt_answer(row: Row) -> Iterator[Row]:
    choices = as_list(row["choices"])
    for choice in choices:
        which = f"-choice-{dig(choice, 'index')}" if len(choices) > 1 else ""
        for turn, text in enumerate(as_list(dig(choice, "turns")), start=1):
            yield {
                "item_id": f"{row['question_id']}-{row['model_id']}{which}-turn-{turn}",
                "response": text,
                "system": row["model_id"],
                "turn": turn,
            }


def _mt_question(row: Row) -> Iterator[Row]:
    for turn, text in enumerate(as_list(row["turns"]), start=1):
        yield {"prompt": text, "turn": turn}


def _mt_single(row: Row) -> Iterator[Row]:
    prompt, answers = _read_judge_prompt(row.get("user_prompt"))
    yield {
        "item_id": f"{row['question_id']}-{row['model']}-turn-{row.get('turn', 1)}",
        "prompt": prompt,
        "response": answers[0] if answers else "",
        "judge_score": row["score"],
        "system": row["model"],
    }


def _mt_pair(row: Row) -> Iterator[Row]:
    prompt, answers = _read_judge_prompt(row.get("g1_user_prompt"))
    first, second = answers if len(answers) == 2 else ("", "")
    verdicts = [row["g1_winner"], row["g2_winner"]]
    yield {
        "item_id": f"{row['question_id']}-{row['model_1']}-vs-{row['model_2']}-turn-{row.get('turn', 1)}",
        "prompt": prompt,
        "response_a": first,
        "response_b": second,
        # two games with the outputs swapped: two samples of one judge; "error" stays and refuses the row
        "judge_score": [_WINS.get(str(verdict), verdict) for verdict in verdicts],
        "system": row["model_1"],
    }


def _read_judge_prompt(text: object) -> tuple[object, list[str]]:
    """The question (a list of messages where there were turns before), and the one or two answers judged."""
    if not isinstance(text, str):
        return "", []
    chats = [_messages(chat) for _, chat in _CHAT.findall(text)]
    if chats and all(chats):
        return chats[0][:-1], [chat[-1]["content"] for chat in chats]
    question = _QUESTION.search(text)
    answers = _ANSWER.findall(text)
    if question is None or not answers:
        return text, []
    return question.group(1), answers


def _messages(chat: str) -> list[dict[str, str]]:
    parts = _SPEAKER.split(chat)[1:]
    return [
        {"role": "user" if speaker == "User" else "assistant", "content": content.strip()}
        for speaker, content in zip(parts[0::2], parts[1::2], strict=True)
    ]


ALPACA_OUTPUTS = Preset(
    "AlpacaEval outputs",
    lambda row: has(row, "instruction", "output", "generator"),
    _alpaca_output,
    note="they hold no judge's scores; give the file of the annotations too, or one that has scores for them",
)
ALPACA_ANNOTATIONS = Preset(
    "AlpacaEval annotations",
    lambda row: has(row, "instruction", "output_1", "output_2", "preference"),
    _alpaca_annotation,
    judge_scale=(2, 1),
    note="the judge prefers output A at 1 and output B at 2",
)
MT_ANSWERS = Preset(
    "MT-Bench answers",
    lambda row: (
        has(row, "question_id", "model_id", "choices") and isinstance(dig(row, "choices", 0, "turns"), list)
    ),
    _mt_answer,
    note="they hold neither the questions nor a judge's scores; give the file of the judgments too",
)
MT_QUESTIONS = Preset(
    "MT-Bench questions",
    lambda row: has(row, "question_id", "category", "turns") and isinstance(row["turns"], list),
    _mt_question,
    note="they hold neither answers nor scores; give the files of both too",
)
MT_SINGLE = Preset(
    "MT-Bench judgments",
    lambda row: has(row, "question_id", "model", "judge", "judgment", "score"),
    _mt_single,
    judge_scale=(1, 10),
)
MT_PAIRS = Preset(
    "MT-Bench pairwise judgments",
    lambda row: has(row, "question_id", "model_1", "model_2", "g1_winner", "g2_winner"),
    _mt_pair,
    judge_scale=(0, 1),
    note="the judge prefers output A at 1 and output B at 0",
)
