"""Sentences to translate, each into each language."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random

from data.sources.maths import Parts


def translation(random: Random) -> Iterator[Parts]:
    """Each sentence in each language, in an order of chance, without end."""
    file = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    sentences, notes = file["sentence"], file["notes"]
    languages = list(notes)
    pairs = [(row, language) for row in range(len(sentences)) for language in languages]
    while True:
        random.shuffle(pairs)
        for row, language in pairs:
            sentence, note = sentences[row], notes[language]
            english, right = sentence["English"], sentence[language]
            another = sentences[(row + 2) % len(sentences)][language]
            elsewhere = sentence[languages[(languages.index(language) + 1) % len(languages)]]
            prompt = random.choice(
                [
                    f'Translate into {language}: "{english}"',
                    f'How do I say "{english}" in {language}?',
                    f"{english} -> {language}, please. Polite, for a stranger.",
                ]
            )
            yield {
                "subject": f"translating into {language}",
                "prompts": [prompt],
                "best": [f"{right}\n\n{note}", f"**{right}**\n\n{note}"],
                "fair": [right, f"{{In {language}:|In {language} you say:|Translation:}} {right}"],
                "poor": [
                    sentence["word_for_word"].get(language, english),
                    f'"{english}" {{can be translated in several ways.|depends on the context in {language}.}}',
                ],
                "wrong": [another, f"{elsewhere}\n\n{note}", f"{another}\n\n{note}"],
                "note": [
                    "",
                    "{Let me know if you need it for a friend instead.|Word for word it stays close to the English.}",
                ],
            }
