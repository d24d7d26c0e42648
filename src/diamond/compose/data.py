"""`data:` of a spec: each name is a path on the machine, or a version of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from diamond.compose.faults import Faults
from diamond.compose.raw_spec import RawSpec
from diamond.compose.spec import DataSpec, Spec
from diamond.core.artifacts import PREFIX
from diamond.core.order import OrderedTree

PATH_STARTS = ("/", "~", "$")
MODEL_PREFIX = "model:"
"""Before the name of a model: `model:digits@v3`."""


@dataclass(frozen=True)
class DatasetFacts:
    """The version that a reference means now: the order names it by digest, so it stays this one."""

    dataset: str
    """Its id."""
    name: str
    version: int
    tree: str
    layout: str
    owner: str = ""
    """The name of who shares it; '' for one's own."""
    shared_by: str = ""
    """Their id, of a model."""

    @property
    def is_model(self) -> bool:
        return self.name.startswith(MODEL_PREFIX)

    @property
    def reference(self) -> str:
        return f"{self.name}@v{self.version}"


@dataclass(frozen=True)
class KnownData:
    """What the references of a spec mean: a version, or why there is none."""

    versions: Mapping[str, DatasetFacts] = field(default_factory=dict)
    problems: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By reference: what is wrong, and the valid names."""
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class WantedData:
    """A version that a task reads, and how."""

    facts: DatasetFacts
    layout: str
    cache: str = ""

    @property
    def ordered(self) -> OrderedTree:
        return OrderedTree(digest=self.facts.tree, layout=self.layout, cache=self.cache)


def references(raw: RawSpec) -> list[str]:
    """What `data:` may name as datasets, in a spec that is not checked yet."""
    data = raw.get("data")
    values = data.values() if isinstance(data, dict) else ()
    texts = [one.get("dataset") if isinstance(one, dict) else one for one in values]
    return [text for text in texts if isinstance(text, str) and text and not is_path(text)]


def is_path(text: str) -> bool:
    return text.startswith(PATH_STARTS)


def paths(spec: Spec) -> dict[str, str]:
    return {
        name: given
        for name, given in spec.data.items()
        if isinstance(given, str) and is_path(given)
    }


def wanted_data(spec: Spec, known: KnownData, faults: Faults) -> dict[str, WantedData]:
    """The versions that a spec names; what is neither a path nor a dataset becomes a fault."""
    wanted = {}
    for name, given in spec.data.items():
        options = (
            given
            if isinstance(given, DataSpec)
            else DataSpec.model_validate({"dataset": given or "?"})
        )
        if options.tree or (isinstance(given, str) and is_path(given)):
            continue
        facts = known.versions.get(options.dataset)
        if facts is None:
            _add_fault(name, options.dataset, known, faults)
        else:
            wanted[name] = WantedData(facts, options.layout or facts.layout, options.cache or "")
            _check_cache(name, wanted[name], spec, faults)
    return wanted


def named_trees(spec: Spec) -> dict[str, OrderedTree]:
    """Results that a spec names by their digest."""
    return {
        name: OrderedTree(digest=given.tree.removeprefix(PREFIX), file=given.file)
        for name, given in spec.data.items()
        if isinstance(given, DataSpec) and given.tree
    }


def _check_cache(name: str, wanted: WantedData, spec: Spec, faults: Faults) -> None:
    if not wanted.cache:
        return
    if wanted.layout == "archive":
        faults.add(
            f"data.{name}.cache",
            "an archive is not cached on nodes: it is one file already",
            "Leave out `cache`, or add `layout: files`.",
        )
    nodes = spec.resources.nodes
    if isinstance(nodes, int) and nodes > 1:
        faults.add(
            f"data.{name}.cache",
            "data is cached for jobs on one node only",
            "Leave out `cache`: all nodes then read it where it is.",
        )


def with_fixed_versions(written: RawSpec, wanted: Mapping[str, WantedData]) -> RawSpec:
    """The spec as it is kept: NAME alone is the version that it meant when it was submitted."""
    if not wanted:
        return written
    given = dict(written.get("data") or {})
    for name, one in wanted.items():
        before = given.get(name)
        exact = one.facts.reference
        given[name] = {**before, "dataset": exact} if isinstance(before, dict) else exact
    return {**written, "data": given}


def data_notes(wanted: Mapping[str, WantedData]) -> list[str]:
    """Which version was fixed, and whose it is if not one's own."""
    return [
        f"`data.{name}` is {one.facts.reference} ({one.facts.tree[:12]})"
        + (f", shared by {one.facts.owner}" if one.facts.owner else "")
        for name, one in wanted.items()
    ]


def _add_fault(name: str, text: str, known: KnownData, faults: Faults) -> None:
    message, hint = known.problems.get(text, ("", ""))
    if not message:
        some = ", ".join(known.names[:10])
        message = f"{text!r} is neither an absolute path on the endpoint nor a dataset"
        hint = f"Datasets: {some}." if some else "Add one: diamond data add NAME PATH."
        hint += " A path begins with /, ~ or a variable such as $WORK."
    faults.add(f"data.{name}", message, hint, near=(text.partition("@")[0], known.names))
