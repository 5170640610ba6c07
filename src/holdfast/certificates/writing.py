"""Certificates: a verdict with a witness that :mod:`holdfast.certificates.verify` checks without the solver.

For a defensible configuration the witness is W, an inductive invariant; the shield follows from it, Safe(v)
being the moves that stay inside. Otherwise it is a rank for every position from which a violation is forced
at least as soon as from v₀, and the move by which the adversary forces it.

A certificate of the response profile is about a design under one clause more
(:mod:`holdfast.solver.restrictions`). It carries the scenario as it is written and only names that clause,
which the checker then makes itself.

A certificate of recovery claims, of a design that holds, that the defender can force one of its goals within
so many moves, or that it never can; or that it can visit it again and again, or cannot
(:mod:`holdfast.solver.recovery`). It names the goal, whose meaning the checker takes from the scenario.

A certificate of sight claims a verdict for a defender who sees no more than some sensors show
(:mod:`holdfast.solver.beliefs`). What they show the checker takes from the scenario.

A witness is laid out by *planes*: a turn with a state for each automaton. Planes in which φ_A is violated are
left out, since no admissible play enters one, unless v₀ itself lies there (:func:`_settled`). The file is
one JSON object (docs/certificate.md); the same solution gives the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from holdfast import __version__
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError, did_you_mean
from holdfast.game import Configuration, Position, choices, is_admissible, is_unsafe, move
from holdfast.logic import Player
from holdfast.running import sha256_of, write_whole
from holdfast.solver import (
    AgainProof,
    RecoveryProof,
    Restriction,
    Solution,
    belief_witness,
    recovery_layers,
    recovery_witness,
    solve_beliefs,
    witness,
)

FORMAT, VERSION = "holdfast-certificate", 1
MAX_BYTES, MAX_VALUES = 64 << 20, 1_000_000
AGAIN = " again"
"""How a claim ends that a goal can be visited again and again."""

SIGHT = "sight"
"""The claim that is about what the defender sees, unless the scenario has a goal of this name."""


def certify(
    solution: Solution,
    path: Path | None = None,
    budget: Budget = UNLIMITED,
    *,
    restriction: Restriction | None = None,
    claim: str | None = None,
) -> bytes:
    """The certificate of a solved scenario, also written to a file if there is a path.

    Args:
        solution: of a scenario's configuration, or of one that ``restricted`` made of it.
        path: where to write it.
        budget: memory and time.
        restriction: what the configuration was restricted to; None if it was not.
        claim: the name of a goal, to prove besides the verdict whether and how soon it can be forced; with
            " again" behind it, whether it can be visited again and again; or ``"sight"``, to prove the
            verdict for a defender who sees what its sensors show.

    Raises:
        InputError: for a game that is no scenario, a goal that it does not have or a design that is lost
            where one is named, sight where everything is seen, or a file that cannot be written.
        LimitError: where the witness is larger than a certificate may be.
    """
    budget.tick("writing the certificate")
    configuration = solution.configuration
    _require_scenario(configuration)
    if claim is not None:
        require_claim(configuration, claim)
        if not solution.defensible:
            raise InputError(
                f'the design cannot be defended, so there is no claim about "{claim}" to prove; '
                "a certificate without a claim proves that"
            )
        if _is_about_sight(configuration, claim):
            return _certify_sight(solution, path, budget)
        return _certify_recovery(solution, claim, path, budget)
    verdict = "defensible" if solution.defensible else "not defensible"
    proof = proof_of(solution, budget)
    return certificate_of(configuration, verdict, proof, path, budget, restriction)


def proof_of(solution: Solution, budget: Budget = UNLIMITED) -> dict[str, Any]:
    """The witness of a verdict, as a certificate has it."""
    return witness(solution, _settled(solution.configuration), budget)


def require_claim(configuration: Configuration, claim: str) -> None:
    """Refuse a claim about a goal that a configuration does not have, or about sight where all is seen.

    Raises:
        InputError: naming the goals that it has.
    """
    if not _is_about_sight(configuration, claim):
        _claimed_goal(configuration, claim)
        return
    sight = configuration.system.sight
    if sight is None or sight.placed is None:
        raise InputError(
            "the defender of the scenario sees everything, so there is no claim about sight to prove; "
            "say what it sees, in a network with sensors:, or certify without a claim"
        )


def _claimed_goal(configuration: Configuration, claim: str) -> tuple[str, bool]:
    """The goal of a configuration that a claim is about, and whether it is about visiting it again and again.

    Raises:
        InputError: naming the goals that there are, for any other.
    """
    goals, goal = configuration.goals, claim.removesuffix(AGAIN)
    if claim in goals or goal not in goals:
        goal = claim
    if goal not in goals:
        known = did_you_mean(claim, goals) or (f"; known are {', '.join(goals)}" if goals else "")
        hint = known or "; it has none: name some in a section recovery:"
        raise InputError(f'the scenario has no goal "{claim}"{hint}')
    return goal, goal != claim


def _is_about_sight(configuration: Configuration, claim: str) -> bool:
    return claim == SIGHT and claim not in configuration.goals


def _certify_sight(solution: Solution, path: Path | None, budget: Budget) -> bytes:
    sight = solution.configuration.system.sight
    assert sight is not None, "what is seen was asked for"
    answer = solve_beliefs(solution, sight, budget)
    witness = belief_witness(solution, answer, budget)
    verdict = "defensible" if answer.defensible else "not defensible"
    claimed = {"sensors": list(answer.sight.placed or ())}
    return certificate_of(solution.configuration, verdict, witness, path, budget, claim=claimed)


def _certify_recovery(solution: Solution, claim: str, path: Path | None, budget: Budget) -> bytes:
    configuration = solution.configuration
    goal, again = _claimed_goal(configuration, claim)
    if not solution.defensible:
        raise InputError(
            f'the design cannot be defended, so there is no claim about "{claim}" to prove; '
            "a certificate without a claim proves that"
        )
    layers, claimed = recovery_layers(solution, goal), dict[str, Any](goal=goal)
    proof: RecoveryProof | AgainProof
    if again:
        proof = layers.again_proof(configuration.initial, budget)
        claimed["again"] = "yes" if proof.trap is None else "no"
    else:
        proof = layers.proof(configuration.initial, budget)
        claimed["moves"] = proof.moves
    settled = None if is_admissible(configuration, configuration.initial) else _around(configuration)
    witness = recovery_witness(solution, proof, settled, budget)
    return certificate_of(configuration, "defensible", witness, path, budget, claim=claimed)


def certificate_of(
    configuration: Configuration,
    verdict: str,
    witness: dict[str, Any],
    path: Path | None = None,
    budget: Budget = UNLIMITED,
    restriction: Restriction | None = None,
    claim: dict[str, Any] | None = None,
    bounds: dict[str, Any] | None = None,
    composition: dict[str, Any] | None = None,
) -> bytes:
    """The certificate of a verdict with its witness, also written to a file if there is a path.

    Raises:
        InputError: for a game that is no scenario, or a file that cannot be written.
        LimitError: where the witness is larger than a certificate may be.
    """
    _require_scenario(configuration)
    budget.tick("writing the certificate")
    text = configuration.text
    added = {} if restriction is None else {"restriction": asdict(restriction)}
    added |= {} if claim is None else {"claim": claim}
    added |= {} if bounds is None else {"bounds": bounds}
    added |= {} if composition is None else {"composition": composition}
    body = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"holdfast {__version__}",
        "scenario": {
            "variant": configuration.variant,
            "sha256": sha256_of(text),
            "text": text,
        },
        **added,
        "verdict": verdict,
        "witness": witness,
    }
    raw = sealed(body)
    n_values = sum(map(raw.count, (b"[", b"{", b",")))
    if len(raw) > MAX_BYTES or n_values > MAX_VALUES:
        raise LimitError(
            f"the certificate would have {len(raw):,} bytes and {n_values:,} values; "
            f"at most {MAX_BYTES:,} and {MAX_VALUES:,} can be checked"
        )
    if path is not None:
        write_whole(path, raw, "the certificate")
    return raw


def _require_scenario(configuration: Configuration) -> None:
    if not configuration.text:
        raise InputError(
            "a certificate is about a scenario, and this configuration comes from no scenario file; "
            "write the game as a scenario and load it"
        )


def sealed(body: dict[str, Any]) -> bytes:
    """The file: format and version first, then the hash of all the rest, an entry on each line."""
    rest = {key: value for key, value in body.items() if key != "sha256"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    entries = {
        "format": None,
        "version": None,
        "sha256": sha256_of(canonical),
        **rest,
    }
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items())
    return f"{{\n{lines}\n}}\n".encode()


def _settled(configuration: Configuration) -> dict[Position, int] | None:
    """The witness where s₀ violates φ_A: the adversary never moves, so one defender move decides it.

    Positions of the region, or with their ranks; none where v₀ is unsafe. None where s₀ keeps φ_A.
    """
    initial = configuration.initial
    if is_admissible(configuration, initial):
        return None
    if is_unsafe(configuration, initial):
        return {}
    stays = [initial] if initial.turn is Player.ADVERSARY else _safely(configuration)
    return dict.fromkeys(stays, 1)


def _safely(configuration: Configuration) -> list[Position]:
    """v₀, where the defender moves, and where its first choice leads that cannot violate, if there is one."""
    initial, game = configuration.initial, configuration.game
    for outcomes in choices(game, initial.turn):
        targets = [move(configuration, initial, number) for number in outcomes]
        safe = [target for target in targets if target is not None and not is_unsafe(configuration, target)]
        if len(safe) == len(outcomes):
            return list(dict.fromkeys((initial, *safe)))
    return [initial]


def _around(configuration: Configuration) -> list[Position]:
    """v₀ and, where the defender is to move, the positions that it can move to without a violation."""
    initial = configuration.initial
    if initial.turn is Player.ADVERSARY:
        return [initial]
    moves = (move(configuration, initial, a) for a in range(len(configuration.game.actions[initial.turn])))
    safe = [target for target in moves if target is not None and not is_unsafe(configuration, target)]
    return list(dict.fromkeys((initial, *safe)))
