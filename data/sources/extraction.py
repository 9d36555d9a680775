"""Customers' messages, and the values to be found in them as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from data.sources.maths import Parts, money


def extraction(random: Random) -> Iterator[Parts]:
    """Messages with values to be found in them."""
    while True:
        name = random.choice(["Marta Kowalski", "Ben Adeyemi", "Chloé Durand", "Haruto Sato", "Lucía Peña"])
        order, price = random.randrange(10_000, 99_999), random.choice([1999, 4450, 12900, 8625])
        when, day = random.choice(
            [("3 March", "2025-03-03"), ("14 May", "2025-05-14"), ("27 November", "2025-11-27")]
        )
        city, count = random.choice(["Leeds", "Gdańsk", "Lyon", "Osaka"]), random.choice([2, 3, 4])
        message = random.choice(
            [
                f"Hi, I'm {name} and on {when} 2025 I ordered {count} lamps from you (order {order}, {money(price)} in all). "
                f"They were meant to go to {city} but I've moved. Can you change that?",
                f"order no {order}!! placed {when} 2025, paid {money(price)} for {count} lamps, STILL not here in {city}. "
                f"what's going on? {name}",
                f"Dear team, concerning #{order} of {when} 2025: {count} lamps at {money(price)} altogether were delivered to "
                f"my neighbour in {city}. All fine, I only wanted to let you know :smile: Best, {name}",
            ]
        )
        ask = random.choice(
            [
                "Extract name, order number, date (ISO), total in dollars and quantity as JSON:",
                "Return JSON with the keys name, order, date, total, quantity, city for this message. Only JSON.",
            ]
        )
        right = f'"name": "{name}",\n  "order": {order},\n  "date": "{day}",\n  "total": {price / 100:.2f},\n  "quantity": {count}'
        fenced = "```json\n{{\n  {}\n}}\n```"
        off = random.choice([order + 1, order // 10, order + 900])
        yield {
            "subject": "this message",
            "prompts": [f"{ask}\n\n{message}"],
            "best": [
                fenced.format(right + f',\n  "city": "{city}"'),
                fenced.format(right).removeprefix("```json\n").removesuffix("\n```"),
            ],
            "fair": [
                f"- Name: {name}\n- Order: {order}\n- Date: {day}\n- Total: {money(price)}\n- Quantity: {count}",
                fenced.format(
                    f'"name": "{name}",\n  "order": "{order}",\n  "date": "{when} 2025",\n  "total": "{money(price)}"'
                ),
            ],
            "poor": [
                f"{{The message is from|This message was sent by}} {name} and is about an order of lamps.",
                f'{{{{"name": "{name.split()[0]}"}}}}'.replace("{{", "{").replace("}}", "}"),
            ],
            "wrong": [
                fenced.format(
                    f'"name": "{name}",\n  "order": {off},\n  "date": "2025-01-01",\n  "total": {price / 10:.2f},\n  "quantity": 1'
                ),
                fenced.format(
                    '"name": "John Doe",\n  "order": 12345,\n  "date": "2024-06-30",\n  "total": 99.99,\n  "quantity": 5'
                ),
            ],
            "note": [""],
        }
