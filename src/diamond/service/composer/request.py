"""What a request asks for: its own spec and code, or those of a recipe."""

from __future__ import annotations

from typing import Any

from diamond.core.errors import InvalidSpec
from diamond.service.code.snapshots import keep_folder
from diamond.service.composer.schemas import SpecRequest
from diamond.service.platform.services import Services
from diamond.service.recipes.catalog import find_recipe, recipes_folder


async def asked_for(
    services: Services, body: SpecRequest
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The spec and the facts of its code."""
    code = body.code.model_dump() if body.code else None
    if not body.recipe:
        if body.spec is None:
            raise InvalidSpec("There is no spec", "Give `spec`, or name a `recipe`.")
        return body.spec, code
    recipe = find_recipe(body.recipe)
    spec = dict(body.spec if body.spec is not None else recipe.spec)
    if code is None and "://" not in str(spec.get("code") or ""):
        code = await keep_folder(services, recipes_folder() / recipe.name)
    return {"name": recipe.name, **spec}, code
