"""Operations on the text of a scenario: what they mean, what they leave alone, and that they can be undone."""

import random

import pytest

from holdfast.apps.studio.bench import Bench
from holdfast.apps.studio.operations import operated
from holdfast.design.recommend.space import design_space
from holdfast.errors import HoldfastError, InputError
from holdfast.game.sight import memories
from holdfast.models.network.reader import gather_segment
from holdfast.scenario.edits import FAR_REACHING, edited, editing_of
from holdfast.scenario.reading import change_of, configuration, scenario_from_text
from holdfast.scenario.text.spellings import inline, scalar
from holdfast.scenario.text.splices import append, drop, put, rename
from holdfast.scenario.text.yaml import data, read_yaml
from operations import random_operation, remarks
from paths import SCENARIOS

PAPER = (SCENARIOS / "paper.yaml").read_text("utf-8")
OFFICE = (SCENARIOS / "office.yaml").read_text("utf-8")


def said(text):
    return data(read_yaml(text, "text"))


def meaning(text, variant=None, changes=()):
    """A design without the order of its links: hosts, links, marks, gates and automata."""
    nodes = tuple(read_yaml(change, "change") for change in changes)
    here = configuration(scenario_from_text(text), variant, changes=nodes)
    graph = here.system.graph
    shown = None
    if graph is not None:
        gates = {a: set(g) for a, g in graph.gates.items()}
        shown = set(graph.nodes), set(graph.arrows), gates, graph.filtered, graph.flows
    return shown, here.defender, here.adversary


def done(text, variant=None, **operation):
    operation = {key.rstrip("_"): value for key, value in operation.items()}
    return operated(Bench(), text, variant, operation).text


# -- splices ----------------------------------------------------------------------------------------


def trees(rng, depth=0):
    """Random data as files have it."""
    kind = rng.random()
    if depth == 0 or (depth < 4 and kind < 0.3):
        return {f"k{i}": trees(rng, depth + 1) for i in range(rng.randrange(1, 4))}
    if depth < 4 and kind < 0.6:
        return [trees(rng, depth + 1) for _ in range(rng.randrange(1, 4))]
    return rng.choice(
        ["GW -> DB", "a: b", "x # y", "on", "12", 3, True, "G (a >= 1)", "{q}", "é", "'", '"', "- a", "*"]
    )


def laid_out(rng, value, indent=0, flow=False):
    """The data as text, in brackets or in blocks, with comments here and there."""
    note = rng.choice(["", "", "   # note " + str(rng.randrange(1000))])
    if flow or not isinstance(value, dict | list) or not value or rng.random() < 0.3:
        return f" {inline(value)}{note}\n"
    pad = " " * (indent + rng.choice([0, 2]) if isinstance(value, list) and indent else indent)
    lines = [f"{note}\n"]
    for key in value if isinstance(value, dict) else range(len(value)):
        if rng.random() < 0.15:
            lines.append(f"{pad}# line {rng.randrange(1000)}\n")
        head = f"{scalar(key)}:" if isinstance(value, dict) else "-"
        child = value[key]
        if isinstance(value, list) and isinstance(child, dict | list):
            lines.append(f"{pad}- {inline(child)}\n")
        else:
            lines.append(f"{pad}{head}{laid_out(rng, child, len(pad) + 2)}")
    return "".join(lines)


def paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield from paths(child, (*path, key))


@pytest.mark.parametrize("seed", range(40))
def test_a_splice_says_what_is_meant_and_keeps_every_comment(seed):
    """Should change the data at a path, and neither other data nor comments."""
    rng = random.Random(seed)
    whole = trees(rng)
    text = laid_out(rng, whole).lstrip("\n").removeprefix(" ")
    assert said(text) == whole
    path = rng.choice([p for p in paths(whole) if p])
    new = trees(rng, 3)
    try:
        changed = put(text, path, new)
    except InputError:
        return
    meant = said(text)
    here = meant
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = new
    assert said(changed) == meant
    assert remarks(changed) == remarks(text)
    back = said(text)
    for step in path:
        back = back[step]
    assert said(put(changed, path, back)) == said(text)


@pytest.mark.parametrize(
    "text",
    [
        "a: [x, y]\n",
        "a:\n- x\n- y  # last\n",
        "a:\n  - x # first\n\n  - y\nb: 1\n",
        "{a: [x, y]}",
        "a: [\n  x, # one\n  y,\n]\n",
    ],
)
def test_an_item_added_and_dropped_leaves_the_text(text):
    """Should be undone by its inverse, to the letter."""
    assert said(append(text, ("a",), "z"))["a"] == ["x", "y", "z"]
    assert drop(append(text, ("a",), "z"), ("a", 2)) == text
    assert said(drop(text, ("a", 0)))["a"] == ["y"]


def test_keys_are_renamed_and_dropped_where_they_stand():
    """Should keep order and layout."""
    text = "a:\n  b: 1 # one\n  c: 2\n"
    assert rename(text, ("a", "b"), "d") == "a:\n  d: 1 # one\n  c: 2\n"
    assert drop(text, ("a", "b")) == "a:\n  # one\n  c: 2\n"
    assert put("a: {b: 1}\n", ("a", "c"), [1]) == "a: {b: 1, c: [1]}\n"


def test_what_aliases_share_is_written_out_when_one_of_them_changes():
    """Should change the place that is meant and no other that shares it."""
    text = "a: &x [1, 2]\nb: *x\nc: *x\n"
    assert said(append(text, ("a",), 3)) == {"a": [1, 2, 3], "b": [1, 2], "c": [1, 2]}
    assert put(text, ("b",), 5) == "a: &x [1, 2]\nb: 5\nc: *x\n"


# -- operations -------------------------------------------------------------------------------------

SAME = [
    ({"kind": "cut_link", "from": "Web", "to": "WS"}, "remove_links: [Web -> WS]"),
    ({"kind": "add_link", "from": "BK", "to": "GW"}, "add_links: [BK -> GW]"),
    ({"kind": "add_host", "name": "New"}, "add_hosts: [New]"),
    ({"kind": "add_host", "name": "New", "zone": "dmz"}, "add_hosts: [New: {zone: dmz}]"),
    ({"kind": "remove_host", "name": "WS"}, "remove_hosts: [WS]"),
    ({"kind": "mark", "name": "Web", "mark": "entry"}, "entry: [GW, Web]"),
    ({"kind": "mark", "name": "Web", "mark": "exposed"}, "exposed: [Web]"),
    ({"kind": "mark", "name": "DB", "mark": "hardened"}, "change_hosts: [DB: {cannot: [spread]}]"),
    ({"kind": "mark", "name": "WS", "mark": "critical"}, "specs: {defender: {add: ['G (WS not in {X, D, Z})']}}"),
    ({"kind": "mark", "name": "DB", "mark": "watched"}, "sensors: [DB]"),
    ({"kind": "blockable", "from": "GW", "to": "Web"}, "add_links: [{from: GW, to: Web, block: yes}]"),
    ({"kind": "filter", "from": "GW", "to": "Web"}, "add_links: [{from: GW, to: Web, filter: yes}]"),
    ({"kind": "add_clause", "side": "adversary", "text": "G !spread(BK)"}, "specs: {adversary: {add: [G !spread(BK)]}}"),
    ({"kind": "set_number", "name": "adversary 0: times(destroy) <= {}", "value": 3}, "specs: {adversary: [G (times(destroy) <= 3)]}"),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "change"), SAME)
@pytest.mark.parametrize("variant", [None, "no-bypass"])
def test_an_operation_means_what_a_variant_would_say(operation, change, variant):
    """Should give the design that the same change gives where it is written as a variant is."""
    found = operated(Bench(), PAPER, variant, operation)
    try:
        expected = meaning(PAPER, variant, [change])
    except HoldfastError:
        assert variant is not None and operation["kind"] == "remove_host"  # of which the variant says more
        return
    assert meaning(found.text, variant) == expected
    assert remarks(found.text) == remarks(PAPER)
    assert found.said.endswith(".")


INVERSES = [
    ({"kind": "cut_link", "from_": "Web", "to": "WS"}, {"kind": "add_link", "from_": "Web", "to": "WS"}),
    ({"kind": "add_link", "from_": "BK", "to": "GW"}, {"kind": "cut_link", "from_": "BK", "to": "GW"}),
    ({"kind": "add_host", "name": "New"}, {"kind": "remove_host", "name": "New"}),
    ({"kind": "rename_host", "name": "WS", "to": "Desk"}, {"kind": "rename_host", "name": "Desk", "to": "WS"}),
    ({"kind": "mark", "name": "Web", "mark": "exposed"}, {"kind": "mark", "name": "Web", "mark": "exposed", "on": False}),
    ({"kind": "mark", "name": "DB", "mark": "hardened"}, {"kind": "mark", "name": "DB", "mark": "hardened", "on": False}),
    ({"kind": "mark", "name": "WS", "mark": "critical"}, {"kind": "mark", "name": "WS", "mark": "critical", "on": False}),
    ({"kind": "blockable", "from_": "GW", "to": "Web"}, {"kind": "blockable", "from_": "GW", "to": "Web", "on": False}),
    ({"kind": "filter", "from_": "GW", "to": "Web"}, {"kind": "filter", "from_": "GW", "to": "Web", "on": False}),
    ({"kind": "add_variant", "name": "mine"}, {"kind": "remove_variant", "name": "mine"}),
    ({"kind": "rename_variant", "name": "no-bypass", "to": "x"}, {"kind": "rename_variant", "name": "x", "to": "no-bypass"}),
]  # fmt: skip


WHOLE = ("rename_host", "rename_variant", "add_variant")
"""Operations on the whole file, which no variant has of its own."""


@pytest.mark.parametrize(
    ("there", "back", "variant"),
    [(*pair, None) for pair in INVERSES]
    + [(*pair, "no-bypass") for pair in INVERSES if pair[0]["kind"] not in WHOLE],
)
def test_an_operation_and_its_inverse_give_the_same_design(there, back, variant):
    """Should come back to the same text, or at least to the same design with every comment."""
    text = done(done(PAPER, variant, **there), variant, **back)
    assert meaning(text, variant) == meaning(PAPER, variant)
    assert remarks(text) == remarks(PAPER)
    if variant is None and there["kind"] not in ("cut_link", "blockable", "filter"):
        assert said(text) == said(PAPER)


FLOWS = PAPER.replace(
    "  entry: GW\n",
    "  entry: GW\n  flows: {shop: GW -> Web -> DB, old: GW -> DB, two: {paths: [WS -> DB, Web -> DB]}}\n",
    1,
)


def test_edits_keep_flows():
    """Should keep a flow whose link is switched off, rename hosts in it, and drop it with a host of its path."""
    assert FLOWS != PAPER
    cut = done(FLOWS, None, kind="cut_link", from_="Web", to="DB")
    assert "remove_links: [Web -> DB]" in cut
    here = configuration(scenario_from_text(cut))
    assert str(here.game.definitions["flow(shop)"]) == "false"
    assert done(cut, None, kind="add_link", from_="Web", to="DB") == FLOWS
    assert "shop: Gate -> Web -> DB" in done(FLOWS, None, kind="rename_host", name="GW", to="Gate")
    less = configuration(scenario_from_text(done(FLOWS, None, kind="remove_host", name="WS")))
    assert [flow.routes for flow in less.system.graph.flows] == [(("GW", "Web", "DB"),), (), (("Web", "DB"),)]
    least = configuration(scenario_from_text(done(FLOWS, None, kind="remove_host", name="Web")))
    assert [flow.name for flow in least.system.graph.flows] == ["old", "two"]


def test_edits_keep_sensors():
    """Should place and take away sensors, with what is said of others, and follow hosts that change."""
    text = (SCENARIOS / "two-copies.yaml").read_text()
    both = done(text, "watched", kind="mark", name="FS", mark="watched")
    assert "sensors: [FS, BK]" in both
    assert done(both, "watched", kind="mark", name="FS", mark="watched", on=False) == text
    assert "{sensors: none}" in done(text, "watched", kind="mark", name="BK", mark="watched", on=False)
    late = configuration(
        scenario_from_text(done(text, "late", kind="mark", name="FS", mark="watched")), "late"
    )
    assert late.system.sight.placed == ("FS", "BK") and len(memories(late.system.sight)) == 1
    renamed = scenario_from_text(done(text, None, kind="rename_host", name="BK", to="Vault"))
    assert configuration(renamed, "late").system.sight.placed == ("Vault",)
    less = scenario_from_text(done(text, "watched", kind="remove_host", name="Mail"))
    assert configuration(less, "watched").system.sight.placed == ("BK",)
    gone = FLOWS.replace("  entry: GW\n", "  entry: GW\n  sensors: {WS: {delay: 1}, Web: {}}\n", 1)
    assert "sensors: {Web: {}}" in done(gone, None, kind="remove_host", name="WS")
    lone = FLOWS.replace("  entry: GW\n", "  entry: GW\n  sensors: [WS]\n", 1)
    assert "sensors: none" in done(lone, None, kind="remove_host", name="WS")
    pair = FLOWS.replace("  entry: GW\n", "  entry: GW\n  sensors: [WS, Web]\n", 1)
    assert "sensors: [Web]" in done(pair, None, kind="remove_host", name="WS")
    with pytest.raises(InputError, match="there is a sensor at BK"):
        done(text, "watched", kind="mark", name="BK", mark="watched")


def test_an_edit_of_a_variant_leaves_the_base_alone():
    """Should change what the variant says, and take back what it had said before."""
    text = done(PAPER, "no-bypass", kind="add_link", from_="GW", to="WS")
    assert "remove_links" not in text and meaning(text) == meaning(PAPER)
    assert meaning(text, "no-bypass") == meaning(PAPER)
    cut = done(PAPER, "fully-connected", kind="cut_link", from_="WS", to="GW")
    assert cut == PAPER.replace("      - DB -> BK\n", "      - DB -> BK\n    remove_links: [WS -> GW]\n")
    assert done(cut, "fully-connected", kind="add_link", from_="WS", to="GW") == PAPER


def test_a_renamed_host_is_renamed_in_clauses_and_variants():
    """Should leave a file that means the same under another name."""
    text = done(OFFICE, None, kind="rename_host", name="Files", to="Share")
    assert "Files" not in {n.name for n in configuration(scenario_from_text(text)).system.graph.nodes}
    assert "remove_links: [Share -> Backup, DC -> Backup]" in text
    assert "G !(Share in {X, D, Z} & Backup in {X, D, Z})" in text


def test_a_number_changes_in_guards_names_and_formulas():
    """Should keep the automaton and its layout, and say the number in its name."""
    text = done(PAPER, None, kind="set_number", name="defender 1: active >= {}", value=2)
    changed = [line for line in text.splitlines() if line not in PAPER.splitlines()]
    assert changed == [
        "    - name: at least two hosts are active",
        "          - {from: safe, to: safe, when: active >= 2}",
        "          - {from: safe, to: viol, when: active < 2}",
    ]
    assert meaning(text) == meaning(PAPER, "two-active")


def test_recommended_changes_are_applied_and_named_ones_become_a_variant():
    """Should do what recommend names, one after the other."""
    text = done(PAPER, None, kind="apply", changes=["cut GW -> WS", "harden DB"])
    both = ["remove_links: [GW -> WS]", "change_hosts: [DB: {cannot: [spread]}]"]
    assert meaning(text) == meaning(PAPER, None, both)
    design = PAPER + "\ndesign:\n  changes:\n    - {name: a second door, variant: {add_links: [BK -> GW]}}\n"
    found = operated(Bench(), design, None, {"kind": "apply", "changes": ["a second door"]})
    assert (found.variant, found.moved) == ("a-second-door", True)
    assert meaning(found.text, "a-second-door") == meaning(PAPER, None, ["add_links: [BK -> GW]"])


@pytest.mark.parametrize(
    "operation",
    [{"kind": "cut_link", "from": "BK", "to": "GW"}, {"kind": "add_link", "from": "GW", "to": "GW"},
     {"kind": "add_link", "from": "GW", "to": "Nowhere"}, {"kind": "add_host", "name": "DB"},
     {"kind": "add_host", "name": "G (x)"}, {"kind": "remove_host", "name": "DB"}, {"kind": "nonsense"}, {},
     {"kind": "cut_link", "from": "GW"}, {"kind": "set_clause", "side": "defender", "index": 0, "text": "G (DB ="},
     {"kind": "set_clause", "side": "defender", "index": 9, "text": "G true"}, {"kind": "add_variant", "name": "base"},
     {"kind": "set_number", "name": "x", "value": 1}, {"kind": "mark", "name": "GW", "mark": "entry", "on": False}],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_in_words(operation):
    """Should say why, and leave no half-done text behind."""
    with pytest.raises(HoldfastError):
        operated(Bench(), PAPER, None, operation)


@pytest.mark.parametrize("name", ["paper", "office", "water-tank"])
def test_any_operations_leave_a_file_that_loads_with_its_comments(name):
    """Should keep every design of the file readable, and every comment, whatever was done before."""
    rng, bench = random.Random(name), Bench()
    text, n_done = (SCENARIOS / f"{name}.yaml").read_text("utf-8"), 0
    for _ in range(8):
        variant = rng.choice([None, *bench.scenario(text).variants])
        operation = random_operation(rng, bench, text, variant)
        try:
            changed = operated(bench, text, variant, operation).text
        except HoldfastError:
            continue
        assert not remarks(text) - remarks(changed), operation
        scenario = scenario_from_text(changed)
        for design in (None, *scenario.variants):
            configuration(scenario, design)
        text, n_done = changed, n_done + 1
    assert n_done > 2


def test_the_text_is_read_again_before_it_is_handed_out():
    """Should refuse an edit after which some design would not load."""
    with pytest.raises(
        HoldfastError,
        match=r"the rule \"DB and BK are never bad together\".* names DB; remove it with the host",
    ):
        edited(scenario_from_text(PAPER), None, {"kind": "remove_host", "name": "DB"})


# -- off and on ---------------------------------------------------------------------------------------

NETWORKS = [path.name for path in sorted(SCENARIOS.glob("*.yaml")) if "\nnetwork:" in path.read_text("utf-8")]


def segments(text):
    """Every design of a file as it is before the game is built: quick, and all that links can change."""
    scenario = scenario_from_text(text)
    section, variants = scenario._root["network"], scenario._root.get("variants")
    nodes = {None: None, **(variants.entries if variants is not None else {})}
    return {name: gather_segment(section, change_of(scenario._model, node)) for name, node in nodes.items()}


def structure(text, variant, **operation):
    """The text with an operation done; of the result only the structure is read."""
    operation = {key.rstrip("_"): value for key, value in operation.items()}
    return edited(scenario_from_text(text), variant, operation, lambda text, _: scenario_from_text(text)).text


@pytest.mark.parametrize("name", NETWORKS)
def test_a_link_of_the_base_that_is_cut_and_added_again_leaves_the_file(name):
    """Should come back to the same text to the letter, and in between change no variant that lacks the link."""
    text = (SCENARIOS / name).read_text("utf-8")
    before = segments(text)
    links = before[None].links
    for source, target in random.Random(name).sample(links, min(len(links), 12)):
        cut = structure(text, None, kind="cut_link", from_=source, to=target)
        during = segments(cut)
        assert (source, target) not in during[None].links
        for variant, segment in before.items():
            if (source, target) not in segment.links:
                assert during[variant] == segment, variant
        assert structure(cut, None, kind="add_link", from_=source, to=target) == text


@pytest.mark.parametrize("name", ["paper.yaml", "office.yaml", "plant.yaml"])
def test_an_edit_of_a_variant_leaves_other_designs(name):
    """Should change the design at hand alone."""
    text = (SCENARIOS / name).read_text("utf-8")
    before = segments(text)
    for variant in [name for name in before if name is not None]:
        for source, target in before[variant].links[:3]:
            cut = segments(structure(text, variant, kind="cut_link", from_=source, to=target))
            assert {v: s for v, s in cut.items() if v != variant} == {
                v: s for v, s in before.items() if v != variant
            }


@pytest.mark.parametrize(
    "links",
    ["[GW -> WS]", "[GW <-> WS, WS -> DB]", "[all -> all]", "\n    - GW -> WS # a\n    - WS -> DB\n    # end",
     "[{from: GW, to: WS, block: yes, name: door}]", "['GW -> WS']"],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "", "\nvariants: {less: {remove_links: [GW -> WS]}}\n",
                                 "\ndesign: {keep: [GW -> WS], changes: [cut GW -> WS]}\n"])  # fmt: skip
def test_links_of_every_spelling_are_switched_off_and_on(links, end):
    """Should keep brackets, quotes, comments, blocks, groups, a design's wishes, and the end of the file."""
    text = f"""holdfast: 1
specs: {{defender: [G (DB != Z)]}}
network:
  hosts: [GW, WS, DB]
  sets: {{all: [GW, WS, DB]}}
  entry: GW
  links: {links}{end}"""
    cut = done(text, None, kind="cut_link", from_="GW", to="WS")
    assert ("GW", "WS") not in segments(cut)[None].links
    assert done(cut, None, kind="add_link", from_="GW", to="WS") == text
    if "all ->" not in text:
        added = done(text, None, kind="add_link", from_="DB", to="GW")
        assert done(added, None, kind="cut_link", from_="DB", to="GW") == text


def test_what_a_variant_and_a_design_say_of_a_link_that_is_off_is_taken_as_done():
    """Should load and recommend as if the variant had made the change, and know a mistyped link all the same."""
    text = PAPER + "design:\n  keep: [GW -> WS]\n  changes: [cut GW -> WS, cut Web -> WS]\n"
    cut = done(text, None, kind="apply", changes=["cut GW -> WS"])
    assert "remove_links: [GW -> WS]\n\nspecs" in cut and cut.endswith(text[-200:])
    assert segments(cut)[None] == segments(text)["no-bypass"]
    assert [change.name for change in design_space(scenario_from_text(cut)).changes] == ["cut Web -> WS"]
    with pytest.raises(HoldfastError, match=r"no link GW -> DB to remove; did you mean"):
        scenario_from_text(cut.replace("remove_links: [GW -> WS]\n\n", "remove_links: [GW -> DB]\n\n"))
    with pytest.raises(HoldfastError, match="no link BK -> DB to remove"):
        scenario_from_text(cut.replace("    remove_links: [GW -> WS]\n", "    remove_links: [BK -> DB]\n"))


def test_a_link_that_a_variant_adds_is_not_added_to_the_base_unasked():
    """Should say which variant has to be changed first, and change nothing."""
    text = PAPER + "  more:\n    add_links: [BK -> GW]\n"
    with pytest.raises(InputError, match="more adds BK -> GW by itself; cut it there first"):
        done(text, None, kind="add_link", from_="BK", to="GW")


def test_the_removal_of_a_host_says_which_variants_it_changed():
    """Should not touch what variants say without a word."""
    found = operated(Bench(), PAPER, None, {"kind": "remove_host", "name": "WS"})
    assert found.said == "WS is removed, with its links; fully-connected, no-bypass speak of it no more."
    assert operated(Bench(), found.text, None, {"kind": "add_host", "name": "New"}).said.startswith("A host")
    off = done(PAPER, None, kind="cut_link", from_="GW", to="WS")
    assert "GW -> WS" not in done(off, None, kind="remove_host", name="WS").split("variants:")[0]


def test_a_model_says_itself_which_of_its_operations_reach_far():
    """Should name no operation of a model in the core, and check the clauses of variants where the model says so."""
    scenario = scenario_from_text(PAPER + "  odd:\n    specs: {defender: [G (WS != Z)]}\n")
    editing = editing_of(scenario)
    assert not set(FAR_REACHING) & set(editing.operations)
    assert set(editing.far_reaching) == {"remove_host", "rename_host"} <= set(editing.operations)
    with pytest.raises(HoldfastError, match=r"odd.*WS"):
        edited(scenario, None, {"kind": "remove_host", "name": "WS"})


# -- words, prices and places -------------------------------------------------------------------------


def test_marks_are_written_and_taken_back_to_the_letter():
    """Should write each mark into its section, and give the same text again when it is taken away."""
    marks = [
        ({"kind": "label", "of": "DB", "text": "db.corp.local"}, {"text": ""}),
        ({"kind": "note", "of": "GW -> Web", "text": "old"}, {"text": ""}),
        ({"kind": "pace", "move": "30 min"}, {"move": ""}),
        ({"kind": "keep", "of": "GW -> Web", "on": True}, {"on": False}),
        ({"kind": "chance", "of": "GW -> WS", "chance": 0.25}, {"chance": None}),
        ({"kind": "flow", "name": "shop", "path": ["GW", "Web", "DB"]}, {"path": []}),
        ({"kind": "zone", "names": ["Web", "DB"], "zone": "dmz"}, {"zone": None}),
    ]
    for operation, back in marks:
        after = edited(scenario_from_text(PAPER), None, operation).text
        assert after != PAPER
        again = edited(scenario_from_text(after), None, operation | back).text
        assert again.strip() == PAPER.strip(), operation["kind"]


def test_one_of_a_group_can_be_put_into_another_zone():
    """Should name the others of the group where the group was named."""
    plant = (SCENARIOS / "plant.yaml").read_text("utf-8")
    after = edited(scenario_from_text(plant), None, {"kind": "zone", "names": ["PLC1"], "zone": "cell"}).text
    graph = configuration(scenario_from_text(after)).system.graph
    assert graph.zones["cell"] == ("PLC1",) and set(graph.zones["control"]) == {"PLC2", "SIS"}
    out = edited(scenario_from_text(plant), None, {"kind": "zone", "names": ["PLC1", "PLC2"], "zone": None})
    assert configuration(scenario_from_text(out.text)).system.graph.zones["control"] == ("SIS",)
    lined = plant.replace("{PLC: {count: 2,", "{PLC: {count: 2, zone: control,").replace(
        "[PLC, SIS]", "[SIS]"
    )
    with pytest.raises(InputError, match="one of the group PLC"):
        edited(scenario_from_text(lined), None, {"kind": "zone", "names": ["PLC1"], "zone": "cell"})


def test_words_follow_a_host_that_is_renamed_and_go_with_one_that_is_removed():
    """Should keep labels, notes and places with their host, and say nothing of one that is gone."""
    text = PAPER + "labels: {BK: bk.corp}\nnotes: {BK: BK is old}\nlayout: {BK: [1, 2], GW: [0, 0]}\n"
    renamed = edited(scenario_from_text(text), None, {"kind": "rename_host", "name": "BK", "to": "Tape"}).text
    assert "labels: {Tape: bk.corp}" in renamed and "notes: {Tape: BK is old}" in renamed
    here = configuration(scenario_from_text(renamed))
    assert here.layout == {"Tape": (1.0, 2.0), "GW": (0.0, 0.0)}
    assert here.labels == {"Tape": "bk.corp"}
    operation = {"kind": "remove_host", "name": "Tape", "rules": "drop"}
    gone = edited(scenario_from_text(renamed), None, operation).text
    assert "Tape" not in gone and "layout: {GW: [0, 0]}" in gone
    kept = edited(scenario_from_text(text), None, {"kind": "remove_host", "name": "BK", "instead": "WS"}).text
    assert "count(DB, WS in {X, D, Z})" in kept


def test_a_price_leaves_all_other_changes_to_choose_from():
    """Should price one change, with all others of its kind at their usual price."""
    from holdfast.design import design_space

    operation = {"kind": "cost", "change": "cut GW -> WS", "cost": 7}
    text = edited(scenario_from_text(PAPER), None, operation).text
    costs = {change.name: change.cost for change in design_space(scenario_from_text(text), None, []).changes}
    assert costs["cut GW -> WS"] == 7 and costs["cut GW -> Web"] == 1
