"""What a request asks to run: its own spec and code, or those of a recipe."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.compose.raw_spec import RawSpec, names_repository
from diamond.core.code_facts import CodeFacts, code_facts_data
from diamond.core.errors import InvalidSpec
from diamond.service.access.principal import Principal
from diamond.service.code.ownership import require_own_code
from diamond.service.code.snapshots import keep_folder
from diamond.service.composer.schemas import SpecRequest
from diamond.service.composer.shared_code import take_shared_code
from diamond.service.platform.services import Services
from diamond.service.projects.terms import require_uploads_allowed
from diamond.service.recipes.catalog import find_recipe, recipes_folder


@dataclass(frozen=True)
class RequestedSpec:
    spec: RawSpec
    code: CodeFacts | None

    def as_data(self) -> dict[str, object]:
        """As the request of an idempotency key remembers it."""
        return {"spec": self.spec, "code": code_facts_data(self.code)}


async def read_request(
    services: Services,
    principal: Principal,
    body: SpecRequest,
    *,
    project: str = "",
    code_follows: bool = False,
) -> RequestedSpec:
    """The code of a recipe is stored, as if the caller had sent it. `code_follows`: it may be sent later."""
    code = body.code.facts() if body.code else None
    if not code_follows:
        if code and code.snapshot:
            await require_uploads_allowed(services, principal, project)
            await take_shared_code(services, principal, code)
        await require_own_code(services, principal.user, code)
    if not body.recipe:
        if body.spec is None:
            raise InvalidSpec("There is no spec", "Give `spec`, or name a `recipe`.")
        return RequestedSpec(body.spec, code)
    recipe = find_recipe(body.recipe)
    spec = dict(body.spec if body.spec is not None else recipe.spec)
    if code is None and not names_repository(spec):
        code = await keep_folder(services, principal.user, recipes_folder() / recipe.name)
    return RequestedSpec({"name": recipe.name, **spec}, code)
