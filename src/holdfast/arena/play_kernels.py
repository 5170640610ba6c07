"""Games played on flattened diagrams, compiled by numba: moves, resets, masks and observations.

A game is a row of each array of a :class:`GameRows`: the codes of its state, the automaton states of its
clauses, and whose turn it is (0 the defender, 1 the adversary). Everything that is asked of it is a walk
down a multi-valued decision diagram (:mod:`holdfast.solver.mdd`): which effect an action has, which
code a variable gets, where an automaton goes, whether a position is winning, which value of μ a state has.

All of these diagrams and tables are one array of numbers, the *rules*, since what takes time is to hand
arrays around. It begins with the places listed in :data:`LAYOUT`, by name, and nodes come next. A diagram is
a root: ``~answer`` if it is below zero, otherwise the place of a node, which is 32 · variable + shift of the
digit that it tests, followed by a child for each digit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from holdfast.arena.play_rows import (
    NOTHING,
    SECOND,
    SPARE,
    THEIRS,
    Flags,
    GameRows,
    LearnerView,
    Memo,
    PositionTable,
    wide,
)
from holdfast.arrays import Floats, Int32s, Int64s

LAYOUT = (
    "n_actions", "n_requirements", "clause", "offset", "sink", "n_blocks", "winning", "width",
    "moves", "readings", "effect_first", "effect_variable", "effect_root", "n_steps", "steps", "level",
    "reset", "n_reset", "reset_variable", "reset_root", "start", "fresh", "language", "outcomes", "kept",
)  # fmt: skip
"""What stands at the head of the rules: counts, roots, and where each table begins.

``n_actions``, ``winning``, ``moves``, ``readings`` and ``outcomes`` have a row for each player; ``width`` is
the padded number of actions. ``outcomes`` says of the first outcome of each choice how many it has, and 0 of
the others: a choice goes by the number of its first. ``steps`` and ``fresh`` have a column for each state of
each automaton, clause after clause, and ``clause`` says where each begins, ``start`` which is its initial
one; ``fresh`` is what it reads when an engagement starts.
"""

(
    N_ACTIONS, N_REQUIREMENTS, CLAUSE, OFFSET, SINK, N_BLOCKS, WINNING, WIDTH,
    MOVES, READINGS, EFFECT_FIRST, EFFECT_VARIABLE, EFFECT_ROOT, N_STEPS, STEPS, LEVEL,
    RESET, N_RESET, RESET_VARIABLE, RESET_ROOT, START, FRESH, LANGUAGE, OUTCOMES, KEPT,
) = range(len(LAYOUT))  # fmt: skip

SHIELD, LEGAL, NONE = range(3)
"""What a mask leaves: Safe(v); Λ(v); every action of the mover."""

MOVED, RESTED, VIOLATED, FORFEITED = range(4)
"""What came of a move."""

IMPOSSIBLE, POSSIBLE, REFUSED = range(3)
"""What can be said of an engagement reset."""

UNCHANGED, UNAVAILABLE = 0, 1
"""Effects of an action that change nothing."""

ASKED = -2
"""In place of where a reset leads: it can happen, and has yet to be asked for."""

ALL_MOVES, NO_MOVE = -1, -2
"""In place of a move that was chosen."""

SHIELDED = wide(SHIELD)


@njit(cache=True, nogil=True)
def copy(rows: Int32s, i: int, after: Int32s, j: int) -> None:
    """Row i as row j: by hand, since compiled slices first look whether they overlap."""
    for k in range(rows.shape[1]):
        after[j, k] = rows[i, k]


@njit(cache=True, nogil=True)
def fill(rows: Flags, i: int, n: int) -> None:
    """Ones in row i up to n, then zeros."""
    for k in range(rows.shape[1]):
        rows[i, k] = k < n


# -- one position, row i -------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def walk(rules: Int32s, root: int, codes: Int32s, i: int) -> int:
    """The answer of a diagram in a state."""
    while root >= 0:
        test = rules[root]
        root = rules[root + 1 + (codes[i, test >> 5] >> (test & 31) & 15)]
    return ~root


@njit(cache=True, nogil=True)
def is_admissible(rules: Int32s, automata: Int32s, i: int) -> bool:
    """Whether φ_A accepts."""
    for c in range(rules[N_REQUIREMENTS], automata.shape[1]):
        if rules[rules[OFFSET] + rules[rules[CLAUSE] + c] + automata[i, c]] < 0:
            return False
    return True


@njit(cache=True, nogil=True)
def block(rules: Int32s, automata: Int32s, i: int) -> int:
    """The number of the block of automaton states; −1 where the requirement is violated."""
    number, n_requirements = 0, rules[N_REQUIREMENTS]
    for c in range(n_requirements):
        offset = rules[rules[OFFSET] + rules[rules[CLAUSE] + c] + automata[i, c]]
        if offset < 0:
            return -1
        number += offset
    if not is_admissible(rules, automata, i):
        return number + int(rules[SINK])
    for c in range(n_requirements, automata.shape[1]):
        number += rules[rules[OFFSET] + rules[rules[CLAUSE] + c] + automata[i, c]]
    return number


@njit(cache=True, nogil=True)
def is_winning(rules: Int32s, codes: Int32s, automata: Int32s, i: int, turn: int) -> bool:
    """Whether v ∈ W."""
    number = block(rules, automata, i)
    if number < 0:
        return False
    root = rules[rules[WINNING] + turn * rules[N_BLOCKS] + number]
    return walk(rules, root, codes, i) == 1


@njit(cache=True, nogil=True)
def effect_of(rules: Int32s, codes: Int32s, i: int, turn: int, action: int) -> int:
    """The number of the effect that an action has in a state."""
    effect: int = walk(rules, rules[rules[MOVES] + turn * rules[WIDTH] + action], codes, i)
    return effect


@njit(cache=True, nogil=True)
def reading_of(rules: Int32s, turn: int, action: int) -> int:
    """What an action is to the automata."""
    reading: int = rules[rules[READINGS] + turn * rules[WIDTH] + action]
    return reading


@njit(cache=True, nogil=True)
def n_outcomes(rules: Int32s, turn: int, action: int) -> int:
    """How many outcomes the choice has that begins with an action; 0 where none does."""
    number: int = rules[rules[OUTCOMES] + turn * rules[WIDTH] + action]
    return number


@njit(cache=True, nogil=True)
def apply(rules: Int32s, codes: Int32s, i: int, effect: int, after: Int32s, j: int) -> None:
    """Write into row j the state after an effect."""
    copy(codes, i, after, j)
    for e in range(rules[rules[EFFECT_FIRST] + effect], rules[rules[EFFECT_FIRST] + effect + 1]):
        root = rules[rules[EFFECT_ROOT] + e]
        after[j, rules[rules[EFFECT_VARIABLE] + e]] = walk(rules, root, codes, i)


@njit(cache=True, nogil=True)
def read(rules: Int32s, reading: int, automata: Int32s, i: int, after: GameRows, j: int) -> None:
    """Write into row j where the automata go from row i by reading the state in row j."""
    row = rules[STEPS] + reading * rules[N_STEPS]
    for c in range(automata.shape[1]):
        root = rules[row + rules[rules[CLAUSE] + c] + automata[i, c]]
        after.automata[j, c] = walk(rules, root, after.codes, j)


@njit(cache=True, nogil=True)
def mask(
    rules: Int32s, games: GameRows, i: int, kind: int, known: Flags, after: GameRows, out: Flags, o: int
) -> int:
    """Write into row o which choices a mask leaves to the mover of game i, and count them.

    A choice is left where each of its outcomes is. Moves that leave the state as it is and look alike to the
    automata come to the same; ``known`` has room for an answer for each such class, ``after`` a row to spare.
    An admissible move of the adversary does not leave W.
    """
    codes, automata, turn = games.codes, games.automata, games.turn[i]
    n: int = rules[rules[N_ACTIONS] + turn]
    fill(out, o, n)
    if (kind == SHIELD and not is_winning(rules, codes, automata, i, turn)) or (
        kind != NONE and turn == 1 and not is_admissible(rules, automata, i)
    ):
        fill(out, o, NOTHING)
        return 0
    for k in range(len(known)):
        known[k] = -1
    count = 0
    for action in range(n):
        n_drawn = n_outcomes(rules, turn, action)
        if n_drawn == 0:
            out[o, action] = 0
        for outcome in range(action, action + (n_drawn if kind != NONE else 0)):
            effect, reading = effect_of(rules, codes, i, turn, outcome), reading_of(rules, turn, outcome)
            if effect == UNAVAILABLE:
                out[o, action] = 0
            elif effect == UNCHANGED and known[reading] >= 0:
                out[o, action] &= known[reading]
            else:
                apply(rules, codes, i, effect, after.codes, SPARE)
                read(rules, reading, automata, i, after, SPARE)
                if turn == 1:
                    kept = is_admissible(rules, after.automata, SPARE)
                else:
                    kept = kind == LEGAL or is_winning(rules, after.codes, after.automata, SPARE, THEIRS)
                out[o, action] &= kept
                if effect == UNCHANGED:
                    known[reading] = kept
        count += out[o, action]
    return count


# -- all games -----------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def slot_of(games: GameRows, i: int, size: int) -> int:
    """Where the position of game i is remembered."""
    place = int(games.turn[i])
    for v in range(games.codes.shape[1]):
        place = (place * 31 + games.codes[i, v]) & 0x7FFFFFFF
    for c in range(games.automata.shape[1]):
        place = (place * 31 + games.automata[i, c]) & 0x7FFFFFFF
    return place % size


@njit(cache=True, nogil=True)
def is_same(games: GameRows, i: int, others: GameRows, j: int) -> bool:
    """Whether two rows are the same position."""
    if games.turn[i] != others.turn[j]:
        return False
    for v in range(games.codes.shape[1]):
        if games.codes[i, v] != others.codes[j, v]:
            return False
    for c in range(games.automata.shape[1]):  # noqa: SIM110 - compiled, a loop costs least
        if games.automata[i, c] != others.automata[j, c]:
            return False
    return True


@njit(cache=True, nogil=True)
def masks(
    rules: Int32s,
    games: GameRows,
    chosen: Flags,
    kind: int,
    memo: Memo,
    after: GameRows,
    out: Flags,
    counts: Int32s,
) -> None:
    """Write the masks of the chosen games and how many actions each leaves."""
    known = memo.games
    for i in range(len(games.turn)):
        if not chosen[i]:
            continue
        slot = slot_of(games, i, len(known.turn))
        if not is_same(games, i, known, slot):
            memo.n_left[slot] = mask(rules, games, i, kind, memo.alike, after, memo.mask, slot)
            copy(games.codes, i, known.codes, slot)
            copy(games.automata, i, known.automata, slot)
            known.turn[slot] = games.turn[i]
        counts[i] = memo.n_left[slot]
        for action in range(out.shape[1]):
            out[i, action] = memo.mask[slot, action]


@njit(cache=True, nogil=True)
def advance(
    rules: Int32s,
    games: GameRows,
    chosen: Flags,
    actions: Int32s,
    permitted: Flags,
    resting: Flags,
    upto: Floats,
    uniform: Floats,
    after: GameRows,
    out: Flags,
) -> None:
    """Make a move in each of the chosen games, and write what came of it.

    A game where the adversary is out of moves rests, whatever its action. An action that is not in the mask,
    or not in Λ(v), is forfeited: the game stays as it is. The outcome of a choice that has several is the
    first up to which ``upto``, a row for each player, is above the number from 0 to 1 drawn for the game.
    """
    codes, automata = games.codes, games.automata
    for i in range(len(games.turn)):
        if not chosen[i]:
            continue
        turn, action = games.turn[i], actions[i]
        if resting[i]:
            out[i] = RESTED
            continue
        out[i] = FORFEITED
        if not 0 <= action < permitted.shape[1] or not permitted[i, action]:
            continue
        if n_outcomes(rules, turn, action) > 1:
            while uniform[i] >= upto[turn, action]:
                action += 1
        effect = effect_of(rules, codes, i, turn, action)
        if effect == UNAVAILABLE:
            continue
        apply(rules, codes, i, effect, after.codes, SPARE)
        read(rules, reading_of(rules, turn, action), automata, i, after, SPARE)
        if turn == 1 and not is_admissible(rules, after.automata, SPARE):
            continue
        copy(after.codes, SPARE, codes, i)
        copy(after.automata, SPARE, automata, i)
        games.turn[i] = 1 - turn
        out[i] = MOVED if block(rules, automata, i) >= 0 else VIOLATED


@njit(cache=True, nogil=True)
def blocks(rules: Int32s, automata: Int32s, out: npt.NDArray[np.int64]) -> None:
    """Write the number of each game's block; −1 where the requirement is violated."""
    for i in range(len(out)):
        out[i] = block(rules, automata, i)


@njit(cache=True, nogil=True)
def levels(rules: Int32s, codes: Int32s, out: Int32s) -> None:
    """Write which of the values of μ each state has."""
    for i in range(len(out)):
        out[i] = walk(rules, rules[LEVEL], codes, i)


@njit(cache=True, nogil=True)
def restart(rules: Int32s, games: GameRows, chosen: Flags, after: GameRows, out: Flags) -> None:
    """Look, in the chosen games, whether an engagement reset can happen, and write that.

    ``after`` gets the position that each would lead to. It is refused where it would lead out of W, or erase
    what φ_D remembers: where reading the new state is not the same as starting again there. Where that is
    kept, its clauses go on from where they are.
    """
    for i in range(len(games.turn)):
        out[i] = IMPOSSIBLE
        if not chosen[i] or walk(rules, rules[RESET], games.codes, i) == 0:
            continue
        copy(games.codes, i, after.codes, i)
        for e in range(rules[N_RESET]):
            root = rules[rules[RESET_ROOT] + e]
            after.codes[i, rules[rules[RESET_VARIABLE] + e]] = walk(rules, root, games.codes, i)
        out[i] = POSSIBLE if is_winning(rules, games.codes, games.automata, i, games.turn[i]) else REFUSED
        for c in range(games.automata.shape[1]):
            first = rules[rules[CLAUSE] + c]
            q = walk(rules, rules[rules[FRESH] + rules[rules[START] + c]], after.codes, i)
            remembered = walk(rules, rules[rules[FRESH] + first + games.automata[i, c]], after.codes, i)
            after.automata[i, c] = q
            if rules[KEPT] and c < rules[N_REQUIREMENTS]:
                after.automata[i, c] = remembered
                continue
            own = rules[LANGUAGE] + first
            if c < rules[N_REQUIREMENTS] and rules[own + remembered] != rules[own + q]:
                out[i] = REFUSED
        if not is_winning(rules, after.codes, after.automata, i, games.turn[i]):
            out[i] = REFUSED


@njit(cache=True, nogil=True)
def put(games: GameRows, after: GameRows, chosen: Flags) -> None:
    """Take over the chosen rows of other positions; turns stay."""
    for i in range(len(games.turn)):
        if chosen[i]:
            copy(after.codes, i, games.codes, i)
            copy(after.automata, i, games.automata, i)


@njit(cache=True, nogil=True)
def drawn(permitted: Flags, counts: Int32s, uniform: Floats, out: Int32s) -> None:
    """Write for each game one of its permitted actions, by a number from 0 to 1; 0 where there is none."""
    for i in range(len(out)):
        out[i] = 0
        left = int(uniform[i] * counts[i])
        for action in range(permitted.shape[1]):
            if permitted[i, action]:
                if left == 0:
                    out[i] = action
                    break
                left -= 1


@njit(cache=True, nogil=True)
def greedy(
    rules: Int32s,
    mu: Floats,
    upto: Floats,
    games: GameRows,
    chosen: Flags,
    permitted: Flags,
    alike: Flags,
    after: GameRows,
    out: Int32s,
) -> None:
    """Write the adversary's choice that leaves the fewest permitted replies, then the least μ, then the
    first; both in the mean, where its outcome is drawn.

    ``after`` has two rows to spare, the defender to move in the second.
    """
    row, seen = np.empty((1, permitted.shape[1]), dtype=np.int8), np.empty(len(alike), dtype=np.int8)
    for i in range(len(games.turn)):
        if not chosen[i]:
            continue
        fewest, lowest = permitted.shape[1] + 1.0, 2.0
        seen[:] = 0
        for action in range(permitted.shape[1]):
            if not permitted[i, action]:
                continue
            n, value, below, n_drawn = 0.0, 0.0, 0.0, n_outcomes(rules, THEIRS, action)
            if n_drawn == 1 and effect_of(rules, games.codes, i, THEIRS, action) == UNCHANGED:
                reading = reading_of(rules, THEIRS, action)
                if seen[reading]:
                    continue
                seen[reading] = 1
            for outcome in range(action, action + n_drawn):
                share = upto[THEIRS, outcome] - below
                below = upto[THEIRS, outcome]
                effect = effect_of(rules, games.codes, i, THEIRS, outcome)
                apply(rules, games.codes, i, effect, after.codes, SECOND)
                read(rules, reading_of(rules, THEIRS, outcome), games.automata, i, after, SECOND)
                n += share * mask(rules, after, SECOND, SHIELDED, alike, after, row, SPARE)
                value += share * mu[walk(rules, rules[LEVEL], after.codes, SECOND)]
            if n < fewest or (n == fewest and value < lowest):
                fewest, lowest, out[i] = n, value, action


# -- positions met one after the other -----------------------------------------------------------------


@njit(cache=True, nogil=True)
def is_same_state(codes: Int32s, i: int, others: Int32s, j: int) -> bool:
    """Whether two rows have the same codes."""
    for v in range(codes.shape[1]):  # noqa: SIM110 - compiled, a loop costs least
        if codes[i, v] != others[j, v]:
            return False
    return True


@njit(cache=True, nogil=True)
def state_slot(codes: Int32s, i: int, games: GameRows, slots: Int32s) -> int:
    """Where a position with the state of row i is found by its hash, or the empty place for it."""
    place = 0
    for v in range(codes.shape[1]):
        place = (place * 31 + codes[i, v]) & 0x7FFFFFFF
    place %= len(slots)
    while slots[place] >= 0 and not is_same_state(codes, i, games.codes, slots[place]):
        place = (place + 1) % len(slots)
    return place


@njit(cache=True, nogil=True)
def position_slot(rows: GameRows, i: int, games: GameRows, slots: Int32s) -> int:
    """Where the position of row i is found by its hash, or the empty place for it."""
    place = slot_of(rows, i, len(slots))
    while slots[place] >= 0 and not is_same(rows, i, games, slots[place]):
        place = (place + 1) % len(slots)
    return place


@njit(cache=True, nogil=True)
def rehash(table: PositionTable) -> None:
    """Fill empty slots with the positions that there are, and with their states."""
    for v in range(table.sizes[0]):
        table.slots[0][position_slot(table.games, v, table.games, table.slots[0])] = v
        place = state_slot(table.games.codes, v, table.games, table.slots[1])
        if table.slots[1][place] < 0:
            table.slots[1][place] = v


@njit(cache=True, nogil=True)
def enter(rules: Int32s, table: PositionTable, view: LearnerView) -> int:
    """The number of the spare position, which is entered with its moves if it is new; in U there are none."""
    games, spare = table.games, table.spare
    here: int = table.sizes[0]
    if not is_admissible(rules, spare.automata, SPARE):
        for c in range(len(table.sink)):
            spare.automata[0, rules[N_REQUIREMENTS] + c] = table.sink[c]
    slot = position_slot(spare, SPARE, games, table.slots[0])
    known: int = table.slots[0][slot]
    if known >= 0:
        return known
    place = state_slot(spare.codes, SPARE, games, table.slots[1])
    copy(spare.codes, SPARE, games.codes, here)
    copy(spare.automata, SPARE, games.automata, here)
    turn = games.turn[here] = spare.turn[0]
    table.slots[0][slot] = here
    if table.slots[1][place] < 0:
        table.slots[1][place], table.holder[table.sizes[1]], table.state[here] = here, here, table.sizes[1]
        table.sizes[1] += 1
    else:
        table.state[here] = table.state[table.slots[1][place]]
    level = walk(rules, rules[LEVEL], games.codes, here)
    view.mu[here] = table.levels[0][level]
    view.gain[here] = table.levels[1][level] if turn == 1 else -table.levels[1][level]
    table.sizes[0] += 1
    view.first[table.sizes[0]], view.reset[here] = table.sizes[2], -1
    if table.kind != SHIELD and block(rules, games.automata, here) < 0:
        return here
    view.reset[here] = ASKED if walk(rules, rules[RESET], games.codes, here) else -1
    mask(rules, games, here, table.kind, table.alike, spare, table.mask, SPARE)
    n_first = rules[rules[N_ACTIONS]]
    row = table.state[here] * (n_first + rules[rules[N_ACTIONS] + 1]) + (n_first if turn == 1 else 0)
    for choice in range(table.mask.shape[1]):
        n_drawn = n_outcomes(rules, turn, choice) if table.mask[0, choice] else 0
        for action in range(choice, choice + n_drawn):
            move = table.sizes[2]
            table.action[move], view.entry[move], view.successor[move] = action, row + action, -1
            if len(table.draws.outcomes):
                table.draws.outcomes[move] = n_drawn if action == choice else 0
                table.draws.upto[move] = table.upto[turn, action]
            table.sizes[2] += 1
    view.first[table.sizes[0]] = table.sizes[2]
    return here


@njit(cache=True, nogil=True)
def discover(rules: Int32s, table: PositionTable, view: LearnerView, v: int, move: int) -> int:
    """Fill in the successor of one move, made at position v, and say it.

    If the move leaves the state as it is, so do most others; those that look alike to the automata lead to
    the same position and are filled in with it.
    """
    codes, automata, turn = table.games.codes, table.games.automata, table.games.turn[v]
    effect, reading = (
        effect_of(rules, codes, v, turn, table.action[move]),
        reading_of(rules, turn, table.action[move]),
    )
    apply(rules, codes, v, effect, table.spare.codes, SPARE)
    read(rules, reading, automata, v, table.spare, SPARE)
    table.spare.turn[0] = 1 - turn
    number = enter(rules, table, view)
    view.successor[move] = number
    for other in range(view.first[v], view.first[v + 1] if effect == UNCHANGED else view.first[v]):
        action = table.action[other]
        if (
            reading_of(rules, turn, action) == reading
            and effect_of(rules, codes, v, turn, action) == UNCHANGED
        ):
            view.successor[other] = number
    return number


@njit(cache=True, nogil=True)
def discover_rows(
    rules: Int32s, table: PositionTable, view: LearnerView, v: int, chosen: Int64s, first: int
) -> int:
    """Fill in successors from position v on, and say which position is the next.

    ``chosen`` has the move of each position from ``first`` on, or :data:`ALL_MOVES`, or :data:`NO_MOVE`; of
    a choice that has several outcomes, the first, and all are filled in.
    It stops early, at a position that is not finished, where there is no room for one more, and where a reset
    has to be asked for at the position that was entered last.
    """
    while v < first + len(chosen):
        choice = chosen[v - first]
        low, high = (view.first[v], view.first[v + 1]) if choice == ALL_MOVES else (choice, choice + 1)
        if choice >= 0 and len(table.draws.outcomes):
            high = choice + table.draws.outcomes[choice]
        for move in range(low, high if choice != NO_MOVE else low):
            if view.successor[move] < 0:
                if table.sizes[0] + 1 >= len(table.state) or table.sizes[2] + table.mask.shape[1] > len(
                    table.action
                ):
                    return v
                number = discover(rules, table, view, v, move)
                if view.reset[number] == ASKED:
                    return v
        v += 1
    return v
