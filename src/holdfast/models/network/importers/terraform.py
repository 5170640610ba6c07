"""Terraform: plans and states as JSON (``terraform show -json``), or configurations as written (HCL).

A plan knows more than a configuration: variables have their values in it, and copies are counted. HCL is read
by ``python-hcl2``, an extra; a value that depends on a variable without a default is not guessed. What the
resources of AWS and Azure mean is in :mod:`~holdfast.models.network.importers.clouds`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.errors import InputError
from holdfast.models.network.importers.cloud_hosts import CloudResource
from holdfast.models.network.importers.clouds import cloud_draft
from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile

MAX_RESOURCES, MAX_NESTING = 20_000, 40
_BLOCK = re.compile(r'^[ \t]*(?:resource|data|module)\s+"[^"\n]+"\s*(?:"[^"\n]+"\s*)?\{', re.MULTILINE)
_VARIABLE = re.compile(r"\$\{(var|local)\.(\w+)\}")


def _recognise(file: ForeignFile) -> bool:
    if file.start.startswith("{"):
        return bool({"planned_values", "values"} & file.keys) and "terraform_version" in file.keys
    return file.path.suffix.lower() == ".tf" or (not file.is_tree and _BLOCK.search(file.text) is not None)


def _read(file: ForeignFile) -> Draft:
    return read_configuration([file])


def read_configuration(files: Sequence[ForeignFile]) -> Draft:
    """The draft of plans, states or configurations that belong together."""
    resources: list[CloudResource] = []
    written = [file for file in files if not file.start.startswith("{")]
    for file in files:
        if file not in written:
            resources += _planned(file)
    unknown: dict[str, None] = {}
    if written:
        resources += written_resources(written, unknown)
    if len(resources) > MAX_RESOURCES:
        raise files[0].problem(f"more than {MAX_RESOURCES:,} resources; import a part of them")
    if not resources:
        raise files[0].problem("no resource in these files")
    title = files[0].path.stem if len(files) == 1 else files[0].path.parent.name
    sketch = Sketch(title, files[0].budget)
    if unknown:
        listed = ", ".join(list(unknown)[:6]) + (", …" if len(unknown) > 6 else "")
        sketch.ask(
            f"values of {listed}: what depends on them is left open. A plan has them: terraform plan -out p, "
            "terraform show -json p > plan.json"
        )
    return cloud_draft(resources, sketch, files[0])


# -- plans and states -----------------------------------------------------------------------------------


def _planned(file: ForeignFile) -> Iterator[CloudResource]:
    root = file.json.get("planned_values") or file.json.get("values")
    module = root.get("root_module") if isinstance(root, dict) else None
    if not isinstance(module, dict):
        raise file.problem("no root_module in this plan; write it with terraform show -json")
    configuration = file.json.get("configuration")
    config = configuration.get("root_module") if isinstance(configuration, dict) else {}
    said = dict(_configured(config if isinstance(config, dict) else {}, "", 0))
    yield from _resources_of(file, module, said, 0)


def _resources_of(
    file: ForeignFile, module: Mapping[str, Any], said: Mapping[str, Any], depth: int
) -> Iterator[CloudResource]:
    if depth > MAX_NESTING:
        raise file.problem(f"modules nested more than {MAX_NESTING} levels deep")
    for item in _dicts(module.get("resources")):
        address, kind = str(item.get("address", "")), str(item.get("type", ""))
        values = item.get("values")
        if item.get("mode") == "data" or not address:
            continue
        file.budget.tick("reading the plan")
        base = re.sub(r"\[[^\]]*\]", "", address)
        known = dict(values) if isinstance(values, dict) else {}
        yield CloudResource(address, kind, str(item.get("name", "")), _merged(known, said.get(base, {})))
    for child in _dicts(module.get("child_modules")):
        yield from _resources_of(file, child, said, depth + 1)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _configured(module: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    """What the configuration in a plan says of each resource: the references behind what is not known yet."""
    for item in _dicts(module.get("resources")):
        expressions = item.get("expressions")
        yield prefix + str(item.get("address", "")), _expressed(expressions, prefix, 0)
    calls = module.get("module_calls")
    for name, call in calls.items() if isinstance(calls, dict) and depth < MAX_NESTING else ():
        inner = call.get("module") if isinstance(call, dict) else None
        if isinstance(inner, dict):
            yield from _configured(inner, f"{prefix}module.{name}.", depth + 1)


def _expressed(value: object, prefix: str, depth: int) -> Any:
    """An expression of a plan as HCL writes it: constants as they are, references as ``${address}``."""
    if depth > MAX_NESTING:
        return None
    if isinstance(value, list):
        return [_expressed(item, prefix, depth + 1) for item in value]
    if not isinstance(value, dict):
        return None
    if "constant_value" in value:
        return value["constant_value"]
    if "references" in value:
        given = value["references"]
        return (
            [f"${{{prefix}{ref}}}" for ref in given if isinstance(ref, str)]
            if isinstance(given, list)
            else None
        )
    return {key: _expressed(item, prefix, depth + 1) for key, item in value.items()}


def _merged(values: dict[str, Any], said: object) -> dict[str, Any]:
    """Planned values, with references where a value is known only after it is applied; blocks of both."""
    for key, expressed in said.items() if isinstance(said, dict) else ():
        planned = values.get(key)
        if planned in (None, [], ""):
            values[key] = expressed
        elif _dicts(planned) and _dicts(expressed):
            values[key] = [*_dicts(planned), *_dicts(expressed)]
    return values


# -- configurations -------------------------------------------------------------------------------------


def written_resources(files: Sequence[ForeignFile], unknown: dict[str, None]) -> list[CloudResource]:
    """The resources of HCL files that belong together; what an override file says of one replaces it."""
    parsed = [_parsed(file) for file in sorted(files, key=_overrides)]
    known: dict[str, Any] = {}
    for tree in parsed:
        for name, block in _labelled(tree.get("variable"), 1):
            if "default" in block:
                known[f"var.{name[0]}"] = block["default"]
        for block in _dicts(tree.get("locals")):
            known |= {f"local.{key}": value for key, value in block.items()}
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for tree in parsed:
        for labels, block in _labelled(tree.get("resource"), 2):
            values = _filled(block, known, unknown, 0)
            found[labels] = found.get(labels, {}) | _generated(values, ".".join(labels), unknown)
        unknown |= {f"module.{labels[0]}": None for labels, _ in _labelled(tree.get("module"), 1)}
    return [CloudResource(".".join(labels), labels[0], labels[1], own) for labels, own in found.items()]


def _overrides(file: ForeignFile) -> bool:
    """Whether Terraform merges a file into the others when it has read them."""
    return file.path.stem == "override" or file.path.stem.endswith("_override")


def _generated(values: dict[str, Any], address: str, unknown: dict[str, None]) -> dict[str, Any]:
    """A resource with its ``dynamic`` blocks written out; one whose list is not known is told."""
    whole = dict(values)
    for item in _dicts(whole.pop("dynamic", None)):
        for label, block in item.items():
            each = block.get("for_each") if isinstance(block, dict) else None
            content = next(iter(_dicts(block.get("content"))), None) if isinstance(block, dict) else None
            if content is None or not isinstance(each, list | dict):
                unknown[f"the dynamic {label} of {address}"] = None
                continue
            iterator = str(block.get("iterator") or label)
            pairs = list(each.items() if isinstance(each, dict) else enumerate(each))[:MAX_RESOURCES]
            made = [_instance(content, iterator, key, value) for key, value in pairs]
            whole[label] = [*_dicts(whole.get(label)), *made]
    return whole


def _instance(content: Any, iterator: str, key: object, value: object) -> Any:
    """What a dynamic block generates for one element of its list."""
    if isinstance(content, dict):
        return {name: _instance(item, iterator, key, value) for name, item in content.items()}
    if isinstance(content, list):
        return [_instance(item, iterator, key, value) for item in content]
    if not isinstance(content, str):
        return content
    of = re.escape(iterator)
    whole = re.fullmatch(rf'\$\{{{of}\.(?:(key)|value(?:\.(\w+)|\["(\w+)"\])?)\}}', content)
    if whole is None:
        return None if re.search(rf"\$\{{[^}}]*\b{of}\.(key|value)\b", content) else content
    field = whole[2] or whole[3]
    if field is not None:
        return value.get(field) if isinstance(value, dict) else None
    return key if whole[1] else value


def _parsed(file: ForeignFile) -> dict[str, Any]:
    try:
        import hcl2
    except ImportError:
        raise InputError(
            "Terraform's own language needs python-hcl2: pip install 'holdfast[terraform]'; or import a plan "
            "(terraform show -json)"
        ) from None
    if len(file.text) > 2_000_000:
        raise file.problem("more than 2,000,000 characters; import a plan (terraform show -json)")
    file.budget.tick("reading the configuration")
    try:
        tree: dict[str, Any] = hcl2.loads(file.text if file.text.endswith("\n") else file.text + "\n")
    except RecursionError:
        raise file.problem("nested too deeply") from None
    except Exception as error:  # what the parser raises is its own, and of many kinds
        line = getattr(error, "line", None)
        said = next(iter(str(error).splitlines()), "it does not parse")[:120]
        number = line if isinstance(line, int) and line > 0 else None
        raise file.problem(f"not a configuration of Terraform: {said}", number) from None
    return tree


def _labelled(blocks: object, n_labels: int) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Blocks with their labels: ``resource "type" "name" {…}``."""
    for block in _dicts(blocks):
        yield from _inside(block, (), n_labels)


def _inside(
    block: dict[str, Any], labels: tuple[str, ...], left: int
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    for key, value in block.items():
        if isinstance(value, dict) and not key.startswith("__"):
            name = (*labels, key.strip('"'))
            if left == 1:
                yield name, value
            else:
                yield from _inside(value, name, left - 1)


def _filled(value: Any, known: Mapping[str, Any], unknown: dict[str, None], depth: int) -> Any:
    """A value with variables replaced by their defaults; one that depends on another is None, and told."""
    if depth > MAX_NESTING:
        return None
    if isinstance(value, dict):
        pairs = ((key.strip('"'), item) for key, item in value.items() if not key.startswith("__"))
        return {key: _filled(item, known, unknown, depth + 1) for key, item in pairs}
    if isinstance(value, list):
        return [_filled(item, known, unknown, depth + 1) for item in value]
    if not isinstance(value, str):
        return value
    text = value.strip('"')
    whole = _VARIABLE.fullmatch(text)
    if whole is not None:
        name = f"{whole[1]}.{whole[2]}"
        if name in known:
            return _filled(known[name], known, unknown, depth + 1)
        unknown[name] = None
        return None
    return _VARIABLE.sub(lambda found: str(known.get(f"{found[1]}.{found[2]}", found[0])), text)


IMPORTER = Importer(
    "terraform", "a plan or configuration of Terraform", _recognise, _read, read_together=read_configuration
)
