"""A third model, all of it in this file: a queue that an adversary floods and a defender serves."""

from fractions import Fraction

from pydantic import Field

from holdfast.game.actions import Action, Rule
from holdfast.game.structure import GameStructure
from holdfast.game.system import Graph, GraphNode, Part, System
from holdfast.logic.expressions import Arithmetic, Compare, Number, Player, Read, Variable
from holdfast.scenario.registry import Model
from holdfast.scenario.text.shape import FileSection


class QueueSection(FileSection):
    """A queue of jobs."""

    called = "queue"
    length: int = Field(ge=1, le=50, description="how many jobs it holds")
    bursts: bool = Field(default=True, description="whether two jobs can come at once")


class QueueChange(FileSection):
    """What a variant changes in a queue."""

    called = "the queue of a variant"
    length: int = Field(default=1, ge=1, le=50, description="another length")


def build(section, change, budget):
    """The queue as a system."""
    node = change.get("length") if change is not None else None
    length = (node or section["length"]).value
    bursts = section.get("bursts")
    return queue(length, bursts is None or bool(bursts.value))


def queue(length, bursts):
    waiting = Variable("waiting", range(length + 1))

    def arrive(n):
        room = Compare("<=", Read(waiting), Number(Fraction(length - n)))
        return (Rule(room, ((waiting, Arithmetic("+", Read(waiting), Number(Fraction(n)))),)),)

    some = Compare(">", Read(waiting), Number(Fraction(0)))
    serve = (Rule(some, ((waiting, Arithmetic("-", Read(waiting), Number(Fraction(1)))),)),)
    burst = Part("burst", "two at once")
    game = GameStructure(
        variables=(waiting,),
        initial=(0,),
        first=Player.ADVERSARY,
        actions={
            Player.DEFENDER: (Action("serve", serve), Action("wait")),
            Player.ADVERSARY: (Action("job", arrive(1)), Action("burst", arrive(2) if bursts else ())),
        },
        dominance=Arithmetic("-", Number(Fraction(1)),
                             Arithmetic("/", Read(waiting), Number(Fraction(length)))),
    )  # fmt: skip
    return System(
        game,
        "queue",
        parts=(burst,) if bursts else (),
        graph=Graph((GraphNode("queue", "waiting"),)),
        rebuild=lambda taken: queue(length, bursts and burst not in taken),
    )


STUB = """\
holdfast: 1
name: My queue
queue: {length: 3}
specs:
  defender: [G (waiting < 3)]
  adversary: [G (times(burst) <= 2)]
variants:
  long: {queue: {length: 9}, description: Room for nine.}
"""

MODEL = Model("queue", "a queue", QueueSection, QueueChange, build, STUB)
