"""Readers of exported shields, one for each format, and positions to ask them about."""

from __future__ import annotations

import json
import subprocess

from holdfast.game.configuration import Position, admissible_moves, move
from holdfast.logic.expressions import Player
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import is_winning

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic",
          "-Wconversion", "-Wshadow", "-Wmissing-prototypes"]  # fmt: skip
TURNS = (Player.DEFENDER, Player.ADVERSARY)


def arbitrary(subject, rng):
    """Any position at all."""
    return Position(
        tuple(rng.randrange(n) for n in subject.game.shape),
        rng.choice(TURNS),
        *(tuple(rng.randrange(a.n_states) for a in side) for side in (subject.defender, subject.adversary)),
    )


def played(solution, rng, n):
    """Positions along plays, the defender now and then straying from the shield."""
    subject, found = solution.configuration, []
    position = subject.initial
    while len(found) < n:
        found.append(position)
        kept = safe_actions(solution, position) if rng.random() < 0.8 else ()
        moves = admissible_moves(subject, position)
        choice = kept or tuple(moves)
        position = moves[rng.choice(choice)] if choice and rng.random() < 0.97 else subject.initial
    return found


class InPython:
    """The generated module, in a namespace of its own."""

    def __init__(self, text):
        self.module = {"__name__": "shield"}
        exec(compile(text, "shield.py", "exec"), self.module)

    def answers(self, questions):
        for kind, position, action, state in questions:
            if kind == "p":
                yield self.module["is_winning"](position), self.module["permitted"](position)
            elif kind == "m":
                yield self.module["move"](position, action)
            else:
                yield self.module["observe"](position, action, state)


class InC:
    """The generated program, asked in one run."""

    def __init__(self, text, folder, *flags):
        self.program = folder / "shield"
        source = folder / "shield.c"
        source.write_text(text, "ascii")
        subprocess.run(["cc", *STRICT, "-DHF_MAIN", *flags, str(source), "-o", str(self.program)], check=True)

    def answers(self, questions):
        lines = []
        for kind, position, action, state in questions:
            head = {"p": [], "m": [action], "o": [action, *(state or ())]}[kind]
            lines.append(" ".join(map(str, [kind, *head, *numbers(position)])))
        done = subprocess.run(
            [str(self.program)],
            input="\n".join(lines),
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert done.stderr == ""
        answers = done.stdout.splitlines()
        for (kind, position, *_), line in zip(questions, answers, strict=True):
            if kind == "p":
                winning, *permitted = map(int, line.split())
                yield bool(winning), tuple(permitted)
            else:
                yield None if line == "?" else positioned(list(map(int, line.split())), position)


def numbers(position):
    return [TURNS.index(position.turn), *position.state, *position.q_defender, *position.q_adversary]


def positioned(listed, like):
    n, d = len(like.state), len(like.q_defender)
    rest = listed[1:]
    return Position(tuple(rest[:n]), TURNS[listed[0]], tuple(rest[n : n + d]), tuple(rest[n + d :]))


class InJson:
    """A decoder written from docs/how-to/export-shield.md alone."""

    def __init__(self, text):
        self.j = json.loads(text)

    def at(self, r, state):
        j = self.j
        while r >= j["n_answers"]:
            p = r - j["n_answers"]
            variable, divisor, n_children = j["tests"][j["nodes"][p]]
            digit = state[variable] // divisor % 16
            assert digit < n_children
            r = j["nodes"][p + 1 + digit]
        return r

    def offsets(self, side, qs):
        return [clause["offset"][q] for clause, q in zip(self.j["clauses"][side], qs, strict=True)]

    def winning(self, v):
        mine, theirs = self.offsets("defender", v.q_defender), self.offsets("adversary", v.q_adversary)
        if -1 in mine:
            return False
        block = sum(mine) + (self.j["sink"] if -1 in theirs else sum(theirs))
        return self.at(self.j["winning"][v.turn][block], v.state) == 1

    def read(self, v, action, after):
        row, qs = self.j["steps"][self.j["readings"][v.turn][action]], []
        for side, side_qs in (("defender", v.q_defender), ("adversary", v.q_adversary)):
            for clause, q in zip(self.j["clauses"][side], side_qs, strict=True):
                roots, row = row[: len(clause["states"])], row[len(clause["states"]) :]
                qs.append(self.at(roots[q], after))
        n = len(v.q_defender)
        return Position(
            after, {"defender": "adversary", "adversary": "defender"}[v.turn], tuple(qs[:n]), tuple(qs[n:])
        )

    def move(self, v, action):
        effect = self.at(self.j["moves"][v.turn][action], v.state)
        if effect == 1:
            return None
        after = list(v.state)
        for variable, root in self.j["effects"][effect]:
            after[variable] = self.at(root, v.state)
        return self.read(v, action, tuple(after))

    def permitted(self, v):
        actions = range(len(self.j["actions"][v.turn]))
        if v.turn == "defender" and self.j["holdfast_shield"] == 2:
            outcomes = [[a for a in actions if self.j["choices"][a] == action] for action in actions]
        else:
            outcomes = [[action] for action in actions]
        for action in actions if self.winning(v) else ():
            if outcomes[action] and all(self.stays(v, outcome) for outcome in outcomes[action]):
                yield action

    def stays(self, v, action):
        after = self.move(v, action)
        if after is None or not self.winning(after):
            return False
        return v.turn == "defender" or -1 not in self.offsets("adversary", after.q_adversary)

    def answers(self, questions):
        for kind, position, action, state in questions:
            if kind == "p":
                yield self.winning(position), tuple(self.permitted(position))
            elif kind == "m":
                yield self.move(position, action)
            else:
                yield self.read(position, action, state)


def asked(solution, positions, rng):
    """Questions of every kind, with the library's answers."""
    subject = solution.configuration
    for position in positions:
        yield ("p", position, 0, None), (is_winning(solution, position), safe_actions(solution, position))
        n_actions = len(subject.game.actions[position.turn])
        if n_actions:
            action = rng.randrange(n_actions)
            yield ("m", position, action, None), move(subject, position, action)
            state = arbitrary(subject, rng).state
            yield ("o", position, action, state), observed(subject, position, action, state)


def observed(subject, position, action, state):
    """The definition: both automata read the letter (action, state)."""
    letter = position.turn, subject.game.actions[position.turn][action].choice
    codes = subject.game.codes(state)
    qs = [
        tuple(a.read(q, codes, letter) for a, q in zip(side, own, strict=True))
        for side, own in ((subject.defender, position.q_defender), (subject.adversary, position.q_adversary))
    ]
    return Position(state, position.turn.opponent, *qs)


def compare(readers, solution, positions, rng):
    """Hold every reader to the library; returns how many positions were winning."""
    pairs = list(asked(solution, positions, rng))
    questions = [question for question, _ in pairs]
    for reader in readers:
        for (question, expected), found in zip(pairs, reader.answers(questions), strict=True):
            assert found == expected, (type(reader).__name__, question)
    return sum(expected[0] for (kind, *_), expected in pairs if kind == "p")
