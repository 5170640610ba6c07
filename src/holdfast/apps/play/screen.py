"""What a player sees: the opening, a turn with its menu, the moves made, and the end."""

from __future__ import annotations

import io
import shutil
import sys

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from holdfast.apps.play.effort import getting_out, raised, still_needed
from holdfast.apps.play.menu import MenuEntry, Standing, effect_of
from holdfast.apps.play.session import Event, Session, ending, fatal_step, mean_dominance
from holdfast.apps.play.strategies import Setting, within
from holdfast.apps.play.trace import happened
from holdfast.game import Position, counted, is_unsafe
from holdfast.logic import Player, action_target, action_type
from holdfast.report import INERT, WIDTH, board, clauses, plain, run_together
from holdfast.solver import Solution, rank

COLOURS = {Player.DEFENDER: "bold #4a90d9", Player.ADVERSARY: "bold #e0552b"}
MARKS = {Standing.PERMITTED: " ", Standing.FORBIDDEN: "!", Standing.IMPOSSIBLE: "-"}
HEADS = {
    Standing.PERMITTED: "permitted",
    Standing.FORBIDDEN: "forbidden by the shield",
    Standing.IMPOSSIBLE: "not possible",
}
STYLES = {Standing.PERMITTED: "bold", Standing.FORBIDDEN: "bold #e0552b", Standing.IMPOSSIBLE: "dim"}
MANY = 18
"""From so many entries of a kind on they are shown without their effects."""


def rendered(*parts: RenderableType) -> str:
    """Text for standard output: styled on a terminal, plain in a pipe, without blanks at line ends."""
    text, width = io.StringIO(), min(shutil.get_terminal_size().columns, WIDTH)
    console = Console(file=text, force_terminal=sys.stdout.isatty(), width=width, **INERT)
    for part in parts:
        console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


# -- the opening ------------------------------------------------------------------------------------


def opening(title: str, setting: Setting, human: Player, against: str, limit: int) -> RenderableType:
    """Who plays whom, what is at stake, and what perfect play gives."""
    sides = Text.assemble(
        "You are the ",
        (str(human), COLOURS[human]),
        f", against the {against} ",
        (str(human.opponent), COLOURS[human.opponent]),
        f", for {counted(limit, 'move')} in all.",
    )
    notes = [paragraph(Text(f"note: {plain(note)}", "yellow")) for note in setting.notes]
    hint = Text("help lists what you can type", "dim")
    parts = (Text(f"\n{plain(title)}", "bold"), Text(), paragraph(sides), paragraph(_stakes(setting, limit)))
    return Group(*parts, *notes, paragraph(hint), Text())


def _stakes(setting: Setting, limit: int) -> str:
    conceded = rank(setting.solution, setting.solution.configuration.initial)
    if conceded is not None:
        return f"This design is not defensible: the adversary can force a violation {within(conceded)}."
    if setting.perfect is None:
        return "A defense exists."
    from holdfast.apps.play.perfect import mean_in_words

    mean = f"Between perfect players the mean dominance {mean_in_words(setting.perfect)}"
    return f"A defense exists. {mean} over {counted(limit, 'move')}{_whole(setting)}."


def _whole(setting: Setting) -> str:
    star = setting.ddr_exact
    return "" if star is None else f", and {star:.4f} over a whole episode (DDR*)"


def paragraph(text: str | Text) -> Padding:
    """Text set in from the margin, all its lines."""
    return Padding(Text(text) if isinstance(text, str) else text, (0, 0, 0, 2))


# -- a turn -----------------------------------------------------------------------------------------


def turn(session: Session, menu: tuple[MenuEntry, ...]) -> RenderableType:
    """Board, clauses, readings and the menu."""
    lost = ""
    if session.position.turn is Player.DEFENDER:
        lost = "the position is lost: every move loses, some sooner than others"
        if len({entry.rank for entry in menu if entry.standing is Standing.FORBIDDEN}) == 1:
            lost = "the position is lost: every move loses, and equally soon"
    return Group(situation(session), *menu_sections(menu, lost))


def menu_sections(menu: tuple[MenuEntry, ...], lost: str = "") -> list[RenderableType]:
    """The entries by their standing; ``lost`` is said of the forbidden ones where nothing is permitted."""
    by_standing = {s: [entry for entry in menu if entry.standing is s] for s in Standing}
    heads = dict(HEADS)
    if lost and not by_standing[Standing.PERMITTED]:
        heads[Standing.FORBIDDEN] = lost
    return [_section(heads[standing], entries) for standing, entries in by_standing.items() if entries]


def situation(session: Session) -> RenderableType:
    """The board and what there is to say about it."""
    configuration, position = session.match.configuration, session.position
    mean = mean_dominance(session)
    now = float(configuration.game.mu(position.state))
    so_far = "" if mean is None else f", mean so far {float(mean):.3f}"
    head = f"move {session.n_moves + 1} of {session.match.limit} · {position.turn} to move"
    if ending(session) is not None:
        head = f"after {counted(session.n_moves, 'move')}"
    return Group(
        Rule(Text(head, "bold"), align="left", style="dim", characters="─"),
        board(configuration, position, _changed(session)),
        Text(),
        clauses(configuration, position),
        Text(f"  μ    dominance {now:.3f}{so_far}"),
        *(Text(f"  {said}") for said in _prospects(session.match.solution, position) if said),
    )


def _prospects(solution: Solution, position: Position) -> tuple[str, str]:
    """What has still to be done, and whether the adversary can be got out."""
    return still_needed(solution, position), getting_out(solution, position)


def _changed(session: Session) -> frozenset[str]:
    """The variables that the last step changed."""
    if len(session.steps) < 2:
        return frozenset()
    old, new = session.steps[-2].position.state, session.position.state
    variables = session.match.configuration.game.variables
    return frozenset(v.name for v, a, b in zip(variables, old, new, strict=True) if a != b)


def _section(head: str, entries: list[MenuEntry]) -> RenderableType:
    """The entries of a kind, by the reasons that are given for them."""
    parts: list[RenderableType] = [Text(f"\n  {head}", STYLES[entries[0].standing])]
    by_reason: dict[str, list[MenuEntry]] = {}
    for entry in entries:
        by_reason.setdefault(entry.reason, []).append(entry)
    for reason, alike in by_reason.items():
        if reason:
            parts.append(Padding(Text(plain(reason), "italic"), (0, 0, 0, 4)))
        parts.append(Padding(_table(alike) if len(alike) <= MANY else _verbs(alike), (0, 0, 0, 2)))
    return Group(*parts)


def _table(entries: list[MenuEntry]) -> Table:
    """A line for each entry: number, name, and what it changes."""
    table = _grid()
    for entry in entries:
        quiet = "dim" if entry.standing is Standing.IMPOSSIBLE else ""
        more, alike = len(entry.actions) - 1, ""
        if more:
            alike = f" (and {more} more)" if entry.effect else f", as have {more} more"
        effect = Text(f"{entry.effect or 'has no effect'}{alike}", quiet if entry.effect else "dim")
        if entry.warning:
            effect.append(f"  {entry.warning}", "yellow")
        number = Text(f"{MARKS[entry.standing]}{entry.number:>3}", quiet)
        table.add_row(number, Text(entry.name, quiet), effect)
    return table


def _verbs(entries: list[MenuEntry]) -> Table:
    """A line for each kind of action: numbers, and what it can be applied to."""
    table = _grid()
    by_verb: dict[tuple[str, bool], list[MenuEntry]] = {}
    for entry in entries:
        by_verb.setdefault((action_type(entry.name), bool(entry.effect)), []).append(entry)
    for (verb, _), alike in by_verb.items():
        numbers = run_together([str(entry.number) for entry in alike])
        objects = run_together([action_target(entry.name) for entry in alike])
        if len(alike) == 1 and len(alike[0].actions) > 1:
            objects = f"{objects}, and {len(alike[0].actions) - 1} more moves without effect"
        table.add_row(Text(f"{MARKS[alike[0].standing]} {numbers}"), Text(verb), Text(objects))
    return table


def _grid() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    return table


# -- moves made -------------------------------------------------------------------------------------


def step_line(session: Session, n: int) -> Text:
    """What happened in step n, in a line."""
    configuration, step = session.match.configuration, session.steps[n]
    before = session.steps[n - 1].position
    effect = effect_of(configuration, before, step.action, step.position) or "no effect"
    if step.event is Event.RESET:
        return Text.assemble(("       chance     ", "bold magenta"), f"a new engagement begins: {effect}")
    number = sum(s.counts for s in session.steps[: n + 1])
    line = Text.assemble(f"  {number:>3}  ", (f"{before.turn:<9}  ", COLOURS[before.turn]))
    if step.event is Event.REST:
        return line.append("has no moves left: play ends here")
    line.append(f"{happened(configuration, step, before):<14}  ", "bold").append(effect)
    solution = session.match.solution
    left = rank(solution, before) is None and rank(solution, step.position) is not None
    if before.turn is Player.DEFENDER and left:
        line.append("   ! forbidden by the shield", STYLES[Standing.FORBIDDEN])
    if warning := raised(solution, before, step.position):
        line.append(f"   {warning}", "yellow")
    return line


def steps_since(session: Session, start: int) -> list[Text]:
    """The lines of the steps from number ``start`` on."""
    return [step_line(session, n) for n in range(max(start, 1), len(session.steps))]


# -- the end ----------------------------------------------------------------------------------------


def closing(session: Session, setting: Setting) -> RenderableType:
    """How the play ended, and why."""
    over, mean = ending(session), mean_dominance(session)
    parts: list[RenderableType] = [Text()]
    if over is not None:
        parts += [situation(session), Text()]
    if is_unsafe(session.match.configuration, session.position):
        parts += _violation(session)
    else:
        word = "HELD" if over is not None else "STOPPED"
        why = over or f"after {counted(session.n_moves, 'move')} without a violation"
        parts.append(Text.assemble((f"  {word}  ", "bold #101010 on #a6d8f5"), f"  {plain(why)}"))
    if mean is not None:
        parts += [Text(), paragraph(_compared(float(mean), session, setting))]
    return Group(*parts, Text())


def _violation(session: Session) -> list[RenderableType]:
    configuration, solution = session.match.configuration, session.match.solution
    broken, fatal = "; ".join(configuration.broken(session.position)), fatal_step(session)
    assert fatal is not None  # a violation is outside W
    conceded = rank(solution, session.steps[fatal].position)
    assert conceded is not None
    if fatal:
        name = happened(configuration, session.steps[fatal], session.steps[fatal - 1].position)
        how = f"{name} left the winning region; from there a violation could be forced {within(conceded)}."
    elif conceded:
        how = f"The design is not defensible: from the start a violation could be forced {within(conceded)}."
    else:
        how = "The design is not defensible: the initial state violates."
    return [
        Text.assemble(("  VIOLATION  ", "bold #ffffff on #b3261e"), (f"  {plain(broken)}", "bold")),
        Text(),
        paragraph(how),
        *steps_since(session, max(fatal, 1)),
    ]


def _compared(mean: float, session: Session, setting: Setting) -> str:
    text = f"Mean dominance {mean:.4f} over {counted(session.n_moves, 'move')}."
    if setting.perfect is None or is_unsafe(session.match.configuration, session.position):
        return text
    from holdfast.apps.play.perfect import mean_in_words

    over = f"over {counted(session.match.limit, 'move')}" if session.to_go else "on average"
    return f"{text} Between perfect players it {mean_in_words(setting.perfect)} {over}{_whole(setting)}."
