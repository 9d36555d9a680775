"""Sums in words, with answers worked out: in full, in short, unfinished and wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Parts = dict[str, Any]


def money(cents: int) -> str:
    """Dollars, with cents only where there are some.

    >>> money(120000), money(1950)
    ('$1,200', '$19.50')
    """
    return f"${cents // 100:,}" if cents % 100 == 0 else f"${cents / 100:,.2f}"


def _worked(subject: str, prompt: str, steps: list[str], answer: str, slip: str, wrong: list[str]) -> Parts:
    """A sum's answers: worked in full, in one line, unfinished, and with a wrong result."""
    numbered = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
    return {
        "subject": subject,
        "prompts": [prompt],
        "best": [f"{numbered}\n\n**{answer}**", f"{' '.join(steps)}\n\nSo the answer is: {answer}"],
        "fair": [f"{steps[-1]} {{So: {answer}|Answer: {answer}}}", answer],
        "poor": [
            f"{steps[0]} {{The rest follows from there.|Now you only have to finish the calculation.}}",
            f"Let's think step by step. We are given some numbers and need {subject}. "
            "{We have to set up an equation.|First write down what you know.}",
        ],
        "wrong": [
            f"{slip}\n\n**{wrong[0]}**",
            f"{slip} {{The answer is: {wrong[1]}|So: {wrong[1]}}}",
            wrong[0],
        ],
        "note": [""],
    }


def discount(random: Random) -> Parts:
    """A percentage off, then a voucher."""
    price, percent, voucher = random.choice([80, 120, 160, 240]), random.choice([15, 20, 25, 30]), 10
    off = price * percent
    result = price * 100 - off - voucher * 100
    return _worked(
        "the price",
        f"A jacket costs ${price}. There's {percent}% off, and then I use a ${voucher} voucher. What do I pay?",
        [
            f"{percent}% of ${price} is {money(off)}.",
            f"${price} − {money(off)} = {money(price * 100 - off)}.",
            f"With the voucher: {money(price * 100 - off)} − ${voucher} = {money(result)}.",
        ],
        f"You pay {money(result)}.",
        f"Taking the voucher off first gives ${price - voucher}, and a discount of {percent}% means dividing by "
        f"1.{percent}.",
        [
            f"You pay {money(round((price - voucher) * 10000 / (100 + percent)))}.",
            f"You pay ${price - percent - voucher}.",
        ],
    )


def cyclists(random: Random) -> Parts:
    """Two cyclists meet."""
    first, second, hours = random.choice([14, 16, 18]), random.choice([20, 22, 24]), random.choice([2, 3, 4])
    distance = (first + second) * hours
    return _worked(
        "the time until they meet",
        f"Two cyclists start {distance} km apart and ride towards each other at {first} and {second} km/h. "
        "When do they meet, and where?",
        [
            f"Together they close the gap at {first} + {second} = {first + second} km/h.",
            f"{distance} km / {first + second} km/h = {hours} hours.",
            f"In {hours} hours the slower one has covered {first} × {hours} = {first * hours} km.",
        ],
        f"They meet after {hours} hours, {first * hours} km from where the slower one started.",
        f"The difference of their speeds is {second - first} km/h, so the gap shrinks by {second - first} km an hour.",
        [
            f"They meet after {distance / (second - first):.1f} hours.",
            f"They meet halfway, after {distance / 2:.0f} km.",
        ],
    )


def average_speed(random: Random) -> Parts:
    """There and back at two speeds."""
    there, back = random.choice([(30, 60), (40, 60), (60, 90), (20, 30)])
    result = 2 * there * back / (there + back)
    return _worked(
        "the average speed",
        f"I drive to a town at {there} km/h and come back the same way at {back} km/h. What was my average speed?",
        [
            "Call the distance one way d; the whole trip is 2d.",
            f"The time is d/{there} + d/{back} = {there + back}d/{there * back}.",
            f"2d divided by that is 2 × {there} × {back} / {there + back} = {result:g} km/h.",
        ],
        f"The average speed is {result:g} km/h, less than the mean of the two, since more time is spent at {there}.",
        f"The average of {there} and {back} is ({there} + {back}) / 2.",
        [
            f"The average speed is {(there + back) / 2:g} km/h.",
            f"{(there + back) / 2:g} km/h, as both legs are equally long.",
        ],
    )


def split_bill(random: Random) -> Parts:
    """A bill with a tip, shared."""
    bill, tip, people = (
        random.choice([96, 120, 150, 84]),
        random.choice([10, 15, 20]),
        random.choice([3, 4, 5]),
    )
    total = bill * (100 + tip)
    each = round(total / people)
    return _worked(
        "what each one pays",
        f"We are {people} and the bill is ${bill}. With a {tip}% tip, what does each of us pay?",
        [
            f"The tip is {tip}% of ${bill}, that is {money(bill * tip)}.",
            f"Together that makes {money(total)}.",
            f"{money(total)} / {people} = {money(each)} each.",
        ],
        f"Each of you pays {money(each)}.",
        f"${bill} / {people} = {money(round(bill * 100 / people))}, and {tip}% of {people} people is added.",
        [f"Each of you pays {money(round(bill * 100 / people) + tip * 100)}.", f"{money(total)} each."],
    )


def taps(random: Random) -> Parts:
    """Two taps fill a tank."""
    first, second, result = random.choice(
        [(3, 6, "2 hours"), (4, 12, "3 hours"), (6, 12, "4 hours"), (2, 6, "1.5 hours")]
    )
    return _worked(
        "the time",
        f"One tap fills a tank in {first} hours, another in {second} hours. How long do both take together?",
        [
            f"In one hour the first fills 1/{first} and the second 1/{second} of the tank.",
            f"Together that's 1/{first} + 1/{second} = {first + second}/{first * second} of it an hour.",
            f"So it takes {first * second}/{first + second} hours, which is {result}.",
        ],
        f"Both together need {result}.",
        f"The average of {first} and {second} is {(first + second) / 2:g}.",
        [f"They need {(first + second) / 2:g} hours.", f"{first} + {second} = {first + second} hours"],
    )


def dice(random: Random) -> Parts:
    """At least one six."""
    throws, percent = random.choice([(2, 30.6), (3, 42.1), (4, 51.8), (6, 66.5)])
    return _worked(
        "a probability",
        f"What's the probability of at least one six when I throw a die {throws} times?",
        [
            "It's easier to count the opposite: no six at all.",
            f"One throw has no six with probability 5/6, {throws} throws with (5/6)^{throws} = {(5 / 6) ** throws:.3f}.",
            f"1 − {(5 / 6) ** throws:.3f} = {1 - (5 / 6) ** throws:.3f}.",
        ],
        f"About {percent}%.",
        f"Every throw has a chance of 1/6, and {throws} throws add up to {throws}/6.",
        [f"The probability is {throws / 6:.1%}.", f"(1/6)^{throws}, which is {(1 / 6) ** throws:.2%}"],
    )


def percent_back(random: Random) -> Parts:
    """Down and up again by a percentage."""
    percent, start = random.choice([10, 20, 25, 50]), random.choice([200, 400, 800])
    low = start * (100 - percent)
    back = low * (100 + percent) // 100
    need = 100 * percent / (100 - percent)
    return _worked(
        "the value",
        f"My shares fell by {percent}% from ${start} and then rose by {percent}%. Am I back where I started?",
        [
            f"After the fall: ${start} × {1 - percent / 100:g} = {money(low)}.",
            f"The rise is {percent}% of {money(low)}, the smaller amount: {money(low)} × {1 + percent / 100:g} = {money(back)}.",
            f"To get back to ${start} they'd have had to rise by {need:.1f}%.",
        ],
        f"No: you have {money(back)}, {money(start * 100 - back)} less than at the start.",
        f"−{percent}% and +{percent}% cancel out.",
        [f"Yes, you're back at ${start}.", f"yes, {percent}% is {percent}%"],
    )


def handshakes(random: Random) -> Parts:
    """Pairs among people."""
    people = random.choice([8, 10, 12, 15])
    pairs = people * (people - 1) // 2
    return _worked(
        "the number of handshakes",
        f"{people} people meet and each shakes hands with every other once. How many handshakes?",
        [
            f"Each of the {people} shakes {people - 1} hands, which makes {people} × {people - 1} = {people * (people - 1)}.",
            "That counts every handshake twice, once for each of the two.",
            f"{people * (people - 1)} / 2 = {pairs}.",
        ],
        f"{pairs} handshakes.",
        f"Each of the {people} people shakes hands with {people} people.",
        [f"{people * people} handshakes.", f"{people * (people - 1)}"],
    )


def fuel(random: Random) -> Parts:
    """Cost of a drive."""
    distance, use, price = (
        random.choice([350, 420, 560]),
        random.choice([5, 6, 8]),
        random.choice([150, 175, 180]),
    )
    litres = distance * use / 100
    cost = round(litres * price)
    return _worked(
        "the cost of the fuel",
        f"How much is the petrol for {distance} km if the car needs {use} litres per 100 km and a litre costs {money(price)}?",
        [
            f"{distance} km / 100 = {distance / 100:g}.",
            f"{distance / 100:g} × {use} l = {litres:g} l.",
            f"{litres:g} l × {money(price)} = {money(cost)}.",
        ],
        f"About {money(cost)}.",
        f"{distance} km divided by {use} litres is {distance / use:.0f}.",
        [f"It costs {money(round(distance / use * price))}.", f"{money(distance * price)}, roughly"],
    )


SUMS: list[Callable[[Random], Parts]] = [
    discount,
    cyclists,
    average_speed,
    split_bill,
    taps,
    dice,
    percent_back,
    handshakes,
    fuel,
]


def maths(random: Random) -> Iterator[Parts]:
    """Sums without end, each kind in its turn."""
    while True:
        for make in SUMS:
            yield make(random)
