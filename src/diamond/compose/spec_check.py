"""Check a spec against an endpoint, report all faults at once, and freeze it into an order."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from diamond.compose.credentials import credential_warnings
from diamond.compose.data import (
    KnownData,
    WantedData,
    data_notes,
    named_trees,
    paths,
    wanted_data,
    with_fixed_versions,
)
from diamond.compose.encoding import without_invalid_text
from diamond.compose.environment import EnvironmentSpec, ImageEnvironmentSpec, freeze, needs_image
from diamond.compose.faults import Faults, drop_field, from_validation, invalid
from diamond.compose.fields import BUDGET, NODE_HOURS, site_word
from diamond.compose.launch import check_launch, choose_launch
from diamond.compose.memory import memory_note, with_default_memory
from diamond.compose.notebooks import check_what_runs, notebook_command, with_notebook_tools
from diamond.compose.parameters import (
    RESUME,
    fill_arguments,
    fill_command,
    late_command,
    missing_params,
    placeholder_warnings,
    show_value,
)
from diamond.compose.profile_facts import well_formed_facts
from diamond.compose.raw_spec import RawSpec
from diamond.compose.resume_check import check_resume
from diamond.compose.site import (
    charge_rate,
    check_limits,
    check_qos,
    check_qos_limit,
    choose_account,
    choose_partition,
    default_minutes,
)
from diamond.compose.spec import Spec
from diamond.compose.spec_writer import written_spec
from diamond.compose.stages import require_job
from diamond.compose.study_check import example_trial
from diamond.core.batch_systems import read_abilities
from diamond.core.code_facts import CodeFacts
from diamond.core.errors import BadRequest, InvalidSpec
from diamond.core.order import (
    MANY_ATTEMPTS,
    Build,
    Code,
    Continue,
    Environment,
    Image,
    Order,
    Placement,
    Resources,
)
from diamond.core.redact import has_credentials
from diamond.core.units import parse_minutes, parse_seconds, show_minutes
from diamond.images.accelerators import cpu_note, for_cpu, needs_choice
from diamond.schedulers.options import check_option

LIFTED_OPTIONS = frozenset({"qos", "reservation", "constraint", "partition", "account"})
"""Fields of the spec that may also be written under `options:`."""
USER_VARIABLES = ("DIAMOND_BIND",)
"""DIAMOND_ variables that users may set themselves; see docs/launch.md."""


@dataclass(frozen=True)
class EndpointFacts:
    """What checking needs to know about an endpoint; `facts` are profile values with corrections applied."""

    name: str
    state: str
    default: bool
    facts: dict[str, Any]
    secrets: list[str] | None = None
    account_of: str = ""
    """Whose community account it is, if not the person's own."""


@dataclass(frozen=True)
class ImageFacts:
    """The image that a spec names, and the copy on each endpoint (by name)."""

    id: str
    name: str
    identity: str
    copies: dict[str, Image] = field(default_factory=dict)

    def on(self, endpoint: str) -> Image:
        return self.copies.get(endpoint) or Image(identity=self.identity)


@dataclass(frozen=True)
class KnownImages:
    """The image behind `environment: NAME`; `names` are the valid choices."""

    named: ImageFacts | None = None
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Composed:
    order: Order
    endpoint: str
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was chosen where the spec leaves it open, and why."""
    spec: RawSpec = field(default_factory=dict)
    """As it would be written, with what was left out."""
    image: ImageFacts | None = None
    """The image that the spec names."""
    build: Build | None = None
    """What must be built before the task can run."""
    data: dict[str, WantedData] = field(default_factory=dict)
    """The versions of datasets that it reads, by the name that the program knows."""


@dataclass(frozen=True)
class SpecReport:
    """The result of checking a spec, even one with faults."""

    spec: Spec
    endpoint: EndpointFacts | None
    placement: Placement
    resources: Resources
    resume: Continue
    environment: Environment | None
    code: Code | None
    faults: list[dict[str, str]]
    warnings: list[str]
    notes: list[str]
    image: ImageFacts | None = None
    build: Build | None = None
    data: dict[str, WantedData] = field(default_factory=dict)

    @property
    def order(self) -> Order:
        """The frozen order; only for a spec without faults."""
        spec = self.spec
        return Order(
            name=spec.name,
            command=_command(spec),
            argv=_argv(spec),
            params=dict(spec.params),
            code=self.code,
            environment=None if self.build else with_notebook_tools(spec, self.environment),
            image=self.image.on(self.endpoint.name) if self.image and self.endpoint else None,
            data=paths(spec),
            trees={**{name: one.ordered for name, one in self.data.items()}, **named_trees(spec)},
            secrets=list(spec.secrets),
            resources=self.resources,
            placement=self.placement,
            resume=self.resume,
            launch=choose_launch(spec).launch,
            budget=self.spec.budget or "",
        )


def check(
    raw: RawSpec,
    *,
    endpoints: Sequence[EndpointFacts],
    code: CodeFacts | None,
    images: KnownImages = KnownImages(),  # noqa: B008
    data: KnownData = KnownData(),  # noqa: B008
) -> Composed:
    """A frozen order for one endpoint; raises `InvalidSpec` with all faults."""
    checked = examine(raw, endpoints=endpoints, code=code, images=images, data=data)
    if checked.faults:
        raise invalid(checked.faults)
    assert checked.endpoint
    spec = with_fixed_versions(written_spec(checked.spec), checked.data)
    return Composed(
        checked.order,
        checked.endpoint.name,
        checked.warnings,
        checked.notes,
        spec,
        checked.image,
        checked.build,
        checked.data,
    )


def examine(
    raw: RawSpec,
    *,
    endpoints: Sequence[EndpointFacts],
    code: CodeFacts | None,
    code_follows: bool = False,
    images: KnownImages = KnownImages(),  # noqa: B008
    data: KnownData = KnownData(),  # noqa: B008
) -> SpecReport:
    """All faults at once, and everything that could be decided anyway. `code_follows`: the code is sent later."""
    faults = Faults()
    spec = example_trial(_parse(raw, faults), faults)
    check_what_runs(spec, faults)
    check_launch(spec, faults)
    endpoint, wanted_partition = _choose_endpoint(spec, endpoints, faults)
    environment, build = _environment(spec, faults)
    image = _image(spec, images, faults)
    _check_placeholders(spec, faults)
    warnings = placeholder_warnings(
        spec.run or [], spec.params, resumes=spec.continue_ is not None, data=spec.data
    )
    warnings += check_resume(spec.run or [], spec.params, _pattern(spec), faults)
    launch = choose_launch(spec)
    warnings += [*launch.warnings, *credential_warnings(spec), *_rounded_up(raw)]
    notes = list(launch.notes)
    placement, resources = Placement(), _resources(spec, 60)
    if endpoint:
        endpoint = replace(endpoint, facts=well_formed_facts(endpoint.facts))
        placement, resources = _place(spec, endpoint, wanted_partition, faults)
        warnings += [
            *_without_effect(endpoint, placement),
            *_away(endpoint),
            *_of_another(endpoint),
        ]
        notes += memory_note(_resources(spec, 60), resources)
        _check_secrets(spec, endpoint, faults)
    if build and not spec.resources.gpus_per_node and needs_choice(build.environment):
        build = replace(build, environment=for_cpu(build.environment))
        notes.append(cpu_note("the job asks for no GPU"))
    wanted = wanted_data(spec, data, faults)
    notes += data_notes(wanted)
    source = _code(spec, code, faults, follows=code_follows)
    resume = _resume(spec)
    _check_budget(spec, placement, resources, endpoint, faults)
    return SpecReport(
        spec,
        endpoint,
        placement,
        resources,
        resume,
        environment,
        source,
        faults.items,
        warnings,
        notes,
        image,
        build,
        wanted,
    )


def _rounded_up(raw: RawSpec) -> list[str]:
    """A time limit in seconds becomes whole minutes: batch systems know nothing shorter."""
    resources = raw.get("resources")
    text = resources.get("walltime") if isinstance(resources, dict) else None
    if not isinstance(text, str):
        return []
    try:
        minutes, seconds = parse_minutes(text), parse_seconds(text)
    except BadRequest:
        return []
    if seconds == 60 * minutes:
        return []
    return [f"`walltime: {text}` is rounded up to {show_minutes(minutes)}"]


def _parse(raw: Any, faults: Faults) -> Spec:
    """The parsed spec. Invalid fields become faults and count as missing, so the rest is checked too."""
    if not isinstance(raw, dict):
        raise InvalidSpec(
            "A spec must be a mapping of fields",
            "Start with: name, run, resources. See docs/spec.md.",
        )
    require_job(raw)
    raw = without_invalid_text(raw, faults)
    try:
        return Spec.model_validate(raw)
    except ValidationError as error:
        faults.items += from_validation(error)
        faults.take_as_unread(item["field"] for item in faults.items)
        return _parse_rest(raw, error, faults)


def _parse_rest(raw: dict[str, Any], error: ValidationError, faults: Faults) -> Spec:
    rest = copy.deepcopy(raw)
    for detail in error.errors():
        drop_field(rest, detail["loc"])
    try:
        return Spec.model_validate(rest)
    except ValidationError:
        faults.raise_if_any()
        raise


def _choose_endpoint(
    spec: Spec, endpoints: Sequence[EndpointFacts], faults: Faults
) -> tuple[EndpointFacts | None, str]:
    known = {endpoint.name: endpoint for endpoint in endpoints}
    if not known:
        faults.add(
            "on",
            "There is no endpoint yet",
            "Add your cluster or computer under Endpoints, or with: diamond endpoint add NAME --ssh HOST",
        )
        return None, ""
    wanted = [spec.on] if isinstance(spec.on, str) else spec.on
    if not wanted:
        faults.add("on", "The list is empty", f"Endpoints: auto, {', '.join(sorted(known))}")
    candidates = []
    for word in wanted:
        name, _, partition = word.partition("/")
        if name == "auto":
            candidates += [(candidate, partition) for candidate in _default(endpoints, faults)]
        elif name in known:
            candidates.append((known[name], partition))
        else:
            faults.add(
                "study.on" if spec.study and spec.study.on else "on",
                f"There is no endpoint {name!r}",
                f"Endpoints: {', '.join(sorted(known))}",
                near=(name, known),
            )
    return min(candidates, key=lambda c: c[0].state != "online", default=(None, ""))


def _default(endpoints: Sequence[EndpointFacts], faults: Faults) -> list[EndpointFacts]:
    """The endpoint marked as default, else the newest one that is online. Another person's account must be named."""
    own = [endpoint for endpoint in endpoints if not endpoint.account_of]
    if own:
        return [
            min(own, key=lambda candidate: (not candidate.default, candidate.state != "online"))
        ]
    names = ", ".join(f"{candidate.name} ({candidate.account_of})" for candidate in endpoints)
    faults.add(
        "on",
        "You have no endpoint of your own",
        f"Name a community account whose owner you trust with your code and data: on: NAME. Shared with you: {names}",
    )
    return []


def _of_another(endpoint: EndpointFacts) -> list[str]:
    if not endpoint.account_of:
        return []
    return [
        f"{endpoint.name} is the account of {endpoint.account_of}, who can read and change your code, data and results there"
    ]


def _away(endpoint: EndpointFacts) -> list[str]:
    if endpoint.state == "online":
        return []
    if endpoint.state == "sign-in":
        step = f"diamond endpoint connect {endpoint.name}"
        return [f"{endpoint.name} needs you to sign in ({step}). The task waits until then"]
    return [f"{endpoint.name} is {endpoint.state}. The task waits until it is back"]


def _without_effect(endpoint: EndpointFacts, placement: Placement) -> list[str]:
    """Where there is no batch system, or it knows no accounts or reservations."""
    able = read_abilities(endpoint.facts)
    whose = "has no batch system" if able.runs_on_this_node else "does not use it"
    return [
        f"`{name}: {value}` has no effect here: {endpoint.name} {whose}"
        for name in ("account", "qos", "reservation", "constraint")
        if name not in able.placement and (value := getattr(placement, name))
    ]


def _environment(spec: Spec, faults: Faults) -> tuple[Environment | None, Build | None]:
    """An environment that the endpoint creates while preparing the task, or an image to build first."""
    given = spec.environment
    if not isinstance(given, ImageEnvironmentSpec):
        return None, None
    check_inline(given, faults)
    environment = freeze(given)
    if not needs_image(given):
        return environment, None
    whole = with_notebook_tools(spec, environment) or environment
    return None, Build(environment=whole, runtime=given.runtime)


def _image(spec: Spec, images: KnownImages, faults: Faults) -> ImageFacts | None:
    if not isinstance(spec.environment, str):
        return None
    if images.named is None:
        some = ", ".join(images.names[:10])
        faults.add(
            "environment",
            f"There is no image {spec.environment!r}",
            f"Images: {some}."
            if some
            else "Build one with `diamond image build`, or write the "
            "packages: environment: {requirements: [torch]}",
            near=(spec.environment, images.names),
        )
    return images.named


def check_inline(given: EnvironmentSpec, faults: Faults, prefix: str = "environment.") -> None:
    """Check an environment beyond its field types."""
    _check_requirements(given, faults, prefix)
    _check_variables(given, faults, prefix)


def _check_requirements(given: EnvironmentSpec, faults: Faults, prefix: str) -> None:
    for line in given.requirements:
        if has_credentials(line):
            faults.add(
                f"{prefix}requirements",
                "A URL contains a password or token, but specs are stored and shown",
                "Remove it: the endpoint signs in by itself, with ~/.netrc or pip's configuration.",
            )
        elif line.lstrip().startswith("-"):
            faults.add(
                f"{prefix}requirements",
                f"{line!r} is an option, not a package",
                "Index and find-links settings are taken from the endpoint's pip configuration.",
            )


def _check_variables(given: EnvironmentSpec, faults: Faults, prefix: str) -> None:
    for name in given.variables:
        if name.startswith("DIAMOND_") and name not in USER_VARIABLES:
            faults.add(
                f"{prefix}variables",
                f"{name} cannot be set here: names that begin with DIAMOND_ are reserved for Diamond",
                "Choose another name.",
            )


def _place(
    spec: Spec, endpoint: EndpointFacts, wanted: str, faults: Faults
) -> tuple[Placement, Resources]:
    scheduler = str(endpoint.facts.get("scheduler", {}).get("name", ""))
    raw = _raw_options(spec, scheduler, faults)
    lifted = {key: raw.pop(key, "") for key in LIFTED_OPTIONS}
    first_class = {
        key: getattr(spec, key) or lifted[key] for key in ("qos", "reservation", "constraint")
    }
    named_by = "on" if wanted else "partition" if spec.partition else f"options.{scheduler}"
    partition = choose_partition(
        endpoint.facts, wanted or spec.partition or lifted["partition"], faults, named_by
    )
    named = lifted["account"] if spec.account == "auto" else spec.account
    account = choose_account(endpoint.facts, partition, named, faults)
    qos = first_class["qos"]
    resources = _resources(spec, default_minutes(endpoint.facts, partition, qos))
    check_limits(endpoint.facts, partition, resources, faults)
    check_qos(endpoint.facts, partition, account, qos, faults)
    check_qos_limit(endpoint.facts, qos, resources, faults)
    resources = with_default_memory(endpoint.facts, partition, resources, faults)
    placement = Placement(partition=partition, account=account, options=raw, **first_class)
    return placement, resources


def _raw_options(spec: Spec, scheduler: str, faults: Faults) -> dict[str, str]:
    for name in spec.options:
        if scheduler and name != scheduler:
            faults.add(
                f"options.{name}",
                f"This endpoint's batch system is {scheduler}, not {name}",
                f"Use options.{scheduler}, or choose another endpoint with `on:`.",
            )
    raw = {
        key.lstrip("-"): show_value(value) for key, value in spec.options.get(scheduler, {}).items()
    }
    for key, value in raw.items():
        try:
            site_word(value) if key in LIFTED_OPTIONS else check_option(key, value)
        except BadRequest as error:
            faults.add(f"options.{scheduler}.{key}", error.message, error.hint)
        except ValueError as error:
            faults.add(f"options.{scheduler}.{key}", str(error))
    return raw


def _check_placeholders(spec: Spec, faults: Faults) -> None:
    resumes = spec.continue_ is not None
    for name in missing_params(spec.run or [], spec.params, resumes=resumes, data=spec.data):
        there = f"The params are: {', '.join(spec.params)}." if spec.params else ""
        hint = f"Add it, for example: params: {{{name}: 0.001}}. {there}".strip()
        if name == RESUME:
            hint = "Add `continue:` with `from:`, or a param of that name."
        faults.add("run", f"`run` uses `{{{name}}}`, but there is no param {name}", hint)


def _check_secrets(spec: Spec, endpoint: EndpointFacts, faults: Faults) -> None:
    if endpoint.secrets is None:
        return
    for name in spec.secrets:
        if name not in endpoint.secrets:
            faults.add(
                "secrets",
                f"{name} is not set on {endpoint.name}",
                f"Set it with: diamond secret set {name} --on {endpoint.name}",
            )


def _code(spec: Spec, code: CodeFacts | None, faults: Faults, *, follows: bool) -> Code | None:
    text = spec.code or ""
    if has_credentials(text):
        faults.add(
            "code",
            "The git URL contains a password or token, but specs are stored and shown",
            "Use an ssh URL (git@host:path), or a git credential helper on the endpoint.",
        )
        return None
    if code and code.snapshot:
        return Code(snapshot=code.snapshot)
    if "://" in text or text.startswith("git@"):
        url, at, commit = text.rpartition("@")
        if not at or "/" in commit or ":" in commit:
            faults.add(
                "code",
                f"{text!r} has no commit",
                "Write URL@commit, so that the run can be repeated.",
            )
            return None
        return Code(git_url=url, git_commit=commit)
    if text and not follows:
        faults.add(
            "code",
            f"The folder {text!r} was not uploaded",
            "Submit with `diamond run` or the SDK, which upload it, or use a git URL@commit.",
        )
    return None


def _pattern(spec: Spec) -> str:
    return spec.continue_.from_ if spec.continue_ else ""


def _resume(spec: Spec) -> Continue:
    given = spec.continue_
    if not given:
        return Continue(on=["exit-75"], max_attempts=MANY_ATTEMPTS)
    ahead = True if given.ahead == "auto" else given.ahead
    return Continue(list(given.on), given.from_, given.lead, given.max_attempts, ahead)


def _check_budget(
    spec: Spec,
    placement: Placement,
    resources: Resources,
    endpoint: EndpointFacts | None,
    faults: Faults,
) -> None:
    """At least one attempt must fit, and a site's own unit needs the site's rate."""
    match = BUDGET.fullmatch(spec.budget or "")
    if not match or endpoint is None:
        return
    amount, unit = float(match.group(1)), match.group(2)
    rate = 1.0 if unit == NODE_HOURS else charge_rate(endpoint.facts, placement.partition)
    if rate is None:
        hint = f"Use {NODE_HOURS}, or set the rate: diamond endpoint set {endpoint.name} charge=…"
        faults.add("budget", f"The price of a node-hour in {unit} is not known", hint)
        return
    cost = rate * resources.nodes * resources.walltime_minutes / 60
    if cost > amount:
        faults.add(
            "budget",
            f"One attempt may cost {cost:g} {unit}, more than the budget of {spec.budget}",
            "Raise the budget, or request fewer nodes or less time.",
        )


def _command(spec: Spec) -> str:
    resumes = spec.continue_ is not None
    if isinstance(spec.run, str):
        return fill_command(spec.run, spec.params, resumes=resumes, data=spec.data)
    return late_command(spec.run or [], spec.params, resumes=resumes, data=spec.data)


def _argv(spec: Spec) -> list[str]:
    if spec.notebook:
        return notebook_command(spec.notebook)
    if not isinstance(spec.run, list) or _command(spec):
        return []
    return fill_arguments(spec.run, spec.params)


def _resources(spec: Spec, default_walltime: int) -> Resources:
    given = spec.resources
    return Resources(
        nodes=given.node_count,
        gpus_per_node=given.gpus_per_node,
        gpu_type=given.gpu_type,
        cpus_per_task=given.cpus_per_task,
        memory_mb=given.memory,
        walltime_minutes=given.walltime or default_walltime,
        tasks_per_node=choose_launch(spec).tasks_per_node,
    )
