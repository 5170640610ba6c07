"""Exported shields: the same answers as the library, in every format and for every game."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from budgets import watched
from cases import TIMES
from commands import fresh_holdfast, holdfast
from holdfast.arena.export.flat_shield import DIGIT_BITS, flatten_shield, lay_out
from holdfast.arena.export.shields import export_shield, render, shield_formats, size
from holdfast.budget import UNLIMITED
from holdfast.errors import InputError, LimitError
from holdfast.game.actions import Action, Rule
from holdfast.game.array_games import from_functions
from holdfast.game.configuration import (
    Position,
    configure,
    is_admissible,
    is_unsafe,
)
from holdfast.game.structure import GameStructure, has_chance
from holdfast.logic.compile import compile_formula
from holdfast.logic.diagrams import Diagrams
from holdfast.logic.expressions import TRUE, Number, Player, Symbol, Variable
from holdfast.models.network.game import network_game
from holdfast.scenario.reading import configuration, load, read_scenario, scenario_from_text
from holdfast.solver import mdd
from holdfast.solver.engines import solve
from holdfast.solver.mdd import MultiValuedDiagrams
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import is_winning
from paths import ROOT
from shield_readers import STRICT, InC, InJson, InPython, arbitrary, compare, played
from strategies import random_configuration, random_gambles, with_chance

PAPER = ROOT / "scenarios" / "paper.yaml"

WIDE = """
holdfast: 1
name: Wide
game:
  variables: {level: 0..299, step: -3..3, gate: [open, shut], slot: 1..17}
  initial: {level: 150, step: 0, gate: open, slot: 4}
  defender:
    down: {when: level >= 7, set: {level: level - 7, slot: 1}}
    up:   {when: level <= 290 & step < 3, set: {level: level + 5, step: step + 1}}
    keep: {}
  adversary:
    push: {when: gate = open & level + step < 300 & level + step >= 0, set: {level: level + step}}
    jump: [{when: slot < 17 & level > 200, set: {slot: slot + 1, step: 3}}, {when: step > -3, set: {step: step - 1}}]
  dominance: 1
specs:
  defender: ["G (level > 20 & level < 280)", "G (slot < 16)"]
"""


def readers_of(shield, folder, *flags):
    return [
        InPython(render(shield, "python")),
        InC(render(shield, "c"), folder, *flags),
        InJson(render(shield, "json")),
    ]


@pytest.fixture(scope="module")
def reference():
    """The shield of the reference segment."""
    return flatten_shield(solve(load(PAPER)))


# -- the same answers ---------------------------------------------------------------------------------

SCENARIOS = [
    *(("paper", variant) for variant in (None, *read_scenario(PAPER).variants)),
    ("water-tank", None), ("water-tank", "one-fill"), ("water-tank", "no-drain"),
    ("patrol-robot", None), ("patrol-robot", "no-lingering"), ("patrol-robot", "strict"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "variant"), SCENARIOS)
def test_every_format_answers_as_the_library(name, variant, tmp_path):
    """Should agree on winning, permitted, move and observe at reachable and at arbitrary positions."""
    rng = random.Random(f"{name} {variant}")
    solution = solve(load(ROOT / "scenarios" / f"{name}.yaml", variant), "explicit")
    shield = flatten_shield(solution)
    positions = played(solution, rng, 100) + [arbitrary(solution.configuration, rng) for _ in range(200)]
    n_winning = compare(readers_of(shield, tmp_path), solution, positions, rng)
    assert n_winning < len(positions)
    assert n_winning > 20 or not solution.defensible


def test_the_winning_region_of_the_reference(reference, tmp_path):
    """Should agree on W at many more positions than Safe(v) can be asked of the library."""
    rng = random.Random(6)
    solution = solve(load(PAPER), "explicit")
    positions = [arbitrary(solution.configuration, rng) for _ in range(20_000)]
    answers = InC(render(reference, "c"), tmp_path).answers([("p", v, 0, None) for v in positions])
    assert [winning for winning, _ in answers] == [is_winning(solution, v) for v in positions]


def test_both_engines_give_the_same_bytes():
    """Should not depend on who solved the game."""
    for name, variant in SCENARIOS:
        subject = load(ROOT / "scenarios" / f"{name}.yaml", variant)
        one, other = (flatten_shield(solve(subject, engine)) for engine in ("explicit", "symbolic"))
        assert one == other
    subject = configuration(scenario_from_text(WIDE))
    assert flatten_shield(solve(subject, "explicit")) == flatten_shield(solve(subject, "symbolic"))


@pytest.mark.parametrize("chunk", range(4))
def test_random_games(chunk, tmp_path):
    """Should agree on random games, tabulated ones among them; each fifth is compiled too."""
    kinds = set()
    for seed in range(chunk * 25, chunk * 25 + 25):
        rng = random.Random(f"export {seed}")
        subject = random_configuration(rng)
        tabulated = subject.game.tables is not None
        engines = ("explicit",) if tabulated else ("explicit", "symbolic")
        solutions = [solve(subject, engine) for engine in engines]
        shields = [flatten_shield(solution) for solution in solutions]
        assert all(shield == shields[0] for shield in shields), seed
        readers = [InPython(render(shields[0], "python")), InJson(render(shields[0], "json"))]
        if seed % 5 == 0:
            readers.append(InC(render(shields[0], "c"), tmp_path))
        positions = [arbitrary(subject, rng) for _ in range(25)]
        compare(readers, solutions[-1], positions, rng)
        kinds.add((tabulated, bool(subject.defender), bool(subject.adversary), solutions[0].defensible))
    assert len({tabulated for tabulated, *_ in kinds}) == 2
    assert len({defensible for *_, defensible in kinds}) == 2


@pytest.mark.parametrize("chunk", range(2))
def test_games_in_which_the_defender_s_moves_may_fail(chunk, tmp_path):
    """Should permit a choice if every outcome stays winning, in every format; each fifth is compiled too."""
    seen = Counter()
    for seed in range(chunk * 20 * TIMES, (chunk + 1) * 20 * TIMES):
        rng = random.Random(f"drawn {seed}")
        subject = random_gambles(rng) if seed % 2 else random_configuration(rng, 1500, change=with_chance)
        if not has_chance(subject.game, Player.DEFENDER):
            continue
        engines = ("explicit", "symbolic") if subject.game.tables is None else ("explicit",)
        solutions = [solve(subject, engine) for engine in engines]
        shield = flatten_shield(solutions[0])
        assert all(flatten_shield(solution) == shield for solution in solutions[1:]), seed
        assert json.loads(render(shield, "json"))["holdfast_shield"] == 2
        reader = InPython(render(shield, "python"))
        readers = [reader, InJson(render(shield, "json"))]
        if seed % 5 == 0:
            readers.append(InC(render(shield, "c"), tmp_path))
        positions = [arbitrary(subject, rng) for _ in range(25)]
        seen["winning"] += compare(readers, solutions[-1], positions, rng)
        for position in positions:
            permitted = reader.module["permitted"](position)
            for action in range(len(subject.game.actions[position.turn])):
                assert reader.module["is_permitted"](position, action) == (action in permitted), seed
                seen["drawn"] += action in permitted and position.turn is Player.DEFENDER
        seen["compiled"] += len(readers) == 3
    assert min(seen.values()) > 1 and len(seen) == 3, seen


def test_c_asks_for_every_outcome_of_one_action_too(tmp_path):
    """Should permit alone what it permits among all, at positions of every kind."""
    subject = random_gambles(random.Random(4), 8)
    (tmp_path / "shield.c").write_text(render(flatten_shield(solve(subject)), "c"), "ascii")
    (tmp_path / "each.c").write_text(
        """
        #define HF_API static inline
        #include "shield.c"
        int main(void)
        {
            uint8_t permitted[HF_MAX_ACTIONS];
            int code, turn, action, n = 0, n_actions;
            for (code = 0; code < 8; code++)
                for (turn = HF_DEFENDER; turn <= HF_ADVERSARY; turn++) {
                    hf_position p;
                    hf_initial(&p);
                    p.value[0] = (hf_code)code;
                    p.turn = (uint8_t)turn;
                    n += hf_permitted(&p, permitted);
                    n_actions = turn == HF_DEFENDER ? HF_DEFENDER_ACTIONS : HF_ADVERSARY_ACTIONS;
                    for (action = 0; action < n_actions; action++)
                        if (hf_is_permitted(&p, action) != permitted[action])
                            return 1;
                }
            return n ? 0 : 2;
        }
        """,
        "ascii",
    )
    subprocess.run(["cc", *STRICT, str(tmp_path / "each.c"), "-o", str(tmp_path / "each")], check=True)
    assert subprocess.run([str(tmp_path / "each")], timeout=60).returncode == 0


def chain(n):
    """As the benchmark's: a gateway, a chain of workstations, a database and its backup."""
    stations = [f"ws{i}" for i in range(1, n - 3)]
    links = [("GW", "Web"), ("Web", "DB"), ("DB", "BK"), ("GW", stations[0]), ("Web", stations[0])]
    links += [(stations[-1], "DB"), *pairwise(stations)]
    game = network_game(["GW", "Web", *stations, "DB", "BK"], links, "GW")
    both = "G !(DB in {X, D, Z} & BK in {X, D, Z})"
    return configure(game, [both, f"G (active >= {n - 3})"], ["G (times(destroy) <= 2)"])


def test_a_chain_of_forty_hosts(tmp_path):
    """Should agree at positions that play reaches and one or two changes away from them."""
    rng = random.Random(40)
    solution = solve(chain(40))
    shield = flatten_shield(solution)
    assert size(shield)["table_bytes"] < 30_000
    positions = played(solution, rng, 16)
    positions += [arbitrary(solution.configuration, rng) for _ in range(5)]
    readers = readers_of(shield, tmp_path)
    assert 8 < compare(readers[:2], solution, positions, rng) < len(positions)
    near = []
    for position in positions * 40:
        state = list(position.state)
        for _ in range(rng.randint(1, 2)):
            state[rng.randrange(len(state))] = rng.randrange(5)
        near.append(position._replace(state=tuple(state)))
    questions = [("p", position, 0, None) for position in near]
    found = [winning for winning, _ in readers[1].answers(questions)]
    assert found == [is_winning(solution, position) for position in near]
    assert 0.1 < sum(found) / len(found) < 0.9


def test_wide_domains_are_tested_digit_by_digit(tmp_path):
    """Should keep nodes narrow and agree on domains of 300, 17, 7 and 2 values."""
    rng = random.Random(300)
    solution = solve(configuration(scenario_from_text(WIDE)))
    shield = flatten_shield(solution)
    assert max(test.size for test in shield.tests) == 16
    assert len(shield.tests) == 3 + 1 + 1 + 2
    positions = played(solution, rng, 150) + [arbitrary(solution.configuration, rng) for _ in range(600)]
    assert 0 < compare(readers_of(shield, tmp_path), solution, positions, rng) < len(positions)


def test_games_given_as_functions(tmp_path):
    """Should carry unavailable actions and several variables over from tables."""
    x, y = Variable("x", range(20)), Variable("y", ("a", "b", "c"))
    game = from_functions(
        (x, y),
        {"x": 3, "y": "a"},
        {"up": lambda s: {"x": s["x"] + 1} if s["x"] < 19 else None, "stay": lambda s: {}},
        {
            "back": lambda s: {"x": s["x"] // 2, "y": "b"} if s["y"] != "b" else None,
            "turn": lambda s: {"y": "c"},
        },
    )
    solution = solve(configure(game, ["G (x > 0)"]))
    rng = random.Random(1)
    positions = [arbitrary(solution.configuration, rng) for _ in range(400)]
    shield = flatten_shield(solution)
    assert 0 < compare(readers_of(shield, tmp_path), solution, positions, rng) < 400
    module = InPython(render(shield, "python")).module
    assert module["move"](Position((19, 0), Player.DEFENDER, (0,), ()), 0) is None


def test_unsafe_and_admissible_in_python():
    """Should say when a requirement or an assumption has been broken."""
    subject = load(PAPER)
    module = InPython(render(flatten_shield(solve(subject)), "python")).module
    rng = random.Random(2)
    for _ in range(200):
        position = arbitrary(subject, rng)
        assert module["is_unsafe"](position) == is_unsafe(subject, position)
        assert module["is_admissible"](position) == is_admissible(subject, position)
        for action in range(len(subject.game.actions[position.turn])):
            expected = action in module["permitted"](position)
            assert module["is_permitted"](position, action) == expected


# -- C ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "flags",
    [[], ["-DHF_NO_NAMES"], ["-DHF_DECLARATIONS"], ["-DHF_API=static inline"], ["-DHF_MAIN"]],
    ids=lambda flags: "".join(flags) or "plain",
)
def test_c_compiles_without_a_warning_in_every_mode(reference, flags, tmp_path):
    """Should be clean C99 under the strict flags."""
    source = tmp_path / "shield.c"
    source.write_text(render(reference, "c"), "ascii")
    subprocess.run(
        ["cc", *STRICT, "-O2", "-c", *flags, str(source), "-o", str(tmp_path / "shield.o")], check=True
    )


def test_c_needs_nothing(reference, tmp_path):
    """Should call no function of any library and hold no mutable data."""
    source = tmp_path / "shield.c"
    source.write_text(render(reference, "c"), "ascii")
    subprocess.run(
        ["cc", "-std=c99", "-O2", "-ffreestanding", "-fno-pic", "-c", source, "-o", tmp_path / "shield.o"],
        check=True,
    )
    symbols = subprocess.run(["nm", tmp_path / "shield.o"], capture_output=True, text=True, check=True).stdout
    wanted = {line.split()[-1] for line in symbols.splitlines() if " U " in line} - {"_GLOBAL_OFFSET_TABLE_"}
    assert wanted <= {"memcpy", "memset"}  # which a freestanding compiler may always call
    assert not re.search(" [dDbB] ", symbols)


def test_c_reads_nothing_outside_its_tables(reference, tmp_path):
    """Should answer 0 for what is not a position or an action, watched by the sanitizers."""
    text = render(reference, "c")
    (tmp_path / "shield.c").write_text(text, "ascii")
    (tmp_path / "poke.c").write_text(
        """
        #define HF_API static inline
        #include "shield.c"
        #include <string.h>
        int main(void)
        {
            unsigned seed = 1, i, k;
            for (i = 0; i < 100000; i++) {
                hf_position p;
                uint8_t permitted[HF_MAX_ACTIONS];
                hf_code value[HF_VARIABLES];
                hf_initial(&p);
                for (k = 0; k < sizeof p; k++) {
                    seed = seed * 1103515245u + 12345u;
                    if ((seed >> 16) % 8 == 0) ((unsigned char *)&p)[k] = (unsigned char)(seed >> 20);
                }
                memcpy(value, p.value, sizeof value);
                if (!hf_is_position(&p) && (hf_is_winning(&p) || hf_permitted(&p, permitted)
                    || hf_is_permitted(&p, 0) || hf_move(&p, 0) || hf_is_admissible(&p) || !hf_is_unsafe(&p)))
                    return 1;
                if (hf_is_permitted(&p, -1) || hf_is_permitted(&p, 25) || hf_move(&p, 1000000))
                    return 2;
                if (hf_action_name(HF_DEFENDER, 25) || hf_action_name(2, 0) || hf_value_name(0, 5)
                    || hf_value_name(5, 0) || hf_variable_name(-1) || !hf_variable_name(4))
                    return 3;
                hf_permitted(&p, permitted);
                hf_move(&p, (int)(seed >> 8) % 40);
                hf_observe(&p, (int)(seed >> 9) % 40, value);
            }
            return 0;
        }
        """,
        "ascii",
    )
    built = tmp_path / "poke"
    flags = ["-std=c99", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["cc", *flags, str(tmp_path / "poke.c"), "-o", str(built)], check=True)
    done = subprocess.run([str(built)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


HOSTILE = [
    "*/ int evil(void); /*", '"; system("x"); //', "??/", "???/", "a\nb", "back\\", "\\", "%s%n", "é", "日本", "\u2028",
    "int", "DB", "D_B", "D-B", "D.B", "__FILE__", "ACTIONS", "S", "\'\'\'", '\"\"\"', "{}", "x" * 150, "x" * 150 + "y",
]  # fmt: skip


def hostile_configuration():
    values = tuple(HOSTILE)
    variables = (*(Variable(name, ("a", "b")) for name in HOSTILE), Variable("values", values))
    actions = {
        player: tuple(
            Action(name, (Rule(TRUE, ((variables[i], Symbol("b")),)),)) for i, name in enumerate(HOSTILE)
        )
        for player in Player
    }
    game = GameStructure(variables, (0,) * len(variables), Player.ADVERSARY, actions, Number(Fraction(1)))
    vocabulary = game.vocabulary
    clause = compile_formula("G (int = a | DB = a)", vocabulary)
    text = " ".join(HOSTILE)
    return configure(game, [replace(clause, source=text)], name=text, variant=HOSTILE[0])


def test_hostile_names_stay_names(tmp_path):
    """Should compile, run and give every name back, whatever it is made of."""
    solution = solve(hostile_configuration())
    shield = flatten_shield(solution)
    text = render(shield, "c")
    assert text.isascii()
    (tmp_path / "shield.c").write_text(text, "ascii")
    (tmp_path / "names.c").write_text(
        """
        #define HF_API static inline
        #include "shield.c"
        #include <stdio.h>
        int main(void)
        {
            int i;
            for (i = 0; i < HF_VARIABLES; i++) printf("%s%c", hf_variable_name(i), 0);
            for (i = 0; i < HF_DEFENDER_ACTIONS; i++) printf("%s%c", hf_action_name(HF_DEFENDER, i), 0);
            for (i = 0; i < HF_ADVERSARY_ACTIONS; i++) printf("%s%c", hf_action_name(HF_ADVERSARY, i), 0);
            for (i = 0; i < HF_DEFENDER_ACTIONS; i++) printf("%s%c", hf_value_name(HF_VARIABLES - 1, i), 0);
            return 0;
        }
        """,
        "ascii",
    )
    subprocess.run(["cc", *STRICT, str(tmp_path / "names.c"), "-o", str(tmp_path / "names")], check=True)
    printed = subprocess.run([str(tmp_path / "names")], capture_output=True, check=True).stdout
    assert printed.decode().split("\0")[:-1] == [*HOSTILE, "values", *HOSTILE, *HOSTILE, *HOSTILE]
    for reader in (
        InPython(render(shield, "python")).module["SHIELD"].table,
        InJson(render(shield, "json")).j,
    ):
        assert reader["name"] == " ".join(HOSTILE)
        assert reader["actions"]["defender"] == HOSTILE
        assert [v["name"] for v in reader["variables"]] == [*HOSTILE, "values"]
    rng = random.Random(3)
    positions = [arbitrary(solution.configuration, rng) for _ in range(50)]
    compare(readers_of(shield, tmp_path), solution, positions, rng)


def test_the_comment_says_what_it_is(reference):
    """Should name scenario, variant, hash, requirement and assumption."""
    for form in ("c", "python"):
        head = render(replace(reference, variant="no-bypass"), form)[:2000]
        for words in ('"Reference segment"', 'variant "no-bypass"', f"sha256 {hashlib.sha256(PAPER.read_bytes()).hexdigest()}", "at most two destroys",
                      "at least three hosts are active", "winning position"):  # fmt: skip
            assert words in head


# -- Python and the documentation ---------------------------------------------------------------------


def test_python_needs_the_standard_library_only(reference, tmp_path):
    """Should run in an interpreter that knows no other package."""
    (tmp_path / "shield.py").write_text(render(reference, "python"), "ascii")
    code = "import shield, sys; print(len(shield.permitted(shield.INITIAL)), 'holdfast' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    solution = solve(load(PAPER))
    n_permitted = len(safe_actions(solution, solution.configuration.initial))
    assert done.stdout.split() == [str(n_permitted), "False"]


def test_python_refuses_what_is_not_a_position(reference):
    """Should raise ValueError with the reason."""
    module = InPython(render(reference, "python")).module
    start = module["INITIAL"]
    for broken in (
        start._replace(state=(5, 0, 0, 0, 0)), start._replace(state=(0, 0, 0, -1, 0)), start._replace(state=(0,)),
        start._replace(turn="nobody"), start._replace(q_defender=(0,)), start._replace(q_adversary=(9,)),
        start._replace(q_adversary=(-1,)),
    ):  # fmt: skip
        for question in ("is_winning", "permitted", "is_unsafe", "is_admissible"):
            with pytest.raises(ValueError, match="not a position"):
                module[question](broken)
    with pytest.raises(ValueError, match="no action 15"):
        module["move"](start, 15)
    with pytest.raises(ValueError, match="not a state"):
        module["observe"](start, 0, (0, 0))
    with pytest.raises(ValueError, match="every variable"):
        module["state"]({"GW": "C"})
    with pytest.raises(ValueError, match="version 1"):
        module["Shield"]({"holdfast_shield": 3})


def test_the_examples_of_the_guide_run(reference, tmp_path):
    """Should print what the guide's readers would see."""
    page = (ROOT / "docs" / "how-to" / "export-shield.md").read_text("utf-8")
    (tmp_path / "shield.c").write_text(render(reference, "c"), "ascii")
    (tmp_path / "shield.py").write_text(render(reference, "python"), "ascii")
    (tmp_path / "example.c").write_text(re.findall(r"```c\n(.*?)```", page, re.DOTALL)[0], "ascii")
    (tmp_path / "example.py").write_text(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], "ascii")
    subprocess.run(["cc", *STRICT, "example.c", "-o", "example"], cwd=tmp_path, check=True)
    in_c = subprocess.run(["./example"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    code = [sys.executable, "example.py"]
    in_python = subprocess.run(code, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    n_permitted, winning = in_python.split()
    assert in_c.splitlines()[0] == f"{n_permitted} permitted"
    assert len(in_c.splitlines()) == 1 + 25 - int(n_permitted) + 1
    assert in_c.splitlines()[-1] == ("still winning" if winning == "True" else "lost")
    assert f"{size(reference)['nodes']} nodes in {size(reference)['entries']} entries" in page


# -- the table ----------------------------------------------------------------------------------------


def test_arrays_and_diagrams_give_one_node():
    """Should reach the same reference for the same function, in any order of the variables."""
    rng = random.Random(5)
    x, y, z = Variable("x", range(3)), Variable("y", range(40)), Variable("z", range(16))
    for order in ((x, y, z), (z, x, y), (y, z, x)):
        diagrams = Diagrams(order)
        built = MultiValuedDiagrams(diagrams, (x, y, z), UNLIMITED, digit_bits=DIGIT_BITS)
        for _ in range(5):
            n = rng.randint(2, 4)
            answers = np.array([rng.randrange(n) if rng.random() < 0.2 else 0 for _ in range(3 * 40 * 16)])
            answers = answers.reshape(3, 40, 16)
            sets = [diagrams.false] * n
            for codes in np.argwhere(answers):
                k = answers[tuple(codes)]
                sets[k] |= diagrams.state(dict(zip("xyz", map(int, codes), strict=True)))
            listed = [*range(1, n), 0]
            assert built.decide(sets[1:], listed) == built.gather(answers)
        assert built.gather(np.zeros((3, 40, 16), int)) == ~0
        assert built.decide([diagrams.true], [3, 0]) == ~3
        layout = lay_out(built, [~0, ~7])
        assert (layout.nodes, layout.n_answers, layout.moved) == ((), 8, {~0: 0, ~7: 7})


def test_a_table_that_grows_too_large_is_a_limit(monkeypatch):
    """Should stop, undecided, and let whoever watches stop it too."""
    solution = solve(load(PAPER))
    monkeypatch.setattr(mdd, "MAX_ENTRIES", 100)
    with pytest.raises(LimitError, match="more than 100 entries"):
        flatten_shield(solution)

    def impatient(doing):
        raise LimitError("enough")

    with pytest.raises(LimitError, match="enough"):
        flatten_shield(solution, budget=watched(impatient))


def test_an_unknown_format_is_named(reference):
    """Should suggest the nearest."""
    with pytest.raises(InputError, match='did you mean "json"'):
        render(reference, "jsn")


# -- the command --------------------------------------------------------------------------------------


def command(*args):
    return holdfast("export-shield", *args)


@pytest.mark.parametrize("form", shield_formats())
def test_standard_output_is_the_shield_alone_and_always_the_same(form):
    """Should print the library's text under another hash seed, and the size to standard error."""
    done = fresh_holdfast(
        "export-shield", PAPER, "--format", form, env={**os.environ, "PYTHONHASHSEED": str(len(form))}
    )
    expected = render(flatten_shield(solve(load(PAPER))), form)
    assert hashlib.sha256(PAPER.read_bytes()).hexdigest() in expected
    assert (done.returncode, done.stdout) == (0, expected)
    assert f"{len(expected):,} bytes of {form}: 102 nodes" in done.stderr


def test_output_goes_to_a_file_whole_or_not_at_all(tmp_path):
    """Should replace the file, follow links, keep what was there on failure, and leave nothing beside."""
    out = tmp_path / "shield.json"
    link = tmp_path / "link.json"
    link.symlink_to(out)
    done = command(PAPER, "-f", "json", "-v", "no-bypass", "--output", link, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["file_bytes"] == out.stat().st_size
    assert (report["format"], report["blocks"], report["actions"]) == ("json", 8, 40)
    assert json.loads(out.read_text("ascii"))["variant"] == "no-bypass"
    assert link.is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "shield.json"]
    for place in (tmp_path / "nowhere" / "shield.c", tmp_path):
        done = command(PAPER, "-f", "c", "-o", place)
        assert done.returncode == 2
        assert done.stdout == ""
        assert f"error: {place}" in done.stderr and "folder" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "shield.json"]
    assert command(PAPER, "-f", "c", "-o", "/dev/full").returncode == 2


def test_the_scenario_is_not_overwritten(tmp_path):
    """Should refuse to write the shield over the file it was asked of, by whatever name."""
    mine = tmp_path / "mine.yaml"
    mine.write_bytes(PAPER.read_bytes())
    (tmp_path / "link.yaml").symlink_to(mine)
    for place in (mine, tmp_path / "link.yaml"):
        done = command(mine, "-f", "c", "-o", place)
        assert (done.returncode, done.stdout) == (2, "")
        assert "is already used by another option" in done.stderr
    assert mine.read_bytes() == PAPER.read_bytes()


def test_no_shield_without_a_defense(tmp_path):
    """Should exit 1, say why, and write nothing."""
    out = tmp_path / "shield.c"
    out.write_text("mine")
    done = command("scenarios/patrol-robot.yaml", "--variant", "strict", "--format", "c", "--output", out)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "not defensible" in done.stderr
    assert "holdfast explain scenarios/patrol-robot.yaml --variant strict" in done.stderr
    assert out.read_text() == "mine"
    done = command("scenarios/patrol-robot.yaml", "-f", "c", "-o", out, "--json")
    assert (done.returncode, json.loads(done.stdout)) == (1, {"defensible": False})


def test_limits_and_bad_usage(tmp_path):
    """Should exit 3 on a limit and 2 on what cannot be read."""
    assert command(PAPER, "--format", "c", "--timeout", "0").returncode == 3
    assert command(tmp_path / "none.yaml", "--format", "c").returncode == 2
    done = command(PAPER, "--format", "c", "--json")
    assert (done.returncode, done.stderr) == (2, "")
    assert "--json needs --output" in json.loads(done.stdout)["error"]


def test_a_named_clause_is_exported_with_its_formula():
    """Should write what was required, not what it is called."""
    named = scenario_from_text(
        "holdfast: 1\nnetwork: {hosts: [GW, DB], links: [GW -> DB], entry: GW}\n"
        "specs: {defender: [{name: the database lives, formula: G (DB != Z)}]}\n"
    )
    found = json.loads(export_shield(solve(configuration(named)), "json"))
    assert found["clauses"]["defender"][0]["formula"] == "G (DB != Z)"
