"""Scores of EPSS as FIRST publishes them: how likely a vulnerability is exploited, for scans that name CVEs.

The file is CSV, plain or packed with gzip: perhaps a line with ``#model_version`` and the day, a heading with
``cve`` and ``epss``, and a line for each vulnerability. The largest score of a host's CVEs is taken for how
likely an attempt to compromise it succeeds, which is a stand-in: EPSS says how likely a vulnerability is
exploited anywhere within 30 days.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from holdfast.errors import InputError
from holdfast.game import counted
from holdfast.models.network.importers.draft import Draft

MAX_BYTES = 200_000_000
"""A file that is larger, unpacked, is no list of scores."""

CVE = re.compile(r"CVE-\d{4}-\d{4,19}")
_SCORE = re.compile(r"[01](\.\d{1,12})?|0?\.\d{1,12}")
UNKNOWN_CHANCES = "how likely attempts succeed"
"""How a sentence begins that says that nobody knows it."""


def read_epss(path: Path) -> dict[str, Fraction]:
    """The score of each CVE of a file.

    Raises:
        InputError: for a file that cannot be read, or is no such list; with the line.
    """
    lines = io.StringIO(_text(path))
    scores: dict[str, Fraction] = {}
    columns: tuple[int, int] | None = None
    for number, row in enumerate(csv.reader(lines), 1):
        if not row or row[0].startswith("#"):
            continue
        if columns is None:
            heads = [head.strip().lower() for head in row]
            if "cve" not in heads or "epss" not in heads:
                raise InputError(
                    f"{path}:{number}: expected a heading with cve and epss, as FIRST publishes the scores, "
                    f"found {','.join(row)[:60]!r}"
                )
            columns = heads.index("cve"), heads.index("epss")
            continue
        cells = [row[i].strip() if i < len(row) else "" for i in columns]
        if not CVE.fullmatch(cells[0].upper()) or not _SCORE.fullmatch(cells[1]) or Fraction(cells[1]) > 1:
            raise InputError(
                f"{path}:{number}: expected a CVE and a score from 0 to 1, found {','.join(row)[:60]!r}"
            )
        scores[cells[0].upper()] = Fraction(cells[1])
    if not scores:
        raise InputError(f"{path}: no score in this file; expected the CSV that FIRST publishes (cve,epss,…)")
    return scores


def _text(path: Path) -> str:
    """The text of a file, unpacked if it is packed."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"{path} has more than {MAX_BYTES:,} bytes; that is no list of scores")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is no text; expected the CSV that FIRST publishes (cve,epss,…)") from None


def with_scores(draft: Draft, scores: Mapping[str, Fraction]) -> Draft:
    """The draft with chances by the scores of the CVEs that were found on its hosts.

    A host without a CVE that has a score is taken surely, so that none looks too safe.
    """
    named = {cve for own in draft.cves.values() for cve in own}
    if not named & set(scores):
        why = "no CVE is named" if not named else f"none of its {counted(len(named), 'CVE')} has one"
        return replace(draft, dropped=(*draft.dropped, f"the scores of EPSS: {why}"))
    known = {host: [scores[cve] for cve in own if cve in scores] for host, own in draft.cves.items()}
    chances = {host: max(known.get(host, ()), default=Fraction(1)) for host in draft.hosts}
    assumed = (
        "chances: the largest EPSS score of a host's CVEs for how likely an attempt on it succeeds, 1 where "
        "there is none; a stand-in, see chance"
    )
    missing = len(named - set(scores))
    dropped = (f"{counted(missing, 'CVE')} without a score",) if missing else ()
    return replace(
        draft,
        chances=chances,
        link_chances={},
        dropped=(*draft.dropped, *dropped),
        assumed=(*(text for text in draft.assumed if not text.startswith("chances: ")), assumed),
        unknown=tuple(text for text in draft.unknown if not text.startswith(UNKNOWN_CHANCES)),
    )
