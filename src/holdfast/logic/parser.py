"""Text to expressions: one precedence-climbing parser for guards, terms and formulas.

Binding, loosest first, with Spot's order for the temporal part::

    ->  <->   (right)      |  or        &  and        U  W  R  S   (right)
    !  not  G  X  F  Y  O  H             =  !=  <  <=  >  >=  in  not in
    +  -                   *  /

The letters of the temporal operators are not reserved: in ``X in {C}`` or ``DB = X`` the ``X`` is a
name, because an operator cannot stand there. Names are resolved while parsing, so that every
mistake has a place in the text and the closest known name can be offered.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from fractions import Fraction

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import FormulaError, did_you_mean
from holdfast.logic import expressions as ex
from holdfast.logic.expressions import Expression, Player, Value, Variable
from holdfast.logic.tallies import Tally, added, spelled_short
from holdfast.logic.vocabulary import Token, Vocabulary, scan

MAX_DEPTH = 100
MAX_NODES = 20_000
MAX_WRITTEN = 200_000

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


def parse_formula(text: str, vocabulary: Vocabulary, budget: Budget = UNLIMITED) -> Expression:
    """Parse a specification clause.

    >>> vocabulary = Vocabulary((Variable("DB", ("C", "X")), Variable("level", range(0, 10))))
    >>> str(parse_formula("G !(DB in {X} and level >= 3)", vocabulary))
    'G !(DB = X & level >= 3)'

    Raises:
        FormulaError: with a caret under the offending token.
    """
    parser = _Parser(text, vocabulary, budget)
    return parser.finish(parser.truth(parser.expression(0), 0))


def parse_predicate(text: str, vocabulary: Vocabulary, budget: Budget = UNLIMITED) -> Expression:
    """Parse a guard or label: a truth value of one letter, without temporal operators."""
    node = parse_formula(text, vocabulary, budget)
    if not ex.is_local(node):
        at = next((part.at for part in ex.walk(node) if isinstance(part, ex.Temporal)), text.find("times"))
        problem = "a guard looks at one moment; temporal operators and times(...) belong in specs"
        raise FormulaError(problem, text, at)
    return spelled_short(node, vocabulary.tallies)


def parse_term(text: str, vocabulary: Vocabulary, budget: Budget = UNLIMITED) -> Expression:
    """Parse a number-valued expression, such as a dominance function."""
    parser = _Parser(text, vocabulary, budget)
    node = parser.finish(parser.term(parser.expression(0), 0))
    if not ex.is_local(node):
        raise FormulaError("times(...) belongs in specs, not in a term of the model", text, 0)
    return node


def parse_value(
    text: str, variable: Variable, vocabulary: Vocabulary, budget: Budget = UNLIMITED
) -> Expression:
    """Parse the right side of an assignment: a value of the domain, a variable, or a number."""
    word = text.strip()
    if not variable.numeric:
        if word in variable.values:
            return ex.Symbol(word)
        other = vocabulary.by_name.get(word)
        if other is not None and not other.numeric and set(other.values) <= set(variable.values):
            return ex.Read(other)
        hint = did_you_mean(word, map(str, variable.values[:100]))
        problem = f'"{word}" is not a value of {variable.name} ({variable.shown}){hint}'
        raise FormulaError(problem, text, text.rfind(word), len(word))
    return parse_term(text, vocabulary, budget)


class _Parser:
    """Cursor over the tokens of one text."""

    def __init__(self, text: str, vocabulary: Vocabulary, budget: Budget) -> None:
        self.text, self.vocabulary, self.budget = text, vocabulary, budget
        self.tokens, self.here, self.depth, self.operations = list(scan(text, vocabulary)), 0, 0, 0
        self.fitting: set[str] = set()  # names whose definitions have been found to be short enough

    # -- cursor ---------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.here]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.here + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.token
        self.here += token.kind != "end"
        return token

    def accept(self, *texts: str) -> bool:
        if self.token.kind == "op" and self.token.text in texts:
            self.here += 1
            return True
        return False

    def expect(self, text: str, why: str) -> None:
        if not self.accept(text):
            raise self.error(f'expected "{text}" {why}, found {self.found()}')

    def found(self) -> str:
        return "the end" if self.token.kind == "end" else f'"{self.token.text}"'

    def error(self, problem: str, token: Token | None = None) -> FormulaError:
        token = token or self.token
        return FormulaError(problem, self.text, token.at, len(token.text))

    def finish(self, node: Expression) -> Expression:
        if self.token.kind != "end":
            remedy = "; it closes no bracket: remove it, or open one" if self.token.text == ")" else ""
            raise self.error(f"expected an operator or the end, found {self.found()}{remedy}")
        if not ex.writes_out(node, MAX_WRITTEN, 4 * MAX_DEPTH):
            raise self.error(f"with its definitions written out it has more than {MAX_WRITTEN:,} parts")
        return node

    def deeper(self, token: Token) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"nested more than {MAX_DEPTH} levels deep; flatten the formula", token)

    # -- types ----------------------------------------------------------------------------------

    def truth(self, node: Expression, at: int) -> Expression:
        if ex.is_term(node):
            raise FormulaError(f'"{node}" is a number here; compare it, as in {node} >= 1', self.text, at)
        return node

    def term(self, node: Expression, at: int) -> Expression:
        if not ex.is_term(node):
            raise FormulaError(f'expected a number, but "{node}" is true or false', self.text, at)
        return node

    # -- grammar --------------------------------------------------------------------------------

    def expression(self, level: int) -> Expression:
        """Climb: parse everything that binds at least as tightly as ``level``."""
        start = self.token
        self.budget.tick("reading an expression")
        self.deeper(start)
        left = self.prefix(level)
        while (operator := self.infix(level)) is not None:
            left = self.combine(left, start.at, operator)
        self.depth -= 1
        return left

    def prefix(self, level: int) -> Expression:
        token = self.token
        operator = token.text if self.is_unary(token) else "!" if token.text == "!" else None
        if operator is None:
            return self.primary()
        if level > 5:
            raise self.error(f'"{token.text}" cannot stand inside a comparison; add brackets')
        self.take()
        bound = self.bound(operator) if operator != "!" else None
        at = self.token.at
        body = self.truth(self.expression(5), at)
        return ex.Not(body) if operator == "!" else ex.Temporal(operator, (body,), bound, token.at)

    def is_unary(self, token: Token) -> bool:
        """A temporal prefix operator, unless the letter is a known name and no operand follows."""
        if token.kind != "name" or token.text not in ex.UNARY:
            return False
        if token.text not in self.vocabulary.starting:
            return True
        following = self.peek()
        if following.kind == "name":
            return following.text != "in" and following.text not in ex.BINARY
        negated = following.text == "!" and self.peek(2).text != "in"
        return negated or following.kind == "number" or following.text in ("(", "[")

    def infix(self, level: int) -> tuple[Token, int] | None:
        """The operator at the cursor, if it binds at least as tightly as ``level``."""
        token = self.token
        binding = ex.LEVELS.get(token.text)
        if token.kind == "name":
            binding = 4 if token.text in ex.BINARY or token.text == "M" else 6 if token.text == "in" else None
        elif token.text in _COMPARISONS or (token.text == "!" and self.peek().text == "in"):
            binding = 6
        return (token, binding) if binding is not None and binding >= level else None

    def combine(self, left: Expression, at: int, operator: tuple[Token, int]) -> Expression:
        token, binding = operator
        self.take()
        if binding == 6:
            node = self.comparison(left, at, token)
            if (again := self.infix(6)) is not None and again[1] == 6:
                raise self.error('comparisons do not chain; join two with "&"', again[0])
            return node
        if binding >= 7:
            here = self.token.at
            self.operations += 1
            if self.operations > MAX_DEPTH:
                problem = f"more than {MAX_DEPTH} additions and multiplications; use count(...)"
                raise self.error(problem, token)
            right = self.term(self.expression(binding + 1), here)
            if token.text == "/" and ex.may_vanish(right):
                raise FormulaError(f'the divisor "{right}" can be zero', self.text, here)
            return ex.Arithmetic(token.text, self.term(left, at), right)
        if token.text == "M":
            raise self.error('strong release "M" is a liveness operator; use R, or bound it')
        bound = self.bound(token.text) if binding == 4 else None
        here = self.token.at
        right = self.truth(self.expression(binding if binding in (1, 4) else binding + 1), here)
        left = self.truth(left, at)
        match token.text:
            case "->":
                return ex.Implies(left, right)
            case "<->":
                return ex.Iff(left, right)
            case "&" | "|":
                kind = ex.And if token.text == "&" else ex.Or
                return kind((*(left.args if isinstance(left, kind) else (left,)), right))
        return ex.Temporal(token.text, (left, right), bound, token.at)

    def bound(self, operator: str) -> int | None:
        if not self.accept("["):
            return None
        if operator not in ex.BOUNDABLE:
            raise self.error(f'"{operator}" takes no bound; only {" ".join(sorted(ex.BOUNDABLE))} do')
        self.expect("<=", 'in a bound such as "[<=3]"')
        token = self.take()
        if token.kind != "number" or "." in token.text:
            raise self.error("expected a whole number of moves", token)
        self.expect("]", "to close the bound")
        return int(token.text)

    # -- comparisons ----------------------------------------------------------------------------

    def comparison(self, left: Expression, at: int, token: Token) -> Expression:
        if token.text in ("in", "!"):
            if token.text == "!":
                self.take()
            if not isinstance(left, ex.Read):
                raise FormulaError('expected a variable before "in"', self.text, at)
            node: Expression = ex.Member(left.variable, self.value_set(left.variable, self.listed()))
            return ex.Not(node) if token.text == "!" else node
        if isinstance(left, ex.Read) and not left.variable.numeric:
            return self.symbol_comparison(left.variable, token)
        here = self.token.at
        right = self.term(self.expression(7), here)
        return ex.Compare(token.text, self.term(left, at), right)

    def symbol_comparison(self, variable: Variable, operator: Token) -> Expression:
        if operator.text not in ("=", "!="):
            raise self.error(f'{variable.name} has no order; use "=", "!=" or "in"', operator)
        token = self.word()
        other = self.vocabulary.by_name.get(token.text)
        if token.text in variable.values or other is None or other.numeric:
            node: Expression = ex.Member(variable, (self.value(variable, token),))
        else:
            common = [value for value in variable.values if value in other.values]
            pairs = (ex.And((ex.Member(variable, (v,)), ex.Member(other, (v,)))) for v in common)
            node = ex.disjunction(pairs)
        return node if operator.text == "=" else ex.Not(node)

    def listed(self) -> list[Token]:
        """The words of ``{X, D}``, a sign joined to its number."""
        self.expect("{", "to open a set of values")
        words = [self.word()]
        while self.accept(","):
            words.append(self.word())
        self.expect("}", "to close the set of values")
        return words

    def word(self) -> Token:
        token = self.take()
        if token.text == "-" and self.token.kind == "number":
            return Token("number", f"-{self.take().text}", token.at)
        return token

    def value_set(self, variable: Variable, words: list[Token]) -> tuple[Value, ...]:
        """The values that the words name, in domain order."""
        return tuple(sorted({self.value(variable, word) for word in words}, key=variable.code))

    def value(self, variable: Variable, token: Token) -> Value:
        value = _literal(variable, token.text)
        if value is not None:
            return value
        if token.kind == "end":
            raise self.error(f"expected a value of {variable.name}, found the end", token)
        hint = did_you_mean(token.text, map(str, variable.values[:100]))
        known = (v for v in variable.values if self.vocabulary.legend.get(str(v)) == token.text)
        hint = next((f"; {v} is {token.text}" for v in known), hint)
        problem = f'{variable.name} has no value "{token.text}"; its values are {variable.shown}{hint}'
        raise self.error(problem, token)

    # -- primaries ------------------------------------------------------------------------------

    def primary(self) -> Expression:
        token = self.take()
        if token.kind == "number":
            return ex.Number(Fraction(token.text))
        if token.text == "-" and token.kind == "op":
            here = self.token.at
            self.deeper(token)
            body = self.term(self.primary(), here)
            self.depth -= 1
            if isinstance(body, ex.Number):
                return ex.Number(-body.value)
            return ex.Arithmetic("-", ex.Number(Fraction(0)), body)
        if token.text == "(":
            node = self.expression(0)
            self.expect(")", "to close the bracket")
            return node
        if token.kind != "name" or token.text == "in":
            self.here -= token.kind != "end"
            raise self.error(f"expected an expression, found {self.found()}")
        match token.text:
            case "true" | "false":
                return ex.Truth(token.text == "true")
            case "count":
                return self.count()
            case "times":
                return self.times()
        return self.name(token)

    def name(self, token: Token) -> Expression:
        word = token.text
        if word in tuple(Player) and self.accept("."):
            return self.move(self.take(), Player(word))
        if word in self.vocabulary.families:
            word = self.member_of(token)
        if word in self.vocabulary.definitions:
            body = self.vocabulary.definitions[word]
            if word not in self.fitting and not ex.writes_out(body, MAX_NODES, MAX_DEPTH):
                size = f"written out it has more than {MAX_NODES:,} parts or {MAX_DEPTH} levels"
                raise self.error(f'"{word}" is built from too many definitions: {size}', token)
            self.fitting.add(word)
            return ex.Defined(word, body)
        if word in self.vocabulary.labels:
            return self.vocabulary.labels[word]
        variable = self.vocabulary.by_name.get(word)
        if variable is not None:
            compared = self.token.text in (*_COMPARISONS, "in", "!")
            if not variable.numeric and not compared:
                example = f"compare it, as in {word} = {variable.values[0]}"
                raise self.error(f'"{word}" is a variable, not true or false; {example}', token)
            return ex.Read(variable)
        if word in self.vocabulary.moves_by_name:
            return self.move(token, None)
        if word in ex.UNARY or word in ex.BINARY:
            raise self.error(f'"{word}" is an operator and needs an expression after it', token)
        if word in self.vocabulary.counted:
            raise self.error(_uncounted(self.vocabulary, word), token)
        raise self.error(f'unknown name "{word}"' + self.hint(word), token)

    def member_of(self, token: Token) -> str:
        """The name of a definition that is asked of something: ``flow(shop)``."""
        known = self.vocabulary.families[token.text]
        if not self.accept("("):
            raise self.error(f'"{token.text}" is asked of something, as in {token.text}({known[0]})', token)
        argument = self.take()
        if argument.text not in known:
            listed = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
            hint = did_you_mean(argument.text, known) or f"; there are {listed}"
            raise self.error(f'there is no {token.text} "{argument.text}"{hint}', argument)
        self.expect(")", f'after "{token.text}({argument.text}"')
        return f"{token.text}({argument.text})"

    def hint(self, word: str) -> str:
        """What may have been meant by an unknown name: the word for a value, a predicate, another name."""
        if (one := self.one_of(word)) is not None:
            return one
        legend = {meaning: value for value, meaning in self.vocabulary.legend.items()}
        asked = self.vocabulary.by_name.get(self.peek().text) if self.token.text == "(" else None
        if word not in legend and (asked is None or asked.numeric):
            return did_you_mean(word, self.vocabulary.names)
        example = asked or next((v for v in self.vocabulary.variables if legend[word] in v.values), None)
        if example is None:
            return ""
        value = legend.get(word, example.values[0])
        meanings = (f"{v} {self.vocabulary.legend.get(str(v), '')}".strip() for v in example.values[:12])
        return f"; compare a variable with a value, as in {example.name} = {value}: {', '.join(meanings)}"

    def one_of(self, word: str) -> str | None:
        """What to do where one of some alike things is named, which has no name."""
        for tally in self.vocabulary.tallies:
            if word.startswith(tally.name) and word.removeprefix(tally.name).isdigit():
                return (
                    f"; the {tally.size:,} {tally.name} are alike and counted, so that none has a name: "
                    f"write count({tally.name} in {{…}}), or give the one that is meant a name of its own"
                )
        return None

    def move(self, token: Token, player: Player | None) -> Expression:
        """``destroy``, ``spread(DB)`` or ``defender.noop``."""
        text = token.text
        known = self.vocabulary.moves_by_name
        mine = {n for n, moves in known.items() if player is None or any(m[0] is player for m in moves)}
        if text not in mine:
            raise self.error(f'the {player} has no action "{text}"' + did_you_mean(text, mine), token)
        if self.accept("("):
            argument = self.take()
            self.expect(")", f'after "{text}({argument.text}"')
            if f"{text}({argument.text})" not in mine:
                targets = [name[len(text) + 1 : -1] for name in mine if name.startswith(f"{text}(")]
                hint = self.one_of(argument.text) or did_you_mean(argument.text, targets)
                raise self.error(f'"{text}" has no target "{argument.text}"{hint}', argument)
            text = f"{text}({argument.text})"
        moves = frozenset(move for move in known[text] if player in (None, move[0]))
        return ex.Did(text if player is None else f"{player}.{text}", moves)

    def times(self) -> Expression:
        self.expect("(", 'after "times"')
        at = self.token.at
        body = self.truth(self.expression(0), at)
        if not ex.is_local(body):
            problem = "times(...) counts moments; it takes no temporal operator inside"
            raise FormulaError(problem, self.text, at)
        self.expect(")", 'to close "times("')
        return ex.Times(body)

    def count(self) -> Expression:
        """``count(DB, BK in {X}, ws* not in {C})``: names gather until their set is given."""
        self.expect("(", 'after "count"')
        items: list[ex.Member] = []
        totals: list[Expression] = []
        start = self.token.at
        while True:
            variables = self.variables()
            while self.accept(","):
                variables += self.variables()
            negated = self.accept("!")
            if not (self.token.kind == "name" and self.token.text == "in"):
                raise self.error(f'expected "in {{…}}" after the names, found {self.found()}')
            self.take()
            words = self.listed()
            for variable in self.every(words) if None in variables else variables:
                self.budget.tick("reading an expression")
                assert variable is not None
                if isinstance(variable, Tally):
                    totals.append(self.total(variable, words, negated))
                    continue
                values = self.value_set(variable, words)
                if negated:
                    values = tuple(value for value in variable.values if value not in values)
                items.append(ex.Member(variable, values))
            if not self.accept(","):
                break
        inside = self.text[start : self.token.at]
        self.expect(")", 'to close "count("')
        names = re.findall(r"[^\W\d][\w-]*", inside)
        short = not totals and ("*" in inside or any(name in self.vocabulary.groups for name in names))
        counted = ex.Count(tuple(items), " ".join(inside.split()) if short else "")
        if not totals:
            return counted
        return ex.Defined(
            f"count({' '.join(inside.split())})", added([*([counted] if items else []), *totals])
        )

    def total(self, tally: Tally, words: list[Token], negated: bool) -> Expression:
        """How many of some alike things have one of the values that the words name, or none of them."""
        unknown = next((word for word in words if word.text not in tally.values), None)
        if unknown is not None:
            raise self.error(
                f'{tally.name} has no value "{unknown.text}"; its values are {", ".join(tally.values)}',
                unknown,
            )
        named = {word.text for word in words}
        return tally.total([value for value in tally.values if (value in named) != negated])

    def variables(self) -> list[Variable | Tally | None]:
        """One name or a pattern such as ``ws*``; a lone ``*`` waits for its set (``None``)."""
        token = self.take()
        if token.text == "*":
            return [None]
        if token.kind == "name" and self.token.text == "*" and self.token.at == token.at + len(token.text):
            self.take()
            pattern = f"{token.text}*"
            matching: list[Variable | Tally | None] = [
                v for v in self.vocabulary.plain if fnmatchcase(v.name, pattern)
            ]
            matching += [t for t in self.vocabulary.tallies if fnmatchcase(t.name, pattern)]
            if not matching:
                raise self.error(f'no variable matches "{pattern}"', token)
            return matching
        if token.text in self.vocabulary.groups or token.text in self.vocabulary.counted:
            named = self.vocabulary.groups.get(token.text, ())
            return [*named, *self.vocabulary.counted.get(token.text, ())]
        variable = self.vocabulary.by_name.get(token.text)
        if variable is None:
            names, start = self.vocabulary.by_name, token.text
            if not start:
                raise self.error("expected a variable", token)
            hint = self.one_of(start) or did_you_mean(start, (*names, *self.vocabulary.counted))
            if any(name.startswith(start) and name.removeprefix(start).isdigit() for name in names):
                hint = f' but the start of several; write "{start}*"'
            raise self.error(f'"{start}" is not a variable{hint}', token)
        return [variable]

    def every(self, words: list[Token]) -> list[Variable | Tally]:
        """The variables that ``*`` stands for: all whose domain has every listed value."""
        matching: list[Variable | Tally] = [
            v for v in self.vocabulary.plain if all(_literal(v, w.text) is not None for w in words)
        ]
        matching += [t for t in self.vocabulary.tallies if all(w.text in t.values for w in words)]
        if not matching:
            known = {str(x) for v in self.vocabulary.variables if not v.numeric for x in v.values}
            lost = next((w for w in words if w.text not in known), words[0])
            which = f"value{'s' if len(words) > 1 else ''} {', '.join(w.text for w in words)}"
            raise self.error(f"no variable has the {which}{did_you_mean(lost.text, known)}", lost)
        return matching


def _uncounted(vocabulary: Vocabulary, name: str) -> str:
    """What to write in place of the name of alike things, which are many."""
    tallies = vocabulary.counted[name]
    size, value = sum(tally.size for tally in tallies), tallies[0].values[0]
    size += len(vocabulary.groups.get(name, ()))
    return (
        f'"{name}" stands for {size:,} that are counted; say how many of them, as in '
        f"count({name} in {{{value}}}) >= 1 for some of them, or = {size} for all"
    )


def _literal(variable: Variable, word: str) -> Value | None:
    """The value of the domain that a word names, if any."""
    value: Value = int(word) if variable.numeric and re.fullmatch(r"-?\d+", word) else word
    return value if value in variable.values else None
