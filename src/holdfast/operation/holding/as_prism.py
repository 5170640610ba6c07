"""The game in the language of PRISM-games, so that others can compute what is said of it here.

Every position that play can meet is a number; nothing is merged but what violates φ_D, and what the solver
knows is not used. Probabilities are written as fractions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.game import Configuration, is_unsafe
from holdfast.operation.holding.choice_game import ChoiceGame, choice_game
from holdfast.solver import Solution

PROPERTIES = '<<defender>> Pmax=? [ G !"unsafe" ]', '<<defender>> Pmax=? [ G<=100 !"unsafe" ]'


def prism_model(solution: Solution, budget: Budget = UNLIMITED) -> str:
    """The game of a solution as a stochastic multi-player game (SMG) of PRISM-games.

    >>> import holdfast as hf
    >>> from holdfast.models.network import network_system
    >>> idle, chance = {"defender": ["noop"]}, {"destroy": "0.25"}
    >>> system = network_system(["GW"], [], "GW", None, actions=idle, chance=chance)
    >>> print(prism_model(hf.solve(hf.configure(system, ["G (GW != Z)"]))).split("module")[1].strip())
    play
      s : [0..3] init 1;
      [defend] s=0 -> (s'=1);
      [attack] s=1 -> (s'=0);
      [attack] s=1 -> 1/4:(s'=2) + 3/4:(s'=0);
      [attack] s=2 -> (s'=2);
      [attack] s=3 -> (s'=3);
    end

    Raises:
        InputError: where the start violates the requirement.
        LimitError: where there are too many positions to list, or past the budget.
    """
    configuration = solution.configuration
    if is_unsafe(configuration, configuration.initial):
        raise InputError("the start violates the requirement already, so that there is no game to write")
    game = choice_game(solution, budget, whole=True)
    assert game is not None, "v₀ is not in U"
    return "\n".join(_lines(game, configuration)) + "\n"


def _lines(game: ChoiceGame, configuration: Configuration) -> Iterator[str]:
    title = configuration.title.replace("\n", " ")
    yield f"// {title}: how likely does the defender keep the requirement?"
    yield from (f"// {asked}" for asked in PROPERTIES)
    yield f"// {game.n:,} positions; {game.n} is every violation, in {game.n + 1} nobody can move any more"
    yield from ("smg", "", "player defender [defend] endplayer", "player adversary [attack] endplayer", "")
    yield from ("module play", f"  s : [0..{game.n + 1}] init {game.initial};")
    place = np.full(len(game.target), -1)
    place[game.gambles] = np.arange(len(game.gambles))
    for v in range(game.n):
        who = "defend" if v < game.n_defender else "attack"
        for option in range(int(game.first[v]), int(game.first[v + 1])):
            row = int(place[option])
            if row < 0:
                yield f"  [{who}] s={v} -> (s'={int(game.target[option])});"
                continue
            shares, led = game.exact[int(game.classes[row])], game.drawn[row].tolist()
            parts = (f"{share}:(s'={to})" for share, to in zip(shares, led, strict=False))
            yield f"  [{who}] s={v} -> {' + '.join(parts)};"
    yield from (f"  [attack] s={v} -> (s'={v});" for v in (game.n, game.n + 1))
    yield from ("endmodule", "", f'label "unsafe" = s={game.n};')
