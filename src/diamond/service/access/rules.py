"""What each call of the API asks of its caller. A call that is not listed here is refused.

`tests/integration/service/test_authorization_matrix.py` makes every call as every kind of caller, and holds it against this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from diamond.service.access.principal import Role, Scope


class Who(StrEnum):
    ANYONE = "anyone"
    """Also without sign-in."""
    PERSON = "person"
    ADMIN = "admin"
    AGENT = "agent"


@dataclass(frozen=True)
class Rule:
    who: Who
    scope: Scope | None = None
    """What a token must be good for."""
    thing: str = ""
    """The kind of thing that the path names; strangers to it hear 404."""
    role: Role = Role.OWNER
    """The least that the caller must be to that thing; a viewer who is too little hears 403."""
    fresh: bool = False
    """Asks for a recent sign-in and a second factor, where the service's settings say so. A token was made by one."""
    makes_way: bool = False
    """Makes another way in: where such a sign-in is asked for, no token will do."""
    is_noted: bool = True
    """Whether a call that changes something is written to the audit log."""


def _open() -> Rule:
    return Rule(Who.ANYONE, is_noted=False)


def _agent() -> Rule:
    return Rule(Who.AGENT, is_noted=False)


def _read(thing: str = "", role: Role = Role.VIEWER) -> Rule:
    return Rule(Who.PERSON, Scope.READ, thing, role, is_noted=False)


def _ask() -> Rule:
    """A POST that makes nothing."""
    return Rule(Who.PERSON, Scope.READ, is_noted=False)


def _run(thing: str = "", role: Role = Role.OWNER, *, fresh: bool = False) -> Rule:
    return Rule(Who.PERSON, Scope.RUN, thing, role, fresh)


def _send() -> Rule:
    """Code on its way to a job: the job that uses it is what is noted."""
    return Rule(Who.PERSON, Scope.RUN, is_noted=False)


def _manage(thing: str = "", role: Role = Role.OWNER) -> Rule:
    return Rule(Who.PERSON, Scope.MANAGE, thing, role)


def _way() -> Rule:
    """To a token, or to a browser that is signed in."""
    return Rule(Who.PERSON, Scope.MANAGE, fresh=True, makes_way=True)


def _admin(*, is_noted: bool = True) -> Rule:
    return Rule(Who.ADMIN, Scope.ADMIN, is_noted=is_noted)


def _tell() -> Rule:
    """What a person does to their own pages is not audited."""
    return Rule(Who.PERSON, Scope.MANAGE, is_noted=False)


RULES: dict[str, Rule] = {
    "GET /health": _open(),
    "GET /sign-in": _open(),
    "POST /sign-in/device": _open(),
    "POST /sign-in/device/token": _open(),
    "GET /sign-in/device/{code}": _read(),
    "POST /sign-in/device/{code}": _way(),
    "POST /sign-out": _manage(),
    "GET /me": _read(),
    "GET /me/sessions": _read(),
    "DELETE /me/sessions/{session}": _manage("session"),
    "GET /me/identities": _read(),
    "DELETE /me/identities": _manage(),
    "GET /invitations": _read(),
    "POST /invitations": _admin(),
    "POST /projects/{project}/invitations": _manage("project", Role.MANAGER),
    "POST /invitations/look": _open(),
    "POST /invitations/accept": _manage(),
    "DELETE /invitations/{invitation}": _manage("invitation"),
    "GET /settings": _admin(is_noted=False),
    "GET /users": _admin(is_noted=False),
    "GET /users/{user}": _admin(is_noted=False),
    "PATCH /users/{user}": _admin(),
    "GET /users/{user}/limits": _admin(is_noted=False),
    "PUT /users/{user}/limits": _admin(),
    "GET /limits": _admin(is_noted=False),
    "PUT /limits": _admin(),
    "PUT /limits/projects/{project}": _admin(),
    "GET /usage": _admin(is_noted=False),
    "GET /usage/export": _admin(is_noted=False),
    "GET /me/usage": _read(),
    "GET /announcements": _read(),
    "GET /announcements/all": _admin(is_noted=False),
    "POST /announcements": _admin(),
    "PUT /announcements/{announcement}": _admin(),
    "DELETE /announcements/{announcement}": _admin(),
    "GET /users/{user}/sessions": _admin(is_noted=False),
    "DELETE /users/{user}/sessions": _admin(),
    "DELETE /users/{user}/sessions/{session}": _admin(),
    "GET /audit": _admin(is_noted=False),
    "GET /audit/export": _admin(is_noted=False),
    "GET /me/preferences": _read(),
    "PUT /me/preferences": _tell(),
    "GET /me/notifications": _read(),
    "PUT /me/notifications": _manage(),
    "POST /me/notifications/try": _tell(),
    "GET /notifications": _read(),
    "POST /notifications/read": _tell(),
    "GET /overview": _read(),
    "POST /overview/seen": _tell(),
    "GET /events": _read(),
    "GET /tokens": _read(),
    "POST /tokens": _way(),
    "DELETE /tokens/{token}": _manage("token"),
    "POST /open": _way(),
    "GET /projects": _read(),
    "POST /projects": _manage(),
    "GET /projects/{project}": _read("project"),
    "PATCH /projects/{project}": _manage("project", Role.MANAGER),
    "DELETE /projects/{project}": _manage("project"),
    "PUT /projects/{project}/members/{user}": _manage("project", Role.MANAGER),
    "DELETE /projects/{project}/members/{user}": _manage("project", Role.MANAGER),
    "POST /projects/{project}/owner": _manage("project"),
    "GET /projects/{project}/limits": _read("project"),
    "PUT /projects/{project}/limits": _manage("project", Role.MANAGER),
    "GET /projects/{project}/usage": _read("project", Role.MANAGER),
    "GET /projects/{project}/usage/export": _read("project", Role.MANAGER),
    "PUT /projects/{project}/course": _manage("project", Role.MANAGER),
    "DELETE /projects/{project}/course": _manage("project", Role.MANAGER),
    "POST /projects/{project}/roster": _manage("project", Role.MANAGER),
    "GET /projects/{project}/table": _read("project", Role.MANAGER),
    "GET /projects/{project}/assignments": _read("project"),
    "POST /projects/{project}/assignments": _manage("project", Role.MANAGER),
    "GET /projects/{project}/assignments/{assignment}": _read("project"),
    "PUT /projects/{project}/assignments/{assignment}": _manage("project", Role.MANAGER),
    "DELETE /projects/{project}/assignments/{assignment}": _manage("project", Role.MANAGER),
    "POST /projects/{project}/assignments/{assignment}/run": _run(
        "project", Role.MEMBER, fresh=True
    ),
    "PUT /jobs/{job}/project": _manage("job"),
    "GET /jobs/{job}/shares": _read("job", Role.OWNER),
    "POST /jobs/{job}/shares": _manage("job"),
    "DELETE /jobs/{job}/shares": _manage("job"),
    "GET /shares": _read(),
    "GET /recipes": _read(),
    "GET /recipes/{name}": _read(),
    "GET /spec/schema": _read(),
    "POST /spec/parse": _ask(),
    "POST /spec/render": _ask(),
    "POST /plans": _ask(),
    "POST /pilots": _run(fresh=True),
    "GET /pilots": _read(),
    "GET /pilots/{pilot}": _read("pilot", Role.OWNER),
    "GET /pilots/{pilot}/timeline": _read("pilot", Role.OWNER),
    "POST /pilots/{pilot}/stop": _run("pilot"),
    "POST /pipelines": _run(fresh=True),
    "POST /pipelines/check": _ask(),
    "POST /pipelines/compose": _ask(),
    "GET /pipelines": _read(),
    "GET /pipelines/{pipeline}": _read("pipeline"),
    "GET /pipelines/{pipeline}/shares": _read("pipeline", Role.OWNER),
    "POST /pipelines/{pipeline}/shares": _manage("pipeline"),
    "DELETE /pipelines/{pipeline}/shares": _manage("pipeline"),
    "POST /pipelines/{pipeline}/cancel": _run("pipeline", Role.MANAGER),
    "POST /pipelines/{pipeline}/again": _run("pipeline", fresh=True),
    "POST /pipelines/{pipeline}/retry": _run("pipeline", fresh=True),
    "POST /scales": _run(fresh=True),
    "GET /scales": _read(),
    "GET /scales/{scale}": _read("scale", Role.OWNER),
    "POST /scales/{scale}/cancel": _run("scale"),
    "POST /studies": _run(fresh=True),
    "POST /studies/tune": _run(fresh=True),
    "GET /studies": _read(),
    "POST /studies/import": _run(),
    "GET /studies/{study}": _read("study"),
    "PATCH /studies/{study}": _run("study"),
    "POST /studies/{study}/pause": _run("study"),
    "POST /studies/{study}/resume": _run("study"),
    "POST /studies/{study}/cancel": _run("study", Role.MANAGER),
    "POST /studies/{study}/points": _run("study"),
    "POST /studies/{study}/register": _manage("study"),
    "POST /studies/{study}/ask": Rule(Who.PERSON, Scope.RUN, "study", is_noted=False),
    "POST /studies/{study}/tell": Rule(Who.PERSON, Scope.RUN, "study", is_noted=False),
    "GET /studies/{study}/trials": _read("study"),
    "GET /studies/{study}/best": _read("study"),
    "GET /studies/{study}/columns": _read("study"),
    "GET /studies/{study}/curves": _read("study"),
    "GET /studies/{study}/importances": _read("study"),
    "GET /studies/{study}/export": _read("study"),
    "GET /studies/{study}/portable": _read("study"),
    "GET /studies/{study}/trials/{number}": _read("study"),
    "POST /studies/{study}/trials/{number}/stop": _run("study"),
    "POST /jobs/check": _ask(),
    "POST /jobs/compose": _ask(),
    "POST /jobs": _run(fresh=True),
    "GET /jobs": _read(),
    "GET /jobs/{job}": _read("job"),
    "GET /storage": _read(),
    "PUT /storage/retention": _manage(),
    "GET /projects/{project}/retention": _read("project"),
    "PUT /projects/{project}/retention": _manage("project", Role.MANAGER),
    "GET /storage/code": _read(),
    "DELETE /storage/code/unused": _manage(),
    "DELETE /storage/code/{digest}": _manage(),
    "GET /storage/defaults": _read(),
    "PUT /storage/defaults": _admin(),
    "GET /storage/people": _admin(is_noted=False),
    "PUT /users/{user}/quota": _admin(),
    "POST /tasks/{task}/archive": _run("task"),
    "GET /artifacts": _read(),
    "GET /artifacts/{digest}": _read(),
    "POST /blobs": _send(),
    "POST /blobs/missing": _send(),
    "POST /snapshots": _send(),
    "POST /snapshots/plan": _ask(),
    "GET /metrics": _read(),
    "GET /runs": _read(),
    "GET /runs/columns": _read(),
    "GET /runs/export": _read(),
    "GET /runs/compare": _read(),
    "POST /runs/imports": _run(),
    "GET /runs/imports/{imported}": _read("imported"),
    "GET /runs/imports/{imported}/curves": _read("imported"),
    "DELETE /runs/imports/{imported}": _manage("imported"),
    "GET /lineage": _read(),
    "GET /views": _read(),
    "PUT /views": _tell(),
    "DELETE /views/{view}": _manage("view"),
    "GET /metrics/summaries": _read(),
    "GET /tasks": _read(),
    "GET /tasks/counts": _read(),
    "POST /tasks/cancel": _run(),
    "POST /tasks/retry": _run(fresh=True),
    "GET /tasks/tags": _read(),
    "GET /tasks/{task}": _read("task"),
    "PATCH /tasks/{task}": _run("task"),
    "POST /tasks/{task}/cancel": _run("task", Role.MANAGER),
    "POST /tasks/{task}/retry": _run("task", fresh=True),
    "POST /tasks/{task}/resume": _run("task", fresh=True),
    "POST /tasks/{task}/reproduce": _run("task", Role.VIEWER, fresh=True),
    "GET /tasks/{task}/reproductions": _read("task"),
    "GET /tasks/{task}/verdict": _read("task"),
    "GET /tasks/{task}/diagnosis": _read("task"),
    "POST /tasks/{task}/fix": _run("task", fresh=True),
    "GET /tasks/{task}/code": _read("task"),
    "GET /tasks/{task}/code/content": _read("task"),
    "GET /tasks/{task}/diff": _read("task"),
    "GET /tasks/{task}/files": _read("task"),
    "GET /tasks/{task}/media": _read("task"),
    "GET /tasks/{task}/files/content": _read("task"),
    "GET /tasks/{task}/files.zip": _read("task"),
    "GET /tasks/{task}/history": _read("task"),
    "GET /tasks/{task}/logs": _read("task"),
    "GET /tasks/{task}/logs/{stream}": _read("task"),
    "GET /tasks/{task}/logs/{stream}/download": _read("task"),
    "GET /tasks/{task}/logs/{stream}/lines": _read("task"),
    "GET /tasks/{task}/logs/{stream}/search": _read("task"),
    "GET /tasks/{task}/metrics": _read("task"),
    "GET /tasks/{task}/metrics.csv": _read("task"),
    "GET /tasks/{task}/report": _read("task"),
    "GET /tasks/{task}/script": _read("task"),
    "GET /tasks/{task}/usage": _read("task"),
    "GET /tasks/{task}/record": _read("task"),
    "GET /tasks/{task}/record/check": _read("task"),
    "GET /tasks/{task}/record/texts/{digest}": _read("task"),
    "GET /tasks/{task}/record/export": _read("task"),
    "POST /records/export": _ask(),
    "GET /records/anchors": _read(),
    "POST /records/imports": _run(),
    "GET /records/imports": _read(),
    "GET /records/imports/{crate}": _read("crate", Role.OWNER),
    "DELETE /records/imports/{crate}": _manage("crate"),
    "POST /records/links": _manage(),
    "GET /records/links": _read(),
    "DELETE /records/links/{link}": _manage("link"),
    "GET /records/review/{secret}": _open(),
    "GET /records/review/{secret}/crate": _open(),
    "GET /endpoints": _read(),
    "POST /endpoints": _manage(),
    "GET /endpoints/{name}": _read("endpoint", Role.OWNER),
    "GET /endpoints/{name}/load": _read("endpoint", Role.OWNER),
    "PATCH /endpoints/{name}": _manage("endpoint"),
    "DELETE /endpoints/{name}": _manage("endpoint"),
    "POST /endpoints/{name}/away": _manage("endpoint"),
    "POST /endpoints/{name}/clean": _manage("endpoint"),
    "POST /endpoints/{name}/confirm": _manage("endpoint"),
    "POST /endpoints/{name}/key": _manage("endpoint"),
    "POST /endpoints/{name}/pairing": _manage("endpoint"),
    "POST /endpoints/{name}/probe": _manage("endpoint"),
    "POST /endpoints/{name}/upgrade": _manage("endpoint"),
    "GET /endpoints/{name}/profile": _read("endpoint", Role.OWNER),
    "PUT /endpoints/{name}/profile": _manage("endpoint"),
    "GET /endpoints/{name}/shares": _read("endpoint", Role.OWNER),
    "POST /endpoints/{name}/shares": _manage("endpoint"),
    "DELETE /endpoints/{name}/shares": _manage("endpoint"),
    "GET /profiles": _read(),
    "GET /profiles/{profile}": _read("profile"),
    "GET /endpoints/{name}/browse": _read("endpoint", Role.OWNER),
    "GET /endpoints/{name}/secrets": _read("endpoint", Role.OWNER),
    "PUT /endpoints/{name}/secrets/{secret}": _manage("endpoint"),
    "DELETE /endpoints/{name}/secrets/{secret}": _manage("endpoint"),
    "GET /models": _read(),
    "POST /models": _manage(),
    "POST /models/{model}/versions": _manage(),
    "POST /models/{model}/pushes": _run(fresh=True),
    "GET /model-pushes/{push}": _read("push", Role.OWNER),
    "GET /model-pushes/{push}/wants": _read("push", Role.OWNER),
    "POST /model-pushes/{push}/pieces": _run("push"),
    "GET /tasks/{task}/results": _read("task"),
    "POST /tasks/{task}/results": _run("task"),
    "POST /tasks/{task}/results/{result}/dataset": _run("task"),
    "GET /models/{model}": _read("model"),
    "PATCH /models/{model}": _manage("model"),
    "DELETE /models/{model}": _manage("model"),
    "GET /models/{model}/versions": _read("model"),
    "GET /models/{model}/versions/{version}": _read("model"),
    "PATCH /models/{model}/versions/{version}": _manage("model"),
    "GET /models/{model}/versions/{version}/safety": _read("model"),
    "POST /models/{model}/versions/{version}/keep": _manage("model"),
    "GET /models/{model}/versions/{version}/manifest": _read("model"),
    "GET /models/{model}/versions/{version}/tuning": _read("model"),
    "GET /models/{model}/versions/{version}/curves": _read("model"),
    "GET /models/{model}/versions/{version}/content": _read("model"),
    "GET /models/{model}/card": _read("model"),
    "GET /models/{model}/aliases": _read("model"),
    "PUT /models/{model}/aliases/{alias}": _manage("model"),
    "DELETE /models/{model}/aliases/{alias}": _manage("model"),
    "GET /models/{model}/shares": _read("model", Role.OWNER),
    "POST /models/{model}/shares": _manage("model"),
    "DELETE /models/{model}/shares": _manage("model"),
    "GET /images": _read(),
    "GET /images/schema": _read(),
    "POST /images/preview": _ask(),
    "POST /images/import": _ask(),
    "POST /images/builds": _run(fresh=True),
    "GET /images/builds/{task}": _read("task"),
    "POST /images/builds/{task}/resume": _run("task", fresh=True),
    "POST /images/pull": _run(fresh=True),
    "POST /images/prune": _manage(),
    "GET /images/diff": _read(),
    "GET /images/moves/{move}": _read("move", Role.OWNER),
    "POST /images/moves/{move}/cancel": _run("move"),
    "GET /images/{image}": _read("image"),
    "PATCH /images/{image}": _manage("image"),
    "DELETE /images/{image}": _manage("image"),
    "GET /images/{image}/contents": _read("image"),
    "GET /images/{image}/shares": _read("image", Role.OWNER),
    "POST /images/{image}/shares": _manage("image"),
    "DELETE /images/{image}/shares": _manage("image"),
    "GET /images/{image}/uses": _read("image", Role.OWNER),
    "GET /images/{image}/definition": _read("image"),
    "POST /images/{image}/copies": _run("image", Role.VIEWER, fresh=True),
    "POST /images/{image}/push": _run("image", fresh=True),
    "GET /datasets": _read(),
    "POST /datasets": _run(fresh=True),
    "GET /datasets/reference": _read(),
    "POST /datasets/gc": _manage(),
    "POST /datasets/manifests/{digest}": _send(),
    "POST /datasets/uploads": _run(fresh=True),
    "GET /datasets/uploads/{upload}/wants": _read("upload", Role.OWNER),
    "POST /datasets/uploads/{upload}/pieces": _run("upload"),
    "GET /datasets/additions/{addition}": _read("addition", Role.OWNER),
    "POST /datasets/additions/{addition}/cancel": _run("addition"),
    "GET /datasets/transfers/{transfer}": _read("transfer", Role.OWNER),
    "POST /datasets/transfers/{transfer}/cancel": _run("transfer"),
    "GET /datasets/checks/{check}": _read("check", Role.OWNER),
    "GET /datasets/{dataset}": _read("dataset"),
    "PATCH /datasets/{dataset}": _manage("dataset"),
    "DELETE /datasets/{dataset}": _manage("dataset"),
    "GET /datasets/{dataset}/files": _read("dataset"),
    "GET /datasets/{dataset}/uses": _read("dataset"),
    "GET /datasets/{dataset}/places": _read("dataset"),
    "POST /datasets/{dataset}/copies": _run("dataset", Role.VIEWER, fresh=True),
    "POST /datasets/{dataset}/checks": _run("dataset", Role.VIEWER),
    "POST /datasets/{dataset}/pin": _manage("dataset", Role.VIEWER),
    "POST /datasets/{dataset}/copies/remove": _manage("dataset", Role.VIEWER),
    "GET /datasets/{dataset}/preview": _read("dataset"),
    "POST /datasets/{dataset}/preview": _run("dataset"),
    "GET /datasets/{dataset}/shares": _read("dataset", Role.OWNER),
    "POST /datasets/{dataset}/shares": _manage("dataset"),
    "DELETE /datasets/{dataset}/shares": _manage("dataset"),
    "POST /sync/pair": _open(),
    "POST /sync/hello": _agent(),
    "POST /sync/events": _agent(),
    "POST /sync/adopt": _agent(),
    "POST /sync/commands": _agent(),
    "POST /sync/bytes": _agent(),
    "POST /sync/answers/{answered}": _agent(),
    "POST /sync/blobs": _agent(),
    "POST /sync/profile": _agent(),
    "POST /sync/images": _agent(),
    "POST /sync/moves": _agent(),
    "POST /sync/image-part": _agent(),
    "POST /sync/trees": _agent(),
    "POST /sync/data-reports": _agent(),
    "POST /sync/manifest-bytes/{tree}": _agent(),
    "POST /sync/preview-bytes/{scan}": _agent(),
    "POST /sync/manifest-part": _agent(),
    "POST /sync/data-wants/{transfer}": _agent(),
    "POST /sync/data-wants-part": _agent(),
    "POST /sync/data-bytes/{transfer}": _agent(),
    "POST /sync/data-part": _agent(),
    "POST /sync/image-bytes/{sha256}": _agent(),
}
