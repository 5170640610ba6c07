"""Random operations of the studio on random files: each is refused in words, or leaves a file that says it."""

from __future__ import annotations

import random

import holdfast as hf
from fuzzing import drafts
from holdfast.apps.studio.bench import Bench
from holdfast.apps.studio.operations import operated
from operations import random_operation, remarks


def make(rng) -> dict:
    """A file with a few comments, and numbers for the operations on it."""
    data = drafts.network_draft(rng) if rng.random() < 0.7 else drafts.random_draft(rng)
    lines = drafts.written(data, rng.randrange(3)).splitlines()
    noted = [
        line + (f"   # note {i}" if rng.random() < 0.1 and _ends(line) else "")
        for i, line in enumerate(lines)
    ]
    return {"text": "\n".join(noted) + "\n", "seed": rng.randrange(10**6), "operations": rng.randint(1, 5)}


def _ends(line: str) -> bool:
    """Whether a comment may stand behind a line: no quote is open there."""
    return not {*line} & {"'", '"', "|", ">"}


def judge(case) -> list[str]:
    """Every design of the file can be read after each operation, no comment is lost, and a link is there or not."""
    rng, bench, text, seen = random.Random(case["seed"]), Bench(), case["text"], []
    try:
        names = (None, *bench.scenario(text).variants)
        for name in names:
            bench.configuration(text, name)
    except hf.HoldfastError:
        return ["refused"]
    for _ in range(case["operations"]):
        variant = rng.choice([None, *bench.scenario(text).variants])
        operation = random_operation(rng, bench, text, variant)
        try:
            found = operated(bench, text, variant, operation)
        except hf.HoldfastError as error:
            assert str(error).strip()
            seen.append("not done")
            continue
        assert not remarks(text) - remarks(found.text), (operation, "a comment is lost")
        scenario = hf.scenario_from_text(found.text)
        for name in (None, *scenario.variants):
            hf.configuration(scenario, name)
        if operation["kind"] in ("cut_link", "add_link"):
            graph = hf.configuration(scenario, variant).system.graph
            there = (operation["from"], operation["to"]) in graph.arrows
            assert there == (operation["kind"] == "add_link"), operation
        text = found.text
        seen.append(operation["kind"])
    return seen
