"""Robot cells: the game is what the rules say, the answers are those worked out by hand."""

import io
import json
import re
from itertools import product

import pytest
from matplotlib.patches import Rectangle
from rich.console import Console

import holdfast as hf
from holdfast.arena.export.flat_shield import flatten_shield
from holdfast.arena.export.shields import render
from holdfast.errors import ScenarioError
from holdfast.game.configuration import Position
from holdfast.game.structure import successor
from holdfast.logic.evaluate import reader
from holdfast.logic.expressions import Player, is_static
from holdfast.report import figures
from holdfast.report.board import board
from holdfast.report.documents.background import difference
from holdfast.report.figures.style import ADDED
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.solution import is_winning
from paths import ROOT
from reference_cell import WAYS, SlowCell, point, random_section, rng_of, square
from shield_readers import InC

GRIDWORLD = {
    "plan": "#######\n#r.*.g#\n#.#.#.#\n#..*..#\n#######",
    "places": {"red": "r", "green": "g", "bomb": "*"},
    "robot": "red",
    "people": {"opponent": {"at": "f4"}},
}
"""As in scenarios/gridworld.yaml."""


def scenario(section, defender=(), adversary=(), variants=None):
    """A scenario of one cell."""
    specs = {"defender": list(defender), "adversary": list(adversary)}
    written = {"holdfast": 1, "name": "cell", "cell": section, "specs": specs}
    return scenario_from_text(json.dumps(written | ({"variants": variants} if variants else {}), indent=1))


def states(game, limit, rng):
    """All states, or as many as the limit says."""
    if game.n_valuations <= limit:
        yield from product(*map(range, game.shape))
    else:
        yield from (tuple(rng.randrange(size) for size in game.shape) for _ in range(limit))


def literal(game, slow, state):
    """A state of the game as the slow twin has it."""
    values = {v.name: v.values[code] for v, code in zip(game.variables, state)}
    movers = {"robot", *slow.people}
    return {name: point(value) if name in movers else value for name, value in values.items()}


def agree(seed, limit):
    """Hold the game of one random cell against the literal rules, state by state and action by action."""
    rng = rng_of(seed)
    section = random_section(rng)
    system, slow = configuration(scenario(section)).system, SlowCell(section)
    game = system.game
    assert literal(game, slow, game.initial) == slow.start()
    words = {n: reader(e, game.places) for n, e in game.definitions.items() if is_static(e)}
    n = 0
    for state in states(game, limit, rng):
        before = literal(game, slow, state)
        asked = slow.asked(before)
        assert {name: bool(words[name](state)) for name in asked} == asked
        for player in Player:
            for number, action in enumerate(game.actions[player]):
                after = successor(game, player, number, state)
                assert literal(game, slow, after) == slow.after(player, before, action.name), action.name
                n += 1
    return n


@pytest.mark.parametrize("seeds", [range(i, i + 20) for i in range(0, 40, 20)], ids=str)
def test_a_cell_should_follow_the_rules_as_they_are_written(seeds):
    assert sum(agree(seed, 40) for seed in seeds) > 3_000


def test_all_states_of_small_cells_should_follow_the_rules():
    assert sum(agree(seed, 3_000) for seed in (3, 7, 11)) > 3_000


@pytest.mark.parametrize("seed", range(12))
def test_both_engines_should_agree_on_cells(seed):
    section = random_section(rng_of(seed))
    asked = [
        f"G !{word}" for word, there in (("hit", section["people"]), ("struck", section["hazards"])) if there
    ]
    limits = ["G (times(walk) <= 2)"] if section["people"] else []
    found = [
        hf.solve(configuration(scenario(section, asked, limits)), engine=engine)
        for engine in ("explicit", "symbolic")
    ]
    assert found[0].shells == found[1].shells and found[0].n_winning == found[1].n_winning
    assert hf.verify(hf.certify(found[1])).valid


# -- answers that are known ---------------------------------------------------------------------------


@pytest.mark.parametrize("length", [2, 3, 5])
def test_a_robot_in_a_corridor_should_be_caught_in_as_many_steps_as_it_is_long(length):
    """By hand: the pursuer takes length − 1 steps, and the robot has one move between each two of them."""
    ends = {"robot": "a1", "people": {"ann": {"at": f"{'abcde'[length - 1]}1"}}}
    section = {"plan": "." * length, **ends}
    caught = hf.solve(configuration(scenario(section, ["G !hit"])))
    assert hf.rank(caught, caught.configuration.initial) == 2 * (length - 1) - 1
    for steps in (length - 2, length - 1):
        found = hf.solve(configuration(scenario(section, ["G !hit"], [f"G (times(ann-walks) <= {steps})"])))
        assert found.defensible == (steps < length - 1)


def connected(free):
    """Whether squares hang together, and how many passages there are between them."""
    todo, seen = [min(free)], {min(free)}
    beside = [
        ((x, y), (x + dx, y + dy)) for x, y in free for dx, dy in ((1, 0), (0, 1)) if (x + dx, y + dy) in free
    ]
    while todo:
        here = todo.pop()
        for pair in beside:
            if here in pair:
                new = set(pair) - seen
                seen |= new
                todo += new
    return seen == set(free), len(beside)


def test_one_pursuer_should_win_from_everywhere_just_where_the_plan_has_no_loop():
    """The theorem of Nowakowski and Winkler (1983) for plans: a grid without a loop is dismantlable, no other is."""
    seen = set()
    for seed in range(60):
        rng = rng_of(f"pursuit {seed}")
        lines = ["".join(rng.choice("..#") for _ in range(rng.randint(2, 4))) for _ in range(3)]
        free = {(x, y) for y, line in enumerate(lines) for x, c in enumerate(line) if c == "."}
        if len(free) < 2 or not connected(free)[0]:
            continue
        squares = sorted("abcd"[x] + str(y + 1) for x, y in free)
        section = {"plan": "\n".join(lines), "robot": squares[0], "people": {"ann": {"at": squares[-1]}}}
        loop = connected(free)[1] >= len(free)
        assert (hf.solve(configuration(scenario(section, ["G !hit"]))).n_winning > 0) == loop, lines
        seen.add(loop)
    assert seen == {True, False}


@pytest.mark.parametrize("variant", [None, "no-lingering", "strict"])
def test_the_patrol_robot_should_be_a_cell_of_two_squares(variant):
    """Should have the shells of the scenario that is written as a game; what is called hold is waiting."""
    game = hf.solve(hf.load(ROOT / "scenarios/patrol-robot.yaml", variant))
    hold = "G (wait -> press = up)" if variant else "G !(wait & press = down)"
    late = 3 if variant == "strict" else 4
    section = {"plan": "DB", "places": {"dock": "D", "bay": "B"}, "robot": "bay"}
    section["hazards"] = {"press": {"at": "bay", "phases": ["up", "armed", "down"]}}
    cell = hf.solve(configuration(scenario(section, ["G !struck", f"G F[<={late}] at-bay"], [hold])))
    assert (cell.defensible, cell.shells, cell.n_winning) == (game.defensible, game.shells, game.n_winning)


@pytest.mark.parametrize(("battery", "held"), [(8, False), (9, True)])
def test_the_battery_of_the_robot_cell_should_be_the_one_worked_out_by_hand(battery, held):
    text = (ROOT / "scenarios" / "robot-cell.yaml").read_text("utf-8")
    changed = scenario_from_text(text.replace("battery: 8}", f"battery: {battery}}}"))
    assert hf.solve(configuration(changed, "small-battery")).defensible == held


# -- the gridworld of the shielding literature ----------------------------------------------------------


def slow_region(slow, allowed):
    """The winning positions of the gridworld, from its rules alone.

    A position is the state, who moves, and how many moments in a row the robot has been on a bomb, up to
    ``allowed``; one more, or meeting the opponent, loses.
    """
    bombs = slow.points("bomb")
    moves = {
        "defender": ["stay", *(f"go({way})" for way in WAYS)],
        "adversary": ["wait", *(f"walk(opponent-{way})" for way in WAYS)],
    }
    places = sorted(slow.floor)
    every = [(r, o, who, n) for r in places for o in places for who in moves for n in range(allowed + 1)]

    def after(position):
        robot, opponent, who, n = position
        for action in moves[who]:
            new = slow.after(who, {"robot": robot, "opponent": opponent}, action)
            count = n + 1 if new["robot"] in bombs else 0
            lost = count > allowed or new["robot"] == new["opponent"]
            other = "adversary" if who == "defender" else "defender"
            yield None if lost else (new["robot"], new["opponent"], other, count)

    targets = {position: list(after(position)) for position in every}
    winning = set(every)
    while True:
        kept = {
            v
            for v in winning
            if (any if v[2] == "defender" else all)(target in winning for target in targets[v])
        }
        if kept == winning:
            return winning
        winning = kept


def test_the_gridworld_should_have_the_region_of_its_rules():
    """Should hold at every position that is asked of the library, and be counted by it."""
    subject = hf.load(ROOT / "scenarios/gridworld.yaml")
    assert configuration(scenario(GRIDWORLD)).game == subject.game
    solution = hf.solve(subject)
    slow = SlowCell(GRIDWORLD)
    winning = slow_region(slow, 4)
    automaton = subject.defender[1]
    robot, opponent = subject.game.variables
    # The states of the automaton after 0 to 4 moments on a bomb, which it may number as it likes.
    counts = [automaton.read(automaton.initial, {"robot": robot.code("b2"), "opponent": 0}, None)]
    for _ in range(4):
        counts.append(automaton.read(counts[-1], {"robot": robot.code("d2"), "opponent": 0}, None))
    n_winning = 0
    for (r, o), turn, n in product(product(slow.floor, repeat=2), Player, range(5)):
        state = robot.code(square(r)), opponent.code(square(o))
        position = Position(state, turn, (subject.initial.q_defender[0], counts[n]), ())
        assert is_winning(solution, position) == ((r, o, str(turn), n) in winning), (r, o, turn, n)
        n_winning += is_winning(solution, position)
    assert n_winning == solution.n_winning == 1390


# -- the exported shield ----------------------------------------------------------------------------------


def test_a_robot_that_runs_the_exported_shield_should_keep_the_rules(tmp_path):
    """Should never meet the opponent or linger on a bomb in the literal world, whatever the opponent does."""
    rng = rng_of("shield")
    solution = hf.solve(hf.load(ROOT / "scenarios/gridworld.yaml"))
    game, slow = solution.configuration.game, SlowCell(GRIDWORLD)
    shield = InC(render(flatten_shield(solution), "c"), tmp_path)
    plays = [(solution.configuration.initial, slow.start(), 0) for _ in range(40)]
    for _ in range(30):
        answers = list(shield.answers([("p", position, 0, None) for position, *_ in plays]))
        assert all(winning for winning, _ in answers)
        chosen = [rng.choice(permitted) for _, permitted in answers]
        moved = list(shield.answers([("m", v, a, None) for (v, *_), a in zip(plays, chosen)]))
        for i, ((position, world, hot), action, after) in enumerate(zip(plays, chosen, moved)):
            name = game.actions[position.turn][action].name
            world = slow.after(str(position.turn), world, name)
            assert literal(game, slow, after.state) == world
            hot = hot + 1 if world["robot"] in slow.points("bomb") else 0
            assert world["robot"] != world["opponent"] and hot <= 4
            plays[i] = after, world, hot


# -- mistakes, pictures -------------------------------------------------------------------------------------

SMALL = {"plan": "D.P\n.#.", "places": {"dock": "D", "press": "P"}, "robot": "dock"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"plan": "D.Q"}, '"Q" at c1 means nothing'),
        ({"plan": "D.."}, 'the place "press" is drawn nowhere'),
        ({"robot": "dok"}, 'did you mean "dock"?'),
        ({"robot": "b2"}, '"b2" is not a place or square of the plan'),
        ({"plan": "DPP"[:1] + "D.P"}, "dock has 2 squares; name one of them, such as a1"),
        ({"places": {"dock": "D", "press": "PP"}}, "expected one character"),
        ({"places": {"dock": "D", "press": "D"}}, "two places are drawn as"),
        ({"people": {"robot": {"at": "b1"}}}, '"robot" is already a variable of every cell'),
        ({"people": {"ann": {"at": "b1", "within": ["press"]}}}, "not within the bounds"),
        ({"hazards": {"mill": {}}}, '"mill" is not a place or square'),
        ({"hazards": {"press": {"closed": [1]}}}, "closes by the clock, but there is none"),
        ({"hazards": {"press": {"closed": [3]}}, "clock": 3}, "the clock goes from 0 to 2"),
        ({"hazards": {"press": {"danger": ["shut"]}}}, '"shut" is no phase of press'),
        ({"hazards": {"press": {"phases": ["up", "up"]}}}, "each listed once"),
        ({"doors": {"gate": {"at": "a1", "shut": "yes"}}}, "with robot inside it"),
        ({"doors": {"gate": {"at": "b1"}, "hatch": {"at": "b1"}}}, "doors of one square"),
        ({"battery": 4}, "cannot be charged anywhere"),
        ({"chargers": ["dock"]}, "no battery"),
        ({"rails": ["dock - press"]}, "share no side"),
        ({"rails": ["dock press"]}, "expected a rail such as"),
        ({"worth": {"doc": 1}}, 'did you mean "dock"?'),
    ],
)  # fmt: skip
def test_a_mistake_in_a_cell_should_be_told_with_its_place(change, told):
    with pytest.raises(ScenarioError) as error:
        configuration(scenario(SMALL | change))
    assert told in str(error.value) and re.match(r"<text>:\d+:\d+: ", str(error.value)), str(error.value)


def test_a_variant_should_change_what_it_names_and_keep_the_rest():
    base = SMALL | {"hazards": {"press": {"phases": ["up", "down"]}}, "people": {"ann": {"at": "c2"}}}
    variants = {
        "curtain": {"cell": {"hazards": {"press": {"curtain": "yes"}}, "add_rails": ["press - floor"]}},
        "alone": {"cell": {"people": {"ann": None}}},
    }
    found = scenario(base, variants=variants)
    kept, alone = configuration(found, "curtain").system, configuration(found, "alone").system
    assert [v.name for v in kept.game.variables] == ["robot", "ann", "press"]
    assert kept.graph.floor.barriers == (("b1", "c1"), ("c1", "c2"))
    assert not kept.hardenable and configuration(found).system.hardenable
    assert [v.name for v in alone.game.variables] == ["robot", "press"]
    with pytest.raises(ScenarioError, match='there is no "bob" here to remove'):
        configuration(scenario(base, variants={"x": {"cell": {"people": {"bob": None}}}}), "x")


def test_what_is_recommended_should_be_a_variant_that_says_the_same():
    """Should lead to the same game by taking parts away and by writing the change down."""
    for seed in range(12):
        section = random_section(rng_of(f"written {seed}"))
        system = configuration(scenario(section)).system
        offered = (*system.parts, *system.hardenable, *system.upgrades)
        taken = frozenset(part for part in offered if rng_of(f"{seed} {part.name}").random() < 0.4)
        if taken:
            found = scenario(section, variants={"it": {"cell": system.written(taken)}})
            assert configuration(found, "it").system.game == system.without(taken).game


def test_the_plan_should_be_on_the_board_and_in_the_picture(tmp_path):
    subject = hf.load(ROOT / "scenarios/robot-cell.yaml", "safe")
    text = io.StringIO()
    Console(file=text, width=80).print(board(subject, subject.initial, frozenset({"robot"})))
    assert "2 ███  R   ·   ·   p   · ┃ a   a   a  ███" in text.getvalue()
    assert "*R robot b2   A ann h3" in text.getvalue()
    base, graph = hf.load(ROOT / "scenarios/robot-cell.yaml").system.graph, subject.system.graph
    drawn = figures.topology(graph).axes[0]
    squares = [p for p in drawn.artists + drawn.patches if isinstance(p, Rectangle)]
    assert len(squares) >= 1 + len(graph.floor.at)
    assert {t.get_text() for t in drawn.texts} >= {"R", "A", "press", "aisle", "b2"}
    assert difference(base, graph) == "adds 2 barriers (f2 - g2, f3 - g3) and adds curtain"
    lines = [
        line for line in figures.topology_difference(base, graph).axes[0].lines if line.get_color() == ADDED
    ]
    assert len(lines) == 2
