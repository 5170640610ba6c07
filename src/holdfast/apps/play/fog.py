"""Play in fog: the defender is shown what it sees, and on request what may be the case.

The board shows every node as it looks; a host that looks clean may be compromised. A move is forbidden if it
loses in some case that is possible, even for somebody who then sees everything; one that is permitted may
still be wrong, since the cases that it leaves may call for different moves. The hint is what the controller
would do, where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from holdfast.apps.play.menu import MenuEntry, Standing
from holdfast.apps.play.possibilities import Cases, Possibilities
from holdfast.apps.play.screen import COLOURS, menu_sections, paragraph, steps_since
from holdfast.apps.play.session import Event, Match, Session
from holdfast.errors import LimitError
from holdfast.explanation import Appearance, appearances, cases_in_words, common_in_words, news_in_words
from holdfast.game import Position, counted, listed
from holdfast.logic import Player
from holdfast.report import board, plain
from holdfast.solver import BeliefSolution, looker, verdicts

MANY_CASES = 12
"""Cases that are listed."""
MANY_JUDGED = 400
"""Cases up to which a move is judged in each of them."""
UNJUDGED = "not judged: too much may be the case"


@dataclass(frozen=True)
class PlayInFog:
    """What a defender in fog is shown.

    Attributes:
        match: what is played.
        answer: what is known of the game in which only what is seen is known; None where a limit came first.
        possibilities: what may be the case.
        seen: what is seen, in words.
    """

    match: Match
    answer: BeliefSolution | None
    possibilities: Possibilities
    seen: tuple[Appearance, ...]


def fog_of(match: Match, answer: BeliefSolution | None) -> PlayInFog:
    """The fog over a match."""
    sight = match.configuration.system.sight
    assert sight is not None and sight.placed is not None, "there is no fog for one who sees all"
    return PlayInFog(match, answer, Possibilities(match, sight), appearances(match.configuration, sight))


def fog_opening(fog: PlayInFog) -> RenderableType:
    """What there is to see by, and whether that is enough."""
    sight = fog.match.configuration.system.sight
    placed = () if sight is None else sight.placed or ()
    there = f"sensors at {listed(placed)} alone" if placed else "no sensor at all"
    enough = "Whether that is enough is unknown."
    if fog.answer is not None:
        enough = "That is enough for a defense."
        if not fog.answer.defensible:
            enough = "That is not enough: no defense exists that uses only what is seen."
    return paragraph(
        f"You play in fog, with {there}. {enough} The board shows how things look; type cases to list "
        f"what may be true."
    )


# -- a turn -------------------------------------------------------------------------------------------


def fog_turn(fog: PlayInFog, session: Session, menu: tuple[MenuEntry, ...]) -> RenderableType:
    """The board as it looks, how much is possible, and the menu."""
    configuration, position = fog.match.configuration, session.position
    head = f"move {session.n_moves + 1} of {fog.match.limit} · {position.turn} to move · in fog"
    before = session.steps[-2].position if len(session.steps) > 1 else position
    look = fog.possibilities.look
    changed = frozenset(e.trait.name for e in fog.seen if e.look(look(before)) != e.look(look(position)))
    required = "; ".join(configuration.required)
    return Group(
        Rule(Text(head, "bold"), align="left", style="dim", characters="─"),
        board(configuration, _masked(fog, position), changed),
        Text(),
        *(paragraph(plain(text)) for text in _seemingly(fog, position)),
        *(Text(f"  {plain(text)}") for text in _alarms(fog, position)),
        paragraph(f"must hold: {plain(required)}"),
        paragraph(_how_many(fog, session)),
        *menu_sections(menu, lost="every move loses in some case"),
    )


def _masked(fog: PlayInFog, position: Position) -> Position:
    """A position that looks like this one, everything as good as it looks."""
    key, state = fog.possibilities.look(position), list(position.state)
    places = fog.match.configuration.game.places
    seen = {each.trait.name: each for each in fog.seen if each.codes}
    for variable in fog.match.configuration.game.variables:
        each = seen.get(variable.name)
        state[places[variable.name]] = 0 if each is None else each.codes[each.look(key)][0]
    return position._replace(state=tuple(state))


def _seemingly(fog: PlayInFog, position: Position) -> list[str]:
    """Which nodes may be worse than the board shows them."""
    key = fog.possibilities.look(position)
    names = [e.trait.name for e in fog.seen if e.codes and len(e.codes[e.look(key)]) > 1]
    return [f"that is only how it looks now: {listed(names)}"] if names else []


def _alarms(fog: PlayInFog, position: Position) -> list[str]:
    """What is seen that no node shows."""
    key = fog.possibilities.look(position)
    return [f"{each.trait.name} is {each.spoken(key)}" for each in fog.seen if not each.codes]


def _how_many(fog: PlayInFog, session: Session) -> str:
    try:
        n_cases = len(fog.possibilities.after(session))
    except LimitError as limit:
        return f"{limit}."
    return (
        "Only one case is possible; type cases to see it."
        if n_cases == 1
        else f"{n_cases:,} cases are possible; type cases to list them."
    )


def fog_menu(fog: PlayInFog, session: Session) -> tuple[MenuEntry, ...]:
    """All moves of the defender, judged by what may be the case; those without effect are one entry."""
    game, position = fog.match.configuration.game, session.position
    names = [action.name for action in game.actions[position.turn]]
    cases = _judged(fog, session)
    entries: dict[object, MenuEntry] = {}
    for action, name in enumerate(names):
        entry = _entry(fog, cases, session.position, action, name)
        same = entry.standing, entry.reason, entry.effect, _after(fog, cases, action)
        if entry.effect == "" and same in entries:
            entries[same] = replace(entries[same], actions=(*entries[same].actions, action))
        else:
            entries[same if entry.effect == "" else action] = entry
    order = sorted(
        entries.values(), key=lambda e: (list(Standing).index(e.standing), not e.effect, e.actions[0])
    )
    return tuple(replace(entry, number=n) for n, entry in enumerate(order, 1))


def _judged(fog: PlayInFog, session: Session) -> Cases | None:
    """The cases, if there are not too many to judge moves in each of them."""
    try:
        cases = fog.possibilities.after(session)
    except LimitError:
        return None
    return cases if len(cases) <= MANY_JUDGED else None


def _after(fog: PlayInFog, cases: Cases | None, action: int) -> object:
    if cases is None:
        return action
    targets = (verdicts(fog.match.solution, case)[action].target for case in sorted(cases))
    return tuple(None if target is None else target.state for target in targets)


def _entry(fog: PlayInFog, cases: Cases | None, here: Position, action: int, name: str) -> MenuEntry:
    if cases is None:
        return MenuEntry(0, (action,), name, None, Standing.PERMITTED, None, UNJUDGED, "")
    standing, reason, news = Standing.PERMITTED, "", dict[str, None]()
    before = fog.possibilities.look(here)
    for case in sorted(cases):
        verdict = verdicts(fog.match.solution, case)[action]
        if verdict.target is None:
            standing, reason = Standing.IMPOSSIBLE, f"not available if {_case(fog, case, cases)}"
            break
        news[news_in_words(fog.seen, before, fog.possibilities.look(verdict.target))] = None
        if not verdict.permitted and standing is Standing.PERMITTED:
            standing = Standing.FORBIDDEN
            reason = f"if {_case(fog, case, cases)}: {verdict.reason}" if len(cases) > 1 else verdict.reason
    told = [text for text in news if not text.startswith("nothing")]
    effect = listed(told if len(told) == len(news) else [*told, "nothing new"], "or") if told else ""
    return MenuEntry(0, (action,), name, None, standing, None, reason, effect)


def _case(fog: PlayInFog, case: Position, cases: Cases) -> str:
    """One of several cases in words."""
    every = sorted(cases)
    words = cases_in_words(fog.match.configuration, fog.seen, every)[every.index(case)]
    return words.replace("; ", ", ")


# -- what can be asked --------------------------------------------------------------------------------


def fog_cases(fog: PlayInFog, session: Session) -> list[str]:
    """What may be the case, a line for each."""
    try:
        every = sorted(fog.possibilities.after(session))
    except LimitError as limit:
        return [f"{limit}."]
    told = list(dict.fromkeys(cases_in_words(fog.match.configuration, fog.seen, every)))
    common = common_in_words(fog.match.configuration, fog.seen, every)
    lines = [f"{counted(len(every), 'case')} {'is' if len(every) == 1 else 'are'} possible:"]
    lines += [f"· {text}" for text in told[:MANY_CASES]]
    if len(told) > MANY_CASES:
        lines.append(f"… {len(told) - MANY_CASES} more")
    return lines + ([f"In every case {common}."] if common else [])


def fog_hint(fog: PlayInFog, session: Session) -> str:
    """What the controller does, where it knows as little."""
    if fog.answer is None:
        return "There is no hint: whether a defense exists with these sensors was not computed."
    if not fog.answer.defensible:
        return "There is no hint: no defense exists that uses only what the sensors show. Guess."
    try:
        cases = fog.possibilities.after(session)
    except LimitError as limit:
        return f"There is no hint: {limit}."
    look = looker(fog.match.configuration, fog.answer.sight)
    for stance in fog.answer.stances:
        if all(case in stance.belief for case in cases) and len({look(case) for case in cases}) == 1:
            name = fog.match.configuration.game.actions[Player.DEFENDER][stance.action].name
            return f"{name} holds from here in every possible case, using what the sensors will show."
    return "There is no hint here: the controller never gets into this situation. Type undo to go back."


# -- moves made ---------------------------------------------------------------------------------------


def fog_lines(fog: PlayInFog, session: Session, start: int) -> list[Text]:
    """What was seen of the steps from number ``start`` on."""
    return [_line(fog, session, n) for n in range(max(start, 1), len(session.steps))]


def _line(fog: PlayInFog, session: Session, n: int) -> Text:
    step, before = session.steps[n], session.steps[n - 1].position
    look = fog.possibilities.look
    news = news_in_words(fog.seen, look(before), look(step.position))
    if step.event is Event.RESET:
        return Text.assemble(("       chance     ", "bold magenta"), f"a new engagement begins: {news}")
    number = sum(each.counts for each in session.steps[: n + 1])
    line = Text.assemble(f"  {number:>3}  ", (f"{before.turn:<9}  ", COLOURS[before.turn]))
    named = "?"
    if step.action is not None and (
        before.turn is Player.DEFENDER or step.action in fog.possibilities.noticed
    ):
        named = fog.match.configuration.game.actions[before.turn][step.action].name
    return line.append(f"{named:<14}  ", "bold").append(news)


def really(session: Session) -> RenderableType:
    """All steps of a play as they were, when the fog has lifted."""
    return Group(Text("  What really happened", "bold"), *steps_since(session, 1), Text())
