"""Make the bundled pool: answers.csv, and answers_human.csv with what a human rater would say.

usage, at the repository's root: python -m data.make_pool [FOLDER]

Every text comes from the grammar in data/sources. The seed is fixed and only the standard library is used, so
the files come out the same, byte for byte, wherever it runs.
"""

from __future__ import annotations

import csv
import itertools
import math
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from data.sources.answers import Answer, Task, Writer, expand
from data.sources.extraction import extraction
from data.sources.maths import Parts, maths
from data.sources.translation import translation

SEED = 20250314
HERE = Path(__file__).resolve().parent
PROMPTS_PER_TOPIC = 25
WRITTEN = [
    "advice",
    "explanation",
    "cooking",
    "trips",
    "summarising",
    "email",
    "creative",
    "rewriting",
    "code",
]
COMPUTED = {"maths": maths, "extraction": extraction, "translation": translation}

SHAPES = [
    "excellent",
    "good",
    "thin",
    "padded",
    "vague",
    "mixed",
    "wrong",
    "cut",
    "loop",
    "refusal",
    "off_topic",
]
# system -> its layout, and how often (in percent) its answers have each of the shapes above.
SYSTEMS: dict[str, tuple[str, tuple[int, ...]]] = {
    "aurora-2": ("bullets", (56, 26, 3, 5, 1, 4, 2, 1, 0, 2, 0)),
    "basalt-70b": ("prose", (34, 34, 8, 7, 3, 7, 3, 2, 0, 2, 0)),
    "cobalt-13b": ("numbers", (14, 30, 12, 18, 8, 9, 5, 2, 0, 1, 1)),
    "drift-mini": ("prose", (4, 22, 30, 6, 14, 8, 10, 2, 0, 3, 1)),
    "ember-base": ("prose", (2, 10, 20, 7, 14, 9, 18, 8, 6, 3, 3)),
}
Supply = Iterator[tuple[Parts, dict[str, list[str]]]]  # tasks, each with the values that its slots may have


@dataclass(frozen=True)
class Item:
    """One output with its scores; `human` is the whole number that one rater gives."""

    prompt: str
    response: str
    judge: float
    spread: float
    system: str
    topic: str
    human: int


def sources(random: Random) -> Iterator[tuple[str, str, Supply]]:
    """Each topic with its kind and an endless supply of tasks."""
    for topic in WRITTEN:
        file = tomllib.loads((HERE / "sources" / f"{topic}.toml").read_text("utf-8"))
        yield topic, file["kind"], itertools.cycle([(task, file["slots"]) for task in file["task"]])
    for topic, make in COMPUTED.items():
        yield topic, "document", zip(make(random), itertools.repeat({}), strict=False)


def tasks(random: Random) -> Iterator[list[Task]]:
    """For each topic its tasks, no two with the same prompt."""
    for topic, kind, supply in sources(random):
        made: dict[str, Task] = {}
        for parts, choices in supply:
            slots = {name: random.choice(values) for name, values in choices.items()}
            slots["subject"] = parts["subject"]
            prompt = expand(random.choice(parts["prompts"]), slots, random)
            made.setdefault(prompt, Task(topic, kind, prompt, parts, slots))
            if len(made) == PROMPTS_PER_TOPIC:
                break
        yield list(made.values())


def items() -> list[Item]:
    """Each system's answer to each prompt, with its scores, in an order of chance."""
    random = Random(SEED)
    writer = Writer(tomllib.loads((HERE / "sources" / "phrases.toml").read_text("utf-8")), random)
    made: dict[tuple[str, str], Item] = {}
    for group in tasks(random):
        for task, (system, (style, often)) in itertools.product(group, SYSTEMS.items()):
            while True:  # until the text is one that no other system gave to this prompt
                shape = random.choices(SHAPES, often)[0]
                answer = writer.write(task, shape, style, group)
                if (task.prompt, answer.text) not in made:
                    break
            judge, spread = judged(answer, random)
            item = Item(task.prompt, answer.text, judge, spread, system, task.topic, rated(answer, random))
            made[task.prompt, answer.text] = item
    result = list(made.values())
    random.shuffle(result)
    return result


def rated(answer: Answer, random: Random) -> int:
    """What one human rater gives: near the quality, off by a point now and then, a whole number from 1 to 5."""
    return min(5, max(1, round(answer.quality + random.gauss(0, 0.55))))


def judged(answer: Answer, random: Random) -> tuple[float, float]:
    """What a model judge gives, and its spread over repeated runs.

    It is generous, likes length and lists, overlooks many faults, and goes to extremes. Where it is unsure it errs
    more, and its spread says so, more or less.
    """
    overlooked = answer.hidden_fault and random.random() < 0.7
    seen = 3.9 if overlooked else answer.quality
    unsure = (
        random.choice([0.4, 0.75, 1.4])
        + (0.3 if answer.hidden_fault else 0.0)
        + (0.2 if 2 < seen < 4 else 0.0)
    )
    looks = 0.28 * math.log(1 + len(answer.text) / 150) + (
        0.2 if "\n- " in answer.text or "**" in answer.text else 0
    )
    liking = 0.35 + seen + looks + random.gauss(0, unsure)
    judge = 1 + 4 / (1 + math.exp(-1.25 * (liking - 3.0)))  # the ends of the scale draw scores towards them
    spread = 0.55 * unsure * math.exp(random.gauss(0, 0.25))
    return round(judge, 2), round(spread, 2)


def write(folder: Path) -> None:
    """Write both files into `folder`."""
    rows = [(f"item-{number:04d}", item) for number, item in enumerate(items(), start=1)]
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["item_id", "prompt", "response", "judge_score", "judge_spread", "system", "topic"])
        for item_id, item in rows:
            scores = [f"{item.judge:.2f}", f"{item.spread:.2f}"]
            out.writerow([item_id, item.prompt, item.response, *scores, item.system, item.topic])
    with (folder / "answers_human.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["item_id", "human_score"])
        out.writerows([item_id, item.human] for item_id, item in rows)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
