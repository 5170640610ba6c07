"""The house in numbers: ``python tests/support/house.py [SOURCE]`` counts what a restructuring should bring down.

Sizes and imports are counted from the text. What is one *form of a game*, one *enumerator* or one *driver* is a matter
of judgement, so these are lists of names, checked against the tree: a name that is no longer defined is not counted,
and whoever adds one adds it to its list. A *driver* calls the operator in a loop; that is counted from the text.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FORMS = [
    ("GameStructure",),
    ("ProductTables", "ArrayRegions"),
    ("ProductDiagrams", "DiagramRegions"),
    ("PlayRules",), ("FlatShield",),
    ("ShieldedArena",), ("MergedArena",), ("LearnerView",), ("LazyArena", "Discovery"),
    ("ValueGame",),
    ("Games", "GameRows"),
    ("Listed",), ("Met",), ("Enumerated", "EnumeratedArena"), ("_Response",), ("SafePositions",), ("SafeSets",),
    ("Expansion",), ("LeanArena",), ("ListedPlay", "SetPlay"),
]  # fmt: skip
"""Classes that hold a game, or play in it, in a shape of their own; together in one place those of one shape, as they
were first counted (an engine's regions are its product with ranks). The last two rows are gone: see CONTRIBUTING for
why each of the others is not another one. SafePlay, which took the place of SafePositions and SafeSets, is not here:
it asks sets of positions. Nor are MoveTables, which were not counted then: they live while the quotient is listed."""

ENUMERATORS = {
    "ArrayRegions": "arrays: R, and with its moves kept the shielded arena",
    "LazyArena": "compiled: one move, all moves, or those of a policy",
    "MoveTableBuilder": "compiled: the quotient, as packed words",
    "listed_play": "Python: under a list of rules, position by position",
    "Expansion": "Python, position by position",
    "PositionNumbers": "arrays and a hash table, against a policy",
}
"""What lists positions of safe play. The last two are gone; ``listed_arena``, which searched by itself, leaves that to
ArrayRegions."""

HASHES = ["enter", "lookup_or_insert", "find_or_add", "hash_of", "grown_table", "hashed", "slot_of"]
"""Functions of hash tables written for numba."""

FLATTENED = ["FlatDiagrams", "CaseDiagrams", "LookupTable", "Memory", "MultiValuedDiagrams", "ValueDiagrams"]
"""Decision diagrams as arrays."""


def main(source: Path) -> None:
    """Print every count."""
    modules = [path for path in source.rglob("*.py") if "__pycache__" not in path.parts]
    trees = {path: ast.parse(path.read_text("utf-8")) for path in modules}
    names = {
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    }
    top = {
        p.name
        for p in source.iterdir()
        if not p.name.startswith("_") and (p.is_file() or any(p.rglob("*.py")))
    }
    packages = {p.name for p in source.iterdir() if p.is_dir() and any(p.glob("*.py"))}
    rows = {
        "names at the top": len(top),
        "packages": len(packages),
        "flat modules": len([p for p in source.glob("*.py") if not p.name.startswith("__")]),
        "files": len(modules),
        "lines": sum(len(path.read_text("utf-8").splitlines()) for path in modules),
        "imports of another package's inner module": sum(1 for _ in inner_imports(trees, source)),
        "forms of the game": sum(not names.isdisjoint(form) for form in FORMS),
        "classes that hold them": sum(name in names for form in FORMS for name in form),
        "flattened diagrams": sum(name in names for name in FLATTENED),
        "enumerators of safe play": sum(name in names for name in ENUMERATORS),
        "drivers of backward induction": sum(map(drivers, trees.values())),
        "functions of hash tables": sum(name in names for name in HASHES),
        "assignments to found": sum(assigned(tree, "found") for tree in trees.values()),
        "docstrings that begin with 'The same'": sum(begins(tree, "The same") for tree in trees.values()),
    }
    for what, number in rows.items():
        print(f"{number:>8,}  {what}")


def inner_imports(trees: dict[Path, ast.Module], source: Path) -> Iterator[tuple[Path, str]]:
    """Imports that reach past the front door of another package."""
    for path, tree in trees.items():
        own = path.relative_to(source).parts[0]
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdfast."):
                parts = (node.module or "").split(".")[1:]
                if parts[0] != own.removesuffix(".py") and len(parts) > 1:
                    yield path, node.module or ""


def drivers(tree: ast.Module) -> int:
    """How many functions run the backward induction, one sweep after the other: ``backward`` in a loop."""
    loops = (ast.For, ast.While, ast.comprehension)
    return sum(
        any(isinstance(loop, loops) and calls(loop, "backward") for loop in ast.walk(function))
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.name != "backward"
    )


def calls(tree: ast.AST, name: str) -> bool:
    """Whether a function is called by its bare name."""
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name for n in ast.walk(tree)
    )


def definitions(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The public names that a module defines at its top, functions left out: each with what it stands for."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, f"class {node.name}"
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from named(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from named(node.target, node.value)


def named(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str]]:
    """The public names of an assignment; ``A, B = 1, 2`` says what each is."""
    if isinstance(target, ast.Tuple):
        several = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
        for i, part in enumerate(target.elts):
            yield from named(part, value.elts[i] if several else value)
    elif isinstance(target, ast.Name) and not target.id.startswith("_"):
        yield target.id, ast.unparse(value).replace("npt.NDArray", "NDArray")


def assigned(tree: ast.Module, name: str) -> int:
    """How often a name is assigned to."""
    return sum(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(tree)
    )


def begins(tree: ast.Module, words: str) -> int:
    """How many docstrings begin with some words."""
    kinds = (ast.AsyncFunctionDef, ast.FunctionDef, ast.ClassDef, ast.Module)
    return sum(
        isinstance(n, kinds) and (ast.get_docstring(n) or "").startswith(words) for n in ast.walk(tree)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "src/holdfast"))
