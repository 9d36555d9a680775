"""Put together one answer of a given quality from a task's sentences.

A text is a small grammar: `{name}` is a slot with one value for the whole item, `{a|b}` a choice made anew each
time. Braces that hold neither (code, mostly) are left as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import Any

ABOUT = ("advice", "cooking", "explanation", "trips")  # topics in which a question is asked about something
_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Task:
    """One prompt with the sentences that answers to it are made of.

    Where `kind` is "points" an answer is a lead and some points, and `parts` has `lead`, `points`, `wrong_lead` and
    `wrong`. Where it is "document" an answer is the text asked for: `best`, `fair`, `poor`, `wrong` and `note`.
    """

    topic: str
    kind: str
    prompt: str
    parts: dict[str, Any]
    slots: dict[str, str]


@dataclass(frozen=True)
class Answer:
    """A text, how good a careful reader finds it (1 to 5), and the fault, if any, that a judge may overlook."""

    text: str
    quality: float
    hidden_fault: bool = False


def expand(text: str, slots: dict[str, str], random: Random) -> str:
    """Fill the slots, then take one of each choice.

    >>> expand("{n} cats {sat|sat} in {}", {"n": "Two"}, Random(0))
    'Two cats sat in {}'
    """
    text = _BRACES.sub(lambda match: slots.get(match[1], match[0]), text)
    return _BRACES.sub(
        lambda match: random.choice(match[1].split("|")) if "|" in match[1] else match[0], text
    )


def _named(name: str, task: Task) -> str:
    """The phrases about a subject, or those about a text that was asked for, whose subject reads oddly in them."""
    return name if task.topic in ABOUT else f"{name}_task"


class Writer:
    """Writes answers to tasks, in the manner of one system, with the phrases that all of them share."""

    def __init__(self, phrases: dict[str, list[str]], random: Random) -> None:
        self.phrases = phrases
        self.random = random

    def write(self, task: Task, shape: str, style: str, others: list[Task]) -> Answer:
        """Answer `task`; `shape` names one of this class's methods, `others` are tasks of the same topic."""
        if shape == "off_topic":
            different = [other for other in others if other.parts is not task.parts]
            return Answer(self.good(self.random.choice(different), style).text, 1.2, hidden_fault=True)
        answer: Answer = getattr(self, shape)(task, style)
        return answer

    def excellent(self, task: Task, style: str) -> Answer:
        """All that a good answer has."""
        if task.kind == "points":
            return self._points(task, style, right=5)
        text = self._one(task, "best")
        note = self._one(task, "note")
        return Answer(f"{text}\n\n{note}" if note else text, 4.75)

    def good(self, task: Task, style: str) -> Answer:
        """Right, and less of it."""
        if task.kind == "points":
            return self._points(task, style, right=self.random.choice([2, 3]))
        if self.random.random() < 0.5:
            return Answer(self._one(task, "best"), 4.5)
        return Answer(self._one(task, "fair"), 3.6)

    def thin(self, task: Task, style: str) -> Answer:
        """The bare minimum."""
        if task.kind == "points":
            return self._points(task, "prose", right=self.random.choice([0, 0, 1]))
        if self.random.random() < 0.4:
            return Answer(self._one(task, "fair"), 3.4)
        return Answer(self._one(task, "poor"), 1.9)

    def padded(self, task: Task, style: str) -> Answer:
        """Something useful in a lot of wrapping."""
        inner = self._points(task, style, right=2) if task.kind == "points" else self.thin(task, style)
        before = " ".join([self._phrase(task, "opener"), *self._phrases(task, _named("padding", task), 2)])
        after = " ".join(self._phrases(task, _named("closer", task), 2))
        return Answer(f"{before}\n\n{inner.text}\n\n{after}", inner.quality - 0.7)

    def vague(self, task: Task, style: str) -> Answer:
        """Nothing that anybody could object to, or use."""
        sentences = self._phrases(task, self._vague(task), self.random.choice([3, 4, 5]))
        if self.random.random() < 0.4:
            sentences.insert(0, self._phrase(task, "opener"))
        return Answer(" ".join(sentences), 1.8)

    def mixed(self, task: Task, style: str) -> Answer:
        """One falsehood among what is right, told as firmly as the rest."""
        if task.kind == "points":
            answer = self._points(task, style, right=3, wrong=1)
            return Answer(answer.text, answer.quality - 1.5, hidden_fault=True)
        return Answer(self._one(task, "fair"), 3.4)

    def wrong(self, task: Task, style: str) -> Answer:
        """Wrong, and sure of it."""
        if task.kind == "points":
            lead = self._expand(task, task.parts["wrong_lead"])
            return Answer(self._lay_out(lead, self._some(task, "wrong", 2), style), 1.4, hidden_fault=True)
        return Answer(self._one(task, "wrong"), 1.4, hidden_fault=True)

    def cut(self, task: Task, style: str) -> Answer:
        """A fine answer that stops in the middle."""
        whole = self.excellent(task, style).text
        share = self.random.uniform(0.35, 0.8)
        stop = whole.rfind(" ", 0, max(20, int(len(whole) * share)))
        text = whole[: stop if stop > 0 else len(whole) // 2].rstrip(" .,;:\n")
        return Answer(text, 1.2 + 2.2 * share)

    def loop(self, task: Task, style: str) -> Answer:
        """The same sentence over and over."""
        start = self.thin(task, style).text
        again = self._phrase(task, self._vague(task))
        times = self.random.choice([4, 5, 6, 7])
        return Answer(f"{start} {' '.join([again] * times)} {again[: len(again) // 2].rstrip()}", 1.3)

    def refusal(self, task: Task, style: str) -> Answer:
        """No answer."""
        name = "confused" if self.random.random() < 0.2 else _named("refusal", task)
        return Answer(" ".join(self._phrases(task, name, self.random.choice([1, 2]))), 1.1)

    def _vague(self, task: Task) -> str:
        own = f"vague_{task.topic}"
        return own if own in self.phrases else "vague"

    def _points(self, task: Task, style: str, right: int, wrong: int = 0) -> Answer:
        lead = self._expand(task, task.parts["lead"])
        points = self._some(task, "points", right)
        quality = 2.9 + 1.9 * len(points) / min(5, len(task.parts["points"]))
        for sentence in self._some(task, "wrong", wrong):
            points.insert(self.random.randrange(len(points) + 1), sentence)
        return Answer(self._lay_out(lead, points, style), quality)

    def _lay_out(self, lead: str, points: list[str], style: str) -> str:
        if style == "bullets" and len(points) > 1:
            return "\n".join([lead, "", *(f"- {point}" for point in points)])
        if style == "numbers" and len(points) > 1:
            return "\n".join([lead, "", *(f"{n}. {point}" for n, point in enumerate(points, start=1))])
        half = (len(points) + 1) // 2 if len(points) > 3 else len(points)
        paragraphs = [" ".join([lead, *points[:half]]), " ".join(points[half:])]
        return "\n\n".join(filter(None, paragraphs))

    def _some(self, task: Task, name: str, count: int) -> list[str]:
        """Up to `count` of the task's sentences, in the order they have there."""
        sentences = task.parts[name]
        kept = sorted(self.random.sample(range(len(sentences)), min(count, len(sentences))))
        return [self._expand(task, sentences[place]) for place in kept]

    def _one(self, task: Task, name: str) -> str:
        return self._expand(task, self.random.choice(task.parts[name]))

    def _phrases(self, task: Task, name: str, count: int) -> list[str]:
        some = self.random.sample(self.phrases[name], min(count, len(self.phrases[name])))
        return [self._expand(task, phrase) for phrase in some]

    def _phrase(self, task: Task, name: str) -> str:
        return self._phrases(task, name, 1)[0]

    def _expand(self, task: Task, text: str) -> str:
        return expand(text, task.slots, self.random)
