"""Networks imported from files: ours in ``tests/imports``, and real ones from ``$HOLDFAST_SAMPLES``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.models.network.importers import import_network
from holdfast.models.network.reader import gather_segment
from paths import ROOT

HERE = ROOT / "tests" / "imports"
SHARED = Path(os.environ.get("HOLDFAST_SAMPLES", ROOT.parent / "shared" / "samples"))


def read(name, **options):
    return import_network(HERE / name, **options)


def shared(name):
    if not (SHARED / name).exists():
        pytest.skip("the shared samples are not here; HOLDFAST_SAMPLES names their folder")
    return SHARED / name


def written(found):
    """The segment that the text of an import says, as the reader of scenarios takes it."""
    scenario = hf.scenario_from_text(found.text)
    return gather_segment(scenario._root["network"], None)


def check_text(found):
    """The scenario must say exactly what was imported, and be one that can be built."""
    segment, network = written(found), found.network
    assert segment.hosts == network.hosts
    assert set(segment.links) == set(network.links)
    assert set(segment.entries) == set(network.entry)
    assert set(segment.exposed) == set(network.exposed)
    assert {zone: tuple(hosts) for zone, hosts in segment.zones.items()} == dict(network.zones)
    assert tuple(segment.groups["critical"]) == network.critical
    hf.configuration(hf.scenario_from_text(found.text))
    return segment
