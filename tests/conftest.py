"""Shared vocabulary and configurations."""

from __future__ import annotations

import signal

import pytest

from holdfast.logic.expressions import Player, Variable
from holdfast.logic.parser import parse_term
from holdfast.logic.vocabulary import Vocabulary

STATUSES = ("C", "X", "D", "I", "Z")
HOSTS = ("GW", "Web", "WS", "DB", "BK")


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    """Five hosts, a number, and the network's actions."""
    variables = (*(Variable(host, STATUSES) for host in HOSTS), Variable("level", range(10)))
    actions = {
        Player.DEFENDER: tuple(f"{kind}({host})" for kind in ("noop", "monitor", "fix") for host in HOSTS),
        Player.ADVERSARY: tuple(
            f"{kind}({host})" for kind in ("noop", "spread", "destroy") for host in HOSTS
        ),
    }
    bare = Vocabulary(variables, actions)
    return Vocabulary(variables, actions, {"active": parse_term("count(* not in {I, Z})", bare)})


# A shell that starts the tests in the background lets them ignore Ctrl-C, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
