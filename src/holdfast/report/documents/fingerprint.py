"""One analysis in words and tables: the verdict, what it means, and what each number says."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from holdfast.game import MISSING, Premise, bracket, count, counted, listed, number, percent
from holdfast.readings import (
    EVICTED,
    RECOVERED,
    Analysis,
    Gate,
    Reading,
    fingerprint_readings,
    goal_in_words,
    goal_row,
    reading_of,
    recovery_readings,
    response_readings,
    stays_away,
)
from holdfast.report import blocks
from holdfast.report.blocks import (
    Aside,
    Banner,
    Block,
    Cell,
    CellValue,
    Column,
    Document,
    Facts,
    Prose,
    Section,
    Table,
    words,
)
from holdfast.report.documents.background import NOWHERE, Background, facts_of
from holdfast.report.documents.likelihood import hold_sections, likelihood
from holdfast.report.documents.seen_readings import (
    WITH_SIGHT,
    known_to_be,
    seen_certificate,
    seen_sections,
)

if TYPE_CHECKING:  # ``check`` does without
    from holdfast.explanation import Explanation
    from holdfast.operation import DefenderDominance

MAX_SHELLS = 14

GAVE_AWAY = "it gave away what perfect play keeps"
CLOSE = 0.005
"""Operating points that differ by no more are told as one."""

Gates = Sequence[Gate]


def analysis_document(
    analysis: Analysis,
    gates: Gates = (),
    background: Background = NOWHERE,
    reasons: Sequence[Section] = (),
    asked: Sequence[Section] = (),
) -> Document:
    """The answer of ``check`` and ``fingerprint``: the verdict, what was asked, the readings, the depth.

    ``reasons`` say why, where that was looked for (:func:`holdfast.report.documents.explanation.reasons`);
    otherwise a lost design is told how to ask for them. ``asked`` answer further questions, and come first.
    """
    others = f"other variants in the file: {', '.join(background.others)}" if background.others else ""
    pictures = drawn("radar_of", analysis), drawn("parts_of", analysis)
    sections = [
        Section("Verdict", tuple(_answer(analysis, gates, background, explained=bool(reasons)))),
        *([] if analysis.defensible else map(as_aside, reasons)),  # the attack comes before everything else
        *drawn_system(background),
        *hold_sections(analysis),
        *seen_sections(analysis),
        *asked,
        Section("Gates", (Aside((gate_table(gates),)),)),
        *(map(as_aside, reasons) if analysis.defensible else []),
        Section("Recovery", tuple(_recovery(analysis))),
        Section("Response", tuple(_response(analysis))),
        Section("Fingerprint", (blocks.Row((readings(analysis), pictures[0])),)),
        Section("Depth", (shell_sizes(analysis), pictures[1]), detail=True),
        Section("Assumptions", (Aside((assumption_table(analysis.assumptions),)),), detail=True),
        Section("Certificate", (Aside((certificate_numbers(analysis),)),), detail=True),
        *drawn_clauses(background),
    ]
    return Document(
        title=title_of(analysis) or background.source,
        source=background.source if title_of(analysis) else "",
        lead=background.lead or verdict_of(analysis).sentence,
        sections=tuple(sections),
        provenance=tuple(facts_of(analysis).items()),
        closing=(*filter(None, [others, counted_alike(analysis.counted, NO_FIGURE)]), taken(analysis)),
    )


def _recovery(analysis: Analysis) -> Iterator[Block]:
    """Whether the defender gets back to where it wants to be."""
    if analysis.defensible and any(profile.moves is not None for profile in analysis.recovery.values()):
        yield blocks.Row((recoveries(analysis), drawn("recovery_of", analysis)))


def _response(analysis: Analysis) -> Iterator[Block]:
    """What the design demands of those who defend it, and both sides of the game by how far they reach."""
    read = analysis.response is not None or any(r.is_read(analysis) for r in response_readings())
    if read and analysis.defensible:
        yield blocks.Row((responses(analysis), drawn("sides_of", analysis)))
    elif analysis.layers is not None:
        yield drawn("sides_of", analysis)


def as_aside(section: Section) -> Section:
    """The section as an aside, which short forms of the answer leave out."""
    return replace(section, blocks=(Aside(section.blocks),))


def _answer(analysis: Analysis, gates: Gates, background: Background, explained: bool) -> Iterator[Block]:
    yield verdict_of(analysis)
    if analysis.undecided:
        yield Banner("open", "LEFT OPEN", analysis.undecided)
    yield from gate_sentences(gates)
    if analysis.defensible and analysis.sight is not None:
        yield Prose(WITH_SIGHT)
        if analysis.sight.defensible is False and background.source:
            named = ["--variant", analysis.variant] if analysis.variant else []
            line = shlex.join(["holdfast", "sensors", background.source, *named])
            yield blocks.CommandLine("To see where sensors are needed", line)
    yield Aside((Prose(meaning(analysis)),))
    if operation := operating_point(analysis):
        yield Prose(operation)
    yield blocks.Warnings(analysis.warnings)
    violated = background.violated
    asked = question(analysis.start, analysis.requirement, analysis.boundary, background, violated)
    yield Facts((*asked.items, *(("assuming", blocks.quiet(_assumed(p))) for p in analysis.assumptions)))
    if not explained and background.source:
        named = ["--variant", analysis.variant] if analysis.variant else []
        line = shlex.join(["holdfast", "explain", background.source, *named])
        closely = "To see how close the adversary gets, and what the verdict rests on"
        why = closely if analysis.defensible else "To see the attack and what would fix it"
        yield blocks.CommandLine(why, line)


def gate_sentences(gates: Gates) -> Iterator[Prose]:
    """What came of each bound that was asked for, in a line."""
    for (gate, value, result), mark in gate_table(gates).marked():
        sentence = f"gate {gate.text}: {result.text} ({value.text})"
        yield Prose((blocks.Span(sentence, "good" if mark == "met" else "bad"),))


def question(
    start: str,
    requirement: Sequence[str],
    boundary: Sequence[str],
    background: Background = NOWHERE,
    violated: Sequence[str] = (),
) -> Facts:
    """What was asked: the variant, the start, requirement and boundary, and what the start violates."""
    required = [f"{c} (violated at the start)" if c in violated else c for c in requirement]
    items = [("variant", said) for said in (background.description, background.change) if said]
    items += [("start", start)]
    items += [("must always hold", clause) for clause in required or ["nothing"]]
    items += [("adversary keeps to", clause) for clause in boundary or ["no limit"]]
    meant: dict[str, list[str]] = {}
    for value, word in background.legend.items():
        meant.setdefault(word, []).append(value)
    letters = ", ".join(f"{' '.join(values)} {word}" for word, values in meant.items())
    return Facts((*items, *([("letters", blocks.quiet(letters))] if letters else [])))


def _assumed(premise: Premise) -> str:
    return premise.assumption + (f" [unless {premise.option}]" if premise.option else "")


def assumption_table(premises: Sequence[Premise]) -> Table:
    """What the answer takes for granted, and what to write in the file where that is not so."""
    return Table(
        "What the answer assumes about the system, and the setting in the file that changes each assumption",
        (words("assumption"), Column("unless the file says", "code")),
        tuple((premise.assumption, premise.option or None) for premise in premises),
        sortable=False,
    )


def drawn_system(background: Background) -> Iterator[Section]:
    """The picture of the system."""
    graph = background.graph
    if graph is not None:
        yield Section("Segment" if graph.starts else "System", (drawn("segment", graph),))


def drawn_clauses(background: Background) -> Iterator[Section]:
    """The clauses as automata."""
    if background.clauses:
        yield Section("Automata", (drawn("automata", background.clauses),))


def drawn(name: str, *given: object) -> blocks.Illustrations:
    """Figures that a function of :mod:`holdfast.report.documents.pictures` makes.

    That module is loaded when they are shown: the plotting library takes long.
    """
    return blocks.Illustrations(
        lambda: getattr(import_module("holdfast.report.documents.pictures"), name)(*given)
    )


NO_FIGURE = ", which changes none of the figures"


def counted_alike(names: Sequence[str], means: str) -> str:
    """That interchangeable things were counted although nobody asked for it, and what that means."""
    return f"The {listed(names)} are interchangeable and were counted{means}." if names else ""


def taken(result: Analysis | Explanation) -> str:
    """How it was found out, in a line."""
    return f"{count(result.positions)} positions · {result.engine} engine · {result.seconds:.2f} s"


def title_of(analysis: Analysis) -> str:
    """Name and variant."""
    return analysis.name + (f" · {analysis.variant}" if analysis.variant else "")


def verdict_of(analysis: Analysis, about: str = "") -> Banner:
    """The certificate in a sentence."""
    banner = certificate(analysis.defensible, analysis.initial_rank, about)
    likely = likelihood(analysis.hold, analysis.initial_rank, analysis.pace)
    if not analysis.defensible and likely:
        return replace(banner, sentence=likely)
    if analysis.defensible and analysis.sight is not None:
        banner = seen_certificate(banner, analysis.sight)
        if banner.tone != "good":
            return banner
    soon = next((said for goal in analysis.recovery if (said := goal_in_words(analysis, goal))), "")
    if not analysis.defensible or not soon:
        return banner
    if analysis.sight is not None:
        return replace(banner, sentence=f"{banner.sentence} {known_to_be(analysis, analysis.sight, soon)}.")
    joint = "but" if stays_away(analysis, next(iter(analysis.recovery))) else "and"
    return replace(banner, sentence=f"{banner.sentence.rstrip('.')}, {joint} {soon}.")


def certificate(defensible: bool, rank: int | None, about: str = "", *, chance: bool = False) -> Banner:
    """A certificate in a sentence, given the rank of v₀ and whether outcomes are drawn."""
    if defensible:
        return Banner(
            "good", "DEFENSIBLE", "Whatever the adversary does, every requirement can be kept.", about
        )
    sentence = "The start already violates a requirement; no move is needed."
    if rank:
        soon = counted(rank, "move")
        sentence = f"The adversary can break a requirement within {soon}, whatever the defender does."
        if chance:
            sentence = f"With luck the adversary forces a violation within {soon}."
    return Banner("bad", "NOT DEFENSIBLE", sentence, about)


def meaning(analysis: Analysis) -> str:
    """What the verdict promises and what it does not, for a reader who knows no game theory."""
    if analysis.defensible:
        return (
            "Whatever an adversary within these limits does, the defender always has a reply that keeps "
            f"every requirement, for ever. All {count(analysis.positions)} "
            "positions were decided, not sampled. The proof covers the system as modelled here, a "
            "defender who only uses the permitted actions, and an adversary who stays within the limits."
        )
    if analysis.initial_rank == 0:
        return "No defense can help, because the system starts in a state that a requirement forbids."
    soon = counted(analysis.initial_rank or 0, "move")
    return (
        f"Some adversary within these limits can force a violation in at most {soon}, counting both "
        "sides, whatever the defender does. Operating this system better does not help: the design, the "
        "requirements or the limits have to change."
    )


def operating_point(analysis: Analysis) -> str:
    """What DDR* and DDR say together, in a sentence for everybody; nothing where neither says anything.

    Like is compared with like: what the learned policies guarantee with DDR*, since neither explores; DDR,
    which was taken while both sides explored, with the value of perfect play that errs as often. A DDR that
    has not settled is not compared with anything.
    """
    exact, ddr = analysis.ddr_exact, analysis.ddr
    doubt = ""
    if ddr is not None and not ddr.settled:
        doubt = f"DDR {number(ddr.mean, 3)} is {ddr.standing}, not an operating point: {ddr.reason}."
    if exact is None:
        return doubt
    ends = "between " + listed([percent(exact.low), percent(exact.high)])
    kept = ends if exact.value is None else f"of {percent(exact.value)}"
    text = f"Against a perfect adversary, perfect play keeps a mean dominance {kept}"
    if ddr is not None and ddr.bracket is not None:
        own, left = percent(ddr.bracket.guaranteed), percent(ddr.bracket.conceded)
        text += f" (the trained defender guarantees {own}, "
        text += f"the trained adversary concedes up to {left})"
    if exact.epsilon and ddr is not None and exact.tremble is not None:
        text += f"; if both err in {percent(exact.epsilon)} of their moves, {percent(exact.tremble)}"
    if ddr is None or exact.tremble is None or doubt:
        return " ".join(filter(None, [f"{text}.", doubt]))
    return f"{text}, {_beside(ddr, exact.tremble, exact.low)}."


def _beside(ddr: DefenderDominance, tremble: float, perfect: float) -> str:
    """What the trained players made of the game, beside perfect play."""
    held = percent(ddr.mean)
    if ddr.mean > tremble + CLOSE:
        return f"and the trained adversary left {held}: it was a weaker opponent than a perfect one"
    if ddr.mean < tremble - CLOSE:
        sound = ddr.bracket is not None and ddr.bracket.guaranteed >= perfect - CLOSE
        fault = "it makes less use of errors than perfect play does" if sound else GAVE_AWAY
        return f"and the trained defender kept {held}: {fault}"
    return f"and the trained players settled there too ({held})"


# -- tables -----------------------------------------------------------------------------------------


def readings(analysis: Analysis) -> Table:
    """The fingerprint, each coordinate with what it says; an operating point only where it was read."""
    shown = [axis for axis in fingerprint_readings() if axis.static or axis.is_read(analysis)]
    return Table(
        "The fingerprint: each coordinate lies between 0 and 1, and more is better for the defender",
        (words("axis"), Column("value"), words("what it says")),
        tuple((axis.label, reading_on(axis, analysis), axis.described(analysis)) for axis in shown),
        sortable=False,
    )


def recoveries(analysis: Analysis) -> Table:
    """How soon each goal can be forced, with what it says; the goals of the file after those with a row."""
    rows: list[tuple[CellValue, ...]] = [
        (axis.label, reading_on(axis, analysis), axis.described(analysis))
        for axis in recovery_readings()
        if axis.is_read(analysis)
    ]
    for name, profile in analysis.recovery.items():
        if name not in (EVICTED, RECOVERED):
            rows.append(
                (name, MISSING if profile.moves is None else str(profile.moves), goal_row(analysis, name))
            )
    return Table(
        "Recovery: within how many moves, counting both sides, the defender can get there without ever "
        "losing on the way",
        (words("goal"), Column("value"), words("what it says")),
        tuple(rows),
        sortable=False,
    )


def responses(analysis: Analysis) -> Table:
    """Effort, tempo and grace, each with what it says."""
    return Table(
        "Response: how much has to be done, how slowly it may be done, and how late it may begin",
        (words("reading"), Column("value"), words("what it says")),
        tuple(
            (axis.label, reading_on(axis, analysis), axis.described(analysis)) for axis in response_readings()
        ),
        sortable=False,
    )


def reading_on(axis: Reading, analysis: Analysis) -> CellValue:
    """A reading for a table: the number, with its doubt if there is one; or the ends it certainly lies in."""
    reading, ends, doubt = axis.read(analysis), axis.ends(analysis), axis.doubt(analysis)
    if reading is None:
        return None if ends is None else Cell(bracket(*ends), ends[0])
    if axis.whole:
        return Cell(axis.written(reading), reading)
    return Cell(number(reading), reading, doubt) if doubt else reading


def shell_sizes(analysis: Analysis) -> Table:
    """How far positions are from a violation that cannot be avoided; deep shells are gathered."""
    n_open = analysis.positions - analysis.unsafe
    sizes = [("never (winning)", analysis.winning)]
    sizes += [(counted(k, "move"), size) for k, size in enumerate(analysis.shells, 1)]
    if len(sizes) > MAX_SHELLS:
        hidden = sizes[MAX_SHELLS - 2 : -1]
        sizes[MAX_SHELLS - 2 : -1] = [(f"… {len(hidden)} more ranks", sum(size for _, size in hidden))]
    shares = [size / n_open if n_open else 0.0 for _, size in sizes]
    rows = [(*each, Cell(percent(share), share)) for each, share in zip(sizes, shares, strict=True)]
    return Table(
        "Positions by how soon the adversary can force a violation",
        (words("forced in"), Column("positions"), Column("share", "share")),
        (*rows, ("violating already", analysis.unsafe, Cell(""))),
        marks=("met", *("" for _ in rows[1:]), "apart"),
        sortable=False,
    )


def certificate_numbers(analysis: Analysis) -> Table:
    """The counts that the certificate rests on, exact."""
    rows: list[tuple[str, int, str]] = [
        ("all", analysis.positions, "state, turn and the memory of both specifications"),
        ("violating", analysis.unsafe, "the requirement is broken already"),
        ("lost", analysis.attractor - analysis.unsafe, "not broken yet, but the adversary can force it"),
        ("winning", analysis.winning, "the defender can keep the requirement for ever"),
    ]
    if analysis.reachable is not None:
        reach = analysis.reachable
        rows.append(("in safe play", reach.n_positions, "reached from the start by permitted moves"))
        rows.append(("of these, the defender's", reach.n_defender, "where the defender chooses"))
    columns = (words("positions"), Column("how many"), words("which"))
    return Table("Positions of the game", columns, tuple(rows), sortable=False)


def gate_table(gates: Gates) -> Table:
    """The bounds that were asked for."""
    rows, marks = [], []
    for gate in gates:
        result = "met" if gate.met else "undecided" if gate.undecided else "MISSED"
        asked = gate.asked
        if not asked:
            axis = reading_of(gate.axis)
            asked = f"{axis.label} {axis.sign} {gate.minimum:g}"
        rows.append((asked, _gated(gate), result))
        marks.append("met" if gate.met else "differs")
    columns = (words("gate"), Column("reading"), words("result"))
    return Table("The gates", columns, tuple(rows), tuple(marks), sortable=False)


def _gated(gate: Gate) -> Cell | str:
    if gate.reading:
        return gate.reading
    if gate.value is None:
        return "not read" if gate.undecided else "not defined"
    axis = reading_of(gate.axis)
    return Cell(axis.written(gate.value) if axis.whole else f"{gate.value:.8g}", gate.value)
