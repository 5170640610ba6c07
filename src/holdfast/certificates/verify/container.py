"""The file: read within bounds, its shape checked, and nothing in it believed.

What is not exactly as docs/certificate.md says is an InputError, before anything is built from it. Sizes are
compared with their bounds before memory is taken for them, so that a hostile file costs no more than an
honest one of its size.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from typing import TYPE_CHECKING, Any, NoReturn

from holdfast.errors import InputError, LimitError
from holdfast.running.files import sha256_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_BYTES, MAX_VALUES, MAX_CELLS = 64 << 20, 1_000_000, 1 << 26

DEFENSIBLE, NOT_DEFENSIBLE, PLAYBOOK, REACHED, NEVER, AGAIN, NOT_AGAIN, HELD, LOST = (
    "defensible",
    "not defensible",
    "playbook",
    "reached",
    "never",
    "again",
    "not again",
    "held with what is seen",
    "lost with what is seen",
)
"""What a certificate proves: a verdict, that rules keep the requirement, what is claimed of a goal, or a
verdict for a defender who does not see everything."""

LIKELY = "likely"
"""What a certificate proves that says how likely the requirement is kept."""

REGION, FORCED, RECOVERY, TRAP, HOME, VISITS = "region", "ranks", "recovery", "trap", "home", "visits"
SECTIONS = {
    DEFENSIBLE: (REGION,),
    NOT_DEFENSIBLE: (FORCED,),
    PLAYBOOK: (REGION,),
    REACHED: (REGION, RECOVERY),
    NEVER: (REGION, TRAP, FORCED),
    AGAIN: (REGION, HOME, RECOVERY),
    NOT_AGAIN: (REGION, VISITS, FORCED),
    HELD: (),
    LOST: (FORCED,),
}
"""The sets and ranks of a witness by what it proves, in the order in which diagrams have them."""
RANKED = (FORCED, RECOVERY, VISITS)

Entries = str | tuple[str, str]
"""Which entries are meant: of a part of the file, or of a witness by its kind and what it proves."""

ENTRIES: dict[Entries, dict[str, type | tuple[type, ...]]] = {
    "": {"format": str, "version": int, "sha256": str, "written_by": str, "scenario": dict,
         "verdict": str, "witness": dict},
    "restricted": {"format": str, "version": int, "sha256": str, "written_by": str, "scenario": dict,
                   "restriction": dict, "verdict": str, "witness": dict},
    "restriction": {"kind": str, "number": int},
    "claiming": {"format": str, "version": int, "sha256": str, "written_by": str, "scenario": dict,
                 "claim": dict, "verdict": str, "witness": dict},
    "claim": {"goal": str, "moves": (int, str)},
    "claim again": {"goal": str, "again": str},
    "seeing": {"sensors": list},
    "scenario": {"variant": (str, type(None)), "sha256": str, "text": str},
    ("arrays", "defensible"): {"kind": str, "planes": list, "region": str},
    ("arrays", "not defensible"): {"kind": str, "planes": list, "ranks": str, "moves": str},
    ("diagrams", "defensible"): {"kind": str, "planes": list, "dddmp": str},
    ("diagrams", "not defensible"): {"kind": str, "planes": list, "ranks": int, "moves": list, "dddmp": str},
    ("arrays", "playbook"): {"kind": str, "planes": list, "region": str, "rules": list, "otherwise": str},
    ("diagrams", "playbook"): {"kind": str, "planes": list, "dddmp": str, "rules": list, "otherwise": str},
    ("arrays", REACHED): {"kind": str, "planes": list, "region": str, "recovery": str},
    ("diagrams", REACHED): {"kind": str, "planes": list, "recovery": int, "dddmp": str},
    ("arrays", NEVER): {"kind": str, "planes": list, "region": str, "trap": str, "ranks": str, "moves": str},
    ("diagrams", NEVER): {"kind": str, "planes": list, "ranks": int, "moves": list, "dddmp": str},
    ("arrays", AGAIN): {"kind": str, "planes": list, "region": str, "home": str, "recovery": str},
    ("diagrams", AGAIN): {"kind": str, "planes": list, "recovery": int, "dddmp": str},
    ("arrays", NOT_AGAIN): {"kind": str, "planes": list, "region": str, "visits": str, "ranks": str,
                            "moves": str},
    ("diagrams", NOT_AGAIN): {"kind": str, "planes": list, "visits": int, "ranks": int, "moves": list,
                              "dddmp": str},
    ("arrays", HELD): {"kind": str, "planes": list, "beliefs": list, "positions": str, "start": list,
                       "stances": list},
    ("diagrams", HELD): {"kind": str, "planes": list, "beliefs": list, "start": list, "stances": list,
                         "dddmp": str},
    ("arrays", LOST): {"kind": str, "planes": list, "beliefs": list, "positions": str, "start": list,
                       "refuted": list, "ranks": str, "moves": str},
    ("diagrams", LOST): {"kind": str, "planes": list, "ranks": int, "moves": list, "beliefs": list,
                         "start": list, "refuted": list, "dddmp": str},
    "rule": {"when": str, "memory": list, "do": str},
    "likely": {"format": str, "version": int, "sha256": str, "written_by": str, "scenario": dict,
               "bounds": dict, "verdict": str, "witness": dict},
    "bounds": {"low": str, "high": str, "moves": int},
    "both bounds": {"low": str, "high": str, "moves": int, "forever": str, "least": str},
    "composed": {"format": str, "version": int, "sha256": str, "written_by": str, "scenario": dict,
                 "composition": dict, "verdict": str, "witness": dict},
    "composition": {"zones": list, "lost": int},
    ("zones", DEFENSIBLE): {"kind": str, "zones": list},
    ("zones", NOT_DEFENSIBLE): {"kind": str, "zones": list},
    ("arrays", LIKELY): {"kind": str, "planes": list, "units": int, "values": str},
    ("diagrams", LIKELY): {"kind": str, "planes": list, "values": str},
}  # fmt: skip


def read(source: str | os.PathLike[str] | bytes) -> dict[str, Any]:
    """A certificate whose shape and hashes are right; that its witness is one remains to be shown.

    Raises:
        InputError: for anything that is not a whole, unaltered certificate of a known version.
    """
    data = _parsed(_bytes(source))
    if data.get("format") != "holdfast-certificate" or data.get("version") != 1:
        refuse("it does not say that it is a holdfast-certificate of version 1, the one that is known here")
    parts = {"claim": "claiming", "restriction": "restricted", "bounds": "likely", "composition": "composed"}
    _check_shape(data, next((shape for part, shape in parts.items() if part in data), ""))
    scenario, witness = data["scenario"], data["witness"]
    rest = {key: value for key, value in data.items() if key != "sha256"}
    if sha256_of(json.dumps(rest, sort_keys=True, separators=(",", ":"))) != data["sha256"]:
        refuse("it was altered: its contents do not match their SHA-256")
    _check_shape(scenario, "scenario")
    if sha256_of(scenario["text"]) != scenario["sha256"]:
        refuse("its scenario was altered: the text does not match its SHA-256")
    if "restriction" in data:
        _check_shape(data["restriction"], "restriction")
    if "claim" in data:
        _check_claim(data)
    if "bounds" in data:
        _check_shape(data["bounds"], "both bounds" if witness.get("kind") == "diagrams" else "bounds")
    if "composition" in data:
        _check_shape(data["composition"], "composition")
    if ("composition" in data) != (witness.get("kind") == "zones"):
        refuse("it has zones and no witness of them, or the other way round")
    if ("bounds" in data) != (data["verdict"] == LIKELY):
        refuse("it says how likely the requirement is kept and has no bounds of that, or the other way round")
    _check_shape(witness, (str(witness.get("kind")), proved_by(data)))
    for rule in witness.get("rules", ()):
        _check_shape(rule if isinstance(rule, dict) else {}, "rule")
    return data


def check_witness(witness: dict[str, Any], proved: str) -> None:
    """Refuse a witness of one zone that does not have the shape of what it proves."""
    kind = str(witness.get("kind"))
    if kind == "zones":
        refuse("a zone is not divided again")
    _check_shape(witness, (kind, proved))


def _check_claim(data: dict[str, Any]) -> None:
    if "sensors" in data["claim"]:
        _check_shape(data["claim"], "seeing")
        if data["verdict"] not in (DEFENSIBLE, NOT_DEFENSIBLE):
            refuse("of a defender who sees what sensors show a verdict is claimed, and nothing else")
        return
    again = "again" in data["claim"]
    _check_shape(data["claim"], "claim again" if again else "claim")
    if data["verdict"] != DEFENSIBLE:
        refuse("only of what is defensible anything is claimed")
    if again:
        if data["claim"]["again"] not in ("yes", "no"):
            refuse('its claim says neither "yes" nor "no" of visiting the goal again and again')
        return
    moves = data["claim"]["moves"]
    if moves != NEVER and not (isinstance(moves, int) and moves >= 0):
        refuse('the moves of its claim are neither a number of moves nor "never"')


def proved_by(data: dict[str, Any]) -> str:
    """What a certificate proves if it is valid: a key of :data:`SECTIONS`."""
    if "claim" not in data:
        verdict: str = data["verdict"]
        known = (DEFENSIBLE, NOT_DEFENSIBLE, PLAYBOOK, LIKELY)
        return verdict if verdict in known else refuse("its verdict is unknown")
    if "sensors" in data["claim"]:
        return HELD if data["verdict"] == DEFENSIBLE else LOST
    if "again" in data["claim"]:
        return AGAIN if data["claim"]["again"] == "yes" else NOT_AGAIN
    return NEVER if data["claim"]["moves"] == NEVER else REACHED


def refuse(problem: str) -> NoReturn:
    """Say why the file is not a certificate that can be checked."""
    raise InputError(f"not a certificate that can be checked: {problem}")


def _bytes(source: str | os.PathLike[str] | bytes) -> bytes:
    raw = source if isinstance(source, bytes) else b""
    try:
        if not isinstance(source, bytes):
            with open(source, "rb") as file:
                raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{source!s}: cannot read: {getattr(error, 'strerror', error)}") from None
    if len(raw) > MAX_BYTES or sum(map(raw.count, (b"[", b"{", b","))) > MAX_VALUES:
        refuse(f"it has more than {MAX_BYTES:,} bytes or {MAX_VALUES:,} values")
    return raw


def _parsed(raw: bytes) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return dict(pairs) if len(dict(pairs)) == len(pairs) else refuse("an entry stands twice")

    def whole(text: str) -> int:
        return int(text) if len(text) < 12 else absurd(text)

    def absurd(text: str) -> NoReturn:
        refuse(f"the number {text[:20]} does not occur in one")

    try:
        parsed = json.loads(
            raw.decode(), object_pairs_hook=unique, parse_int=whole, parse_float=absurd, parse_constant=absurd
        )
        json.dumps(parsed, ensure_ascii=False).encode()  # a lone surrogate is not text
    except (ValueError, RecursionError):
        refuse("it is truncated, or not JSON; check --certificate writes one")
    return parsed if isinstance(parsed, dict) else refuse("it is not a JSON object")


def _check_shape(data: dict[str, Any], which: Entries) -> None:
    """Exactly the expected entries, of the expected types; a truth value is not a number."""
    if which not in ENTRIES:
        refuse("its verdict, or the kind of its witness, is unknown")
    if data.keys() != ENTRIES[which].keys():
        refuse(f"expected the entries {', '.join(ENTRIES[which])}, found {', '.join(data)[:200]}")
    for key, kind in ENTRIES[which].items():
        if not isinstance(data[key], kind) or isinstance(data[key], bool):
            refuse(f'its entry "{key}" is of the wrong type')


def words(text: str, n: int) -> NDArray[np.uint32]:
    """Exactly ``n`` little-endian 32-bit words out of base64 and zlib, as an array.

    Raises:
        LimitError: past :data:`MAX_CELLS`.
    """
    import numpy as np

    if n > MAX_CELLS:
        raise LimitError(f"the witness has {n:,} numbers; at most {MAX_CELLS:,} are checked")
    try:
        unpacking = zlib.decompressobj()
        raw = unpacking.decompress(base64.b64decode(text, validate=True), 4 * n + 1)
    except (ValueError, zlib.error):
        refuse("its arrays are not base64 of zlib")
    if len(raw) != 4 * n or not unpacking.eof or unpacking.unused_data:
        refuse(f"an array of it does not have {n:,} numbers")
    return np.frombuffer(raw, "<u4")
