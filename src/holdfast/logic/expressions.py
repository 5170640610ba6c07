"""The one expression language of Holdfast: guards, labels, dominance and specifications.

An expression is a tree of frozen nodes. *Terms* are numbers, *predicates* are truth values of one
letter σ = (move, successor state), *formulas* add temporal operators and are truth values of a play.

Nodes refer to :class:`Variable` objects, so an expression carries the domains it needs and is
evaluated, compiled and printed without a symbol table. A variable's value is stored as its *code*,
the index into its domain; ``str(node)`` prints text that parses back to an equal tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from holdfast.errors import ModelError, expect, expect_all


class Player(StrEnum):
    """The owner of a move."""

    DEFENDER = "defender"
    ADVERSARY = "adversary"

    @property
    def opponent(self) -> Player:
        """The other player; turns alternate strictly."""
        return Player.ADVERSARY if self is Player.DEFENDER else Player.DEFENDER

    @classmethod
    def _missing_(cls, value: object) -> Player:
        raise ModelError(f'{value!r} is no player; expected "defender" or "adversary"')


Move = tuple[Player, str]
"""A player and the name of one of its actions; ``None`` stands for the initial letter."""

Value = str | int


@dataclass(frozen=True)
class Variable:
    """A named variable over a finite domain: symbols, or a range of integers.

    Raises:
        ModelError: for values that are neither.
    """

    name: str
    values: tuple[str, ...] | range

    def __post_init__(self) -> None:
        expect(self.name, str, "the name of a variable", 'text, such as "level"')
        if isinstance(self.values, range):
            return
        expected = 'a range of numbers or a tuple of names, such as range(10) or ("open", "shut")'
        expect_all(self.values, str, f'the values of "{self.name}"', expected)
        if len(set(self.values)) < len(self.values):
            raise ModelError(f'a value of "{self.name}" is listed twice: {self.shown}')
        object.__setattr__(self, "values", tuple(self.values))

    def __hash__(self) -> int:
        """By name alone: within one game a name is one variable, and expressions are hashed often."""
        return hash(self.name)

    @property
    def numeric(self) -> bool:
        """Whether the values are integers."""
        return isinstance(self.values, range)

    @property
    def shown(self) -> str:
        """The values, the first dozen of them, for messages."""
        first = ", ".join(map(str, self.values[:12]))
        return f"{first}, …" if len(self.values) > 12 else first

    def code(self, value: Value) -> int:
        """Index of ``value`` in the domain.

        Raises:
            ModelError: if it is not in it.
        """
        try:
            return self.values.index(value)  # type: ignore[arg-type]
        except ValueError:
            raise ModelError(f"{value!r} is no value of {self.name}; its values are {self.shown}") from None


_STATE = frozenset(("state",))


class Expression:
    """Base of all nodes.

    Attributes:
        contents: what occurs in the node or below it: the letters of temporal operators, ``times``, ``move``
            where the move just made is read and ``state`` where a variable is. Kept by every node, because
            it is asked at every level of a tree.
    """

    contents: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """The expression as text that parses back to an equal tree."""
        return _show(self, 0)


class _Composite(Expression):
    """Base of the nodes that are put together from others."""

    def __post_init__(self) -> None:
        """Gather what occurs below, beside what the kind of node says itself."""
        own = frozenset(self.op) if isinstance(self, Temporal) else type(self).contents
        object.__setattr__(self, "contents", own.union(*[child.contents for child in children(self)]))


@dataclass(frozen=True)
class _Unary(_Composite):
    of: Expression


@dataclass(frozen=True)
class _Joined(_Composite):
    args: tuple[Expression, ...]


@dataclass(frozen=True)
class _Binary(_Composite):
    left: Expression
    right: Expression


@dataclass(frozen=True)
class _Infix(_Composite):
    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Number(Expression):
    """A literal number."""

    value: Fraction


@dataclass(frozen=True)
class Symbol(Expression):
    """A literal value of a symbolic domain; only on the right of an assignment."""

    value: str


@dataclass(frozen=True)
class Truth(Expression):
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True)
class Read(Expression):
    """The value of a variable: a number, or, in an assignment, a symbol."""

    contents = _STATE
    variable: Variable


class Arithmetic(_Infix):
    """``left op right`` for op in ``+ - * /``."""


class Compare(_Infix):
    """``left op right`` for op in ``= != < <= > >=`` between terms."""


MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""Orders as they read with their sides exchanged."""


@dataclass(frozen=True)
class Count(Expression):
    """How many of the items hold: ``count(DB, BK in {X, D, Z})``.

    A model may count other predicates of one state, too. ``written`` is the inside of the bracket as text,
    where a group or a ``*`` stands for variables.
    """

    contents = _STATE
    items: tuple[Expression, ...]
    written: str = field(default="", compare=False, repr=False)


class Times(_Unary):
    """How often a predicate has held along the play so far: ``times(destroy)``."""

    contents = frozenset(("times",))


@dataclass(frozen=True)
class Member(Expression):
    """``variable in {values}``, the values in domain order."""

    contents = _STATE
    variable: Variable
    values: tuple[Value, ...]

    @property
    def codes(self) -> tuple[int, ...]:
        """Codes of the values."""
        return tuple(self.variable.code(value) for value in self.values)


@dataclass(frozen=True)
class Did(Expression):
    """The move just made is one of these; false on the initial letter."""

    contents = frozenset(("move",))
    text: str
    moves: frozenset[Move]


@dataclass(frozen=True)
class Label(Expression):
    """A predicate given as a table over the states of an array game."""

    contents = _STATE
    name: str
    variable: Variable
    mask: bytes = field(repr=False)


@dataclass(frozen=True)
class Lookup(Expression):
    """A term given as a table over the states of an array game."""

    contents = _STATE
    name: str
    variable: Variable
    values: tuple[Fraction, ...] = field(repr=False)


@dataclass(frozen=True)
class Defined(_Composite):
    """A named expression (``active``, or an entry of ``define:``); prints as its name."""

    name: str
    body: Expression


class Not(_Unary):
    """Negation."""


class And(_Joined):
    """Conjunction of two or more."""


class Or(_Joined):
    """Disjunction of two or more."""


class Implies(_Binary):
    """``left -> right``."""


class Iff(_Binary):
    """``left <-> right``."""


@dataclass(frozen=True)
class Temporal(_Composite):
    """A temporal operator: unary ``G X F Y O H`` or binary ``U W R S``, perhaps bounded.

    ``at`` is the operator's offset in the text it was parsed from, for error messages only.
    """

    op: str
    args: tuple[Expression, ...]
    bound: int | None = None
    at: int = field(default=-1, compare=False, repr=False)


PAST = frozenset("YOHS")
FUTURE = frozenset("GXFUWR")
UNARY = frozenset("GXFYOH")
BINARY = frozenset("UWRS")
BOUNDABLE = frozenset("GFUR")
_ALONG_THE_PLAY = PAST | FUTURE | {"times"}


def children(node: Expression) -> tuple[Expression, ...]:
    """The direct subexpressions of a node."""
    match node:
        case _Unary(of) | Defined(_, of):
            return (of,)
        case _Joined(args) | Temporal(_, args):
            return args
        case _Binary(left, right) | _Infix(_, left, right):
            return (left, right)
        case Count(items):
            return items
    return ()


def rebuild(node: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The node with ``change`` applied to its direct subexpressions; itself where none of them changes.

    A definition that changes is written out.

    >>> x = Member(Variable("x", range(3)), (0,))
    >>> str(rebuild(And((x, Truth(True))), lambda part: Not(part)))
    'x not in {0} & !true'
    """
    before = children(node)
    after = tuple(map(change, before))
    if after == before:
        return node
    match node:
        case Defined():
            return after[0]
        case Count():
            return replace(node, items=after)
        case _Unary():
            return replace(node, of=after[0])
        case _Joined() | Temporal():
            return replace(node, args=after)
        case _Binary() | _Infix():
            return replace(node, left=after[0], right=after[1])
    raise TypeError(f"{type(node).__name__} has no parts")


TRUE, FALSE = Truth(True), Truth(False)


def walk(node: Expression) -> Iterator[Expression]:
    """The node and everything below it, each before its children."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(children(top)))


def variables_of(node: Expression) -> set[Variable]:
    """The variables that an expression reads, through definitions too."""
    read = (getattr(part, "variable", None) for part in walk(node))
    return {variable for variable in read if isinstance(variable, Variable)}


def redefined(node: Expression, definitions: Mapping[str, Expression]) -> Expression:
    """The expression with other meanings of the definitions that it uses.

    >>> x = Variable("x", range(3))
    >>> low = Defined("low", Member(x, (0,)))
    >>> redefined(Not(low), {"low": Member(x, (0, 1))}) == Not(Defined("low", Member(x, (0, 1))))
    True
    """
    if isinstance(node, Defined):
        body = definitions.get(node.name, node.body)
        return node if body == node.body else Defined(node.name, body)
    return rebuild(node, lambda part: redefined(part, definitions)) if children(node) else node


def with_moves(node: Expression, moves: Callable[[str], frozenset[Move]]) -> Expression:
    """The expression, reading moves by the names that it has for them, where these mean other moves.

    >>> spread = (Player.ADVERSARY, "spread(a)"), (Player.ADVERSARY, "spread(b)")
    >>> with_moves(Did("spread", frozenset(spread[:1])), lambda name: frozenset(spread)).moves == {*spread}
    True
    """
    if isinstance(node, Did):
        meant = moves(node.text)
        return node if meant == node.moves else Did(node.text, meant)
    return rebuild(node, lambda part: with_moves(part, moves)) if children(node) else node


def writes_out(node: Expression, max_nodes: int, max_depth: int) -> bool:
    """Whether an expression, definitions written out, stays inside the limits; looks no further."""
    stack, n = [(node, 1)], 0
    while stack:
        top, depth = stack.pop()
        n += 1
        if n > max_nodes or depth > max_depth:
            return False
        stack += [(child, depth + 1) for child in children(top)]
    return True


def is_term(node: Expression) -> bool:
    """Whether the node denotes a number rather than a truth value."""
    if isinstance(node, Defined):
        return is_term(node.body)
    if isinstance(node, Read):
        return node.variable.numeric
    return isinstance(node, Number | Arithmetic | Count | Times | Lookup)


def is_local(node: Expression) -> bool:
    """Whether a single letter decides the node: no temporal operator and no ``times``."""
    return node.contents.isdisjoint(_ALONG_THE_PLAY)


def is_static(node: Expression) -> bool:
    """Whether a single state decides the node: local, and it does not read the move."""
    return node.contents <= {"state"}


def looks_ahead(node: Expression) -> bool:
    """Whether the node holds a future operator."""
    return not node.contents.isdisjoint(FUTURE)


def after_move(node: Expression, move: Move | None) -> Expression:
    """The local expression with its move predicates decided: a static expression."""
    match node:
        case Did(_, moves):
            return Truth(move in moves)
        case Defined(_, body):
            decided = after_move(body, move)
            return node if decided == body else decided
        case Not(of):
            return negation(after_move(of, move))
        case And(args):
            return conjunction(after_move(arg, move) for arg in args)
        case Or(args):
            return disjunction(after_move(arg, move) for arg in args)
        case Implies(left, right):
            return disjunction((negation(after_move(left, move)), after_move(right, move)))
        case Iff(left, right):
            one, other = after_move(left, move), after_move(right, move)
            for decided, rest in ((one, other), (other, one)):
                if isinstance(decided, Truth):
                    return rest if decided.value else negation(rest)
            return Iff(one, other)
    return node


def negation(node: Expression) -> Expression:
    """``!node``, without double negations or negated constants."""
    if isinstance(node, Truth):
        return Truth(not node.value)
    return node.of if isinstance(node, Not) else Not(node)


def conjunction(args: Iterable[Expression]) -> Expression:
    """``&`` of all arguments, flattened, without constants or repetitions."""
    return _join(And, args, TRUE, FALSE)


def disjunction(args: Iterable[Expression]) -> Expression:
    """``|`` of all arguments, flattened, without constants or repetitions."""
    return _join(Or, args, FALSE, TRUE)


def _join(kind: type[_Joined], args: Iterable[Expression], unit: Truth, zero: Truth) -> Expression:
    parts = (part for arg in args for part in (arg.args if isinstance(arg, kind) else (arg,)))
    flat = tuple(dict.fromkeys(part for part in parts if part != unit))
    return zero if zero in flat else unit if not flat else flat[0] if len(flat) == 1 else kind(flat)


def addends(node: Expression, scale: Fraction | int = 1) -> dict[Expression, Fraction]:
    """A term as a sum: what is added up, with its weight; ``Number(1)`` carries the constant.

    Sums, differences and constant factors are taken apart, everything else is left whole.

    Raises:
        ZeroDivisionError: for a division by the constant zero.

    >>> x, three = Read(Variable("x", range(9))), Number(Fraction(3))
    >>> summed = addends(Arithmetic("-", x, Arithmetic("/", Arithmetic("+", x, three), three)))
    >>> {str(part): str(weight) for part, weight in summed.items()}
    {'x': '2/3', '1': '-1'}
    """
    match node:
        case Defined(_, body):
            return addends(body, scale)
        case Number(value):
            return {Number(Fraction(1)): scale * value}
        case Arithmetic("+" | "-" as op, left, right):
            total = addends(left, scale)
            for part, weight in addends(right, scale if op == "+" else -scale).items():
                total[part] = total.get(part, Fraction(0)) + weight
            return total
        case Arithmetic("*", Number(value), other) | Arithmetic("*", other, Number(value)):
            return addends(other, scale * value)
        case Arithmetic("/", other, Number(value)):
            return addends(other, scale / value)
    return {node: Fraction(scale)}


def term_range(node: Expression) -> tuple[Fraction, Fraction]:
    """Least and greatest value a term can take, by interval arithmetic (an outer bound).

    Raises:
        ZeroDivisionError: when a divisor's interval contains zero.
    """
    match node:
        case Number(value):
            return value, value
        case Read(variable):
            assert isinstance(variable.values, range)
            return Fraction(variable.values[0]), Fraction(variable.values[-1])
        case Defined(_, body):
            return term_range(body)
        case Count(items):
            return Fraction(0), Fraction(len(items))
        case Lookup(_, _, values):
            return min(values), max(values)
        case Arithmetic(op, left, right):
            (a, b), (c, d) = term_range(left), term_range(right)
            if op == "+":
                return a + c, b + d
            if op == "-":
                return a - d, b - c
            if op == "/" and c <= 0 <= d:
                raise ZeroDivisionError
            ends = [x * y if op == "*" else x / y for x in (a, b) for y in (c, d)]
            return min(ends), max(ends)
    raise TypeError(f"not a bounded term: {node}")


def may_vanish(term: Expression) -> bool:
    """Whether a divisor might be zero: it is not bounded, or its bounds enclose zero."""
    if not is_local(term):
        return True
    low, high = term_range(term)
    return low <= 0 <= high


LEVELS = {"->": 1, "<->": 1, "|": 2, "&": 3, "+": 7, "-": 7, "*": 8, "/": 8}
"""How tightly an operator binds; U W R S stand at 4, prefix operators at 5, comparisons at 6."""


def _show_set(values: tuple[Value, ...]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


def _show(node: Expression, level: int) -> str:
    text, binding = _print(node)
    return text if binding >= level else f"({text})"


def _print(node: Expression) -> tuple[str, int]:
    """The text of a node and how tightly it binds."""
    match node:
        case Number(value):
            return _show_number(value)
        case Symbol(value) | Defined(value, _) | Did(value, _) | Label(value, _, _) | Lookup(value, _, _):
            return value, 9
        case Read(variable):
            return variable.name, 9
        case Truth(value):
            return str(value).lower(), 9
        case Count(items, written):
            return f"count({written or _show_items(items)})", 9
        case Times(of):
            return f"times({of})", 9
        case Member(variable, values) | Not(Member(variable, values)):
            no = isinstance(node, Not)
            if len(values) == 1 and not variable.numeric:
                return f"{variable.name} {'!=' if no else '='} {values[0]}", 6
            return f"{variable.name} {'not in' if no else 'in'} {_show_set(values)}", 6
        case Not(of):
            return f"!{_show_operand(of)}", 5
        case Compare(op, left, right):
            return f"{_show(left, 7)} {op} {_show(right, 7)}", 6
        case Arithmetic(op, left, right):
            binding = LEVELS[op]
            return f"{_show(left, binding)} {op} {_show(right, binding + 1)}", binding
        case And(args):
            return " & ".join(_show(arg, 4) for arg in args), 3
        case Or(args):
            return " | ".join(_show(arg, 3) for arg in args), 2
        case Implies(left, right) | Iff(left, right):
            return f"{_show(left, 2)} {'->' if isinstance(node, Implies) else '<->'} {_show(right, 1)}", 1
        case Temporal(op, args, bound):
            head = op if bound is None else f"{op}[<={bound}]"
            if len(args) == 1:
                return f"{head} {_show_operand(args[0])}", 5
            return f"{_show(args[0], 5)} {head} {_show(args[1], 4)}", 4
    raise TypeError(f"cannot print {type(node).__name__}")


def _show_operand(node: Expression) -> str:
    """Comparisons under a prefix operator are bracketed for the reader: ``G (active >= 3)``."""
    text, binding = _print(node)
    return text if binding >= 5 and binding != 6 else f"({text})"


def _show_number(value: Fraction) -> tuple[str, int]:
    level = 9 if value >= 0 else 8
    if value.denominator == 1:
        return str(value), level
    digits = next((d for d in range(1, 40) if (value * 10**d).denominator == 1), None)
    if digits is None:  # never a literal, only a computed constant
        return f"{value.numerator} / {value.denominator}", 8
    scaled = f"{abs(value * 10**digits).numerator:0{digits + 1}d}"
    return f"{'-' if value < 0 else ''}{scaled[:-digits]}.{scaled[-digits:]}", level


def _show_items(items: tuple[Expression, ...]) -> str:
    members = [item for item in items if isinstance(item, Member)]
    if len(members) < len(items):
        return ", ".join(map(str, items))
    if len({item.values for item in members}) == 1:
        names = ", ".join(item.variable.name for item in members)
        return f"{names} in {_show_set(members[0].values)}"
    return ", ".join(f"{item.variable.name} in {_show_set(item.values)}" for item in members)
