"""``compare``: the variants of a file against each other."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from holdfast.cli.app import DEFENSIBLE, REFUSED, UNDECIDED, emit, watching
from holdfast.cli.options import (
    Engine,
    EngineOption,
    EpisodesOption,
    FileArgument,
    JobsOption,
    JsonOption,
    MemoryOption,
    NoLearningOption,
    SeedsOption,
    TimeoutOption,
)

MANY_SEEDS = 1 << 32


def compare(
    file: FileArgument,
    base: Annotated[str | None, typer.Option("--base", help="Compare with this variant.")] = None,
    variant: Annotated[
        list[str] | None, typer.Option("--variant", "-v", help="Only these variants; may be repeated.")
    ] = None,
    engine: EngineOption = Engine.AUTO,
    as_json: JsonOption = False,
    no_learning: NoLearningOption = False,
    seeds: SeedsOption = None,
    episodes: EpisodesOption = None,
    jobs: JobsOption = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = 4.0,
) -> None:
    """What each variant changes, at what depth, and where formal and operational rankings disagree."""
    from holdfast.analysis import analyse
    from holdfast.compare import Subject, to_object
    from holdfast.compare import compare as compared
    from holdfast.learn.protocol import protocol_of
    from holdfast.scenario.load import configuration, learning, read_scenario
    from holdfast.scenario.shape import BASE

    scenario = read_scenario(file)
    names = list(dict.fromkeys([base or BASE, *variant] if variant else [BASE, *scenario.variants]))
    chosen = {name: configuration(scenario, name) for name in names}
    protocols = {
        name: protocol_of(learning(scenario, name), episodes=episodes, seeds=seeds) for name in names
    }
    n_episodes = sum(p.episodes * len(p.seed_numbers) for p in protocols.values())
    with watching(timeout, n_episodes) as (progress, training):
        subjects = [
            Subject(
                name,
                analyse(
                    chosen[name],
                    protocols[name],
                    engine=engine,
                    learning=not no_learning,
                    exact=True,
                    jobs=jobs,
                    memory=int(memory * 2**30),
                    progress=progress,
                    training=lambda seed, done, n=number: training(n * MANY_SEEDS + seed, done),  # type: ignore[misc]
                ),
                chosen[name],
            )
            for number, name in enumerate(names)
        ]
        found = compared(subjects, base, progress=progress)
    if as_json:
        emit(json.dumps(to_object(found)))
    else:
        from holdfast.report.comparison import comparison_text

        emit(comparison_text(found, str(file)))
    undecided = any(entry.undecided for entry in found.entries)
    defensible = all(entry.defensible for entry in found.entries)
    raise typer.Exit(UNDECIDED if undecided else DEFENSIBLE if defensible else REFUSED)
