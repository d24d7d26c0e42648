from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from diamond.service import schemas
from diamond.service.recipes import catalog as recipes
from diamond.service.platform.http.routing import Person, problems

router = APIRouter(prefix="/recipes", tags=["recipes"])


@router.get("", response_model=schemas.Page[schemas.RecipeCard], responses=problems())
async def list_recipes(person: Person) -> dict[str, Any]:
    """Complete example jobs, the easiest first."""
    return {"items": [vars(one) for one in recipes.list_recipes()]}


@router.get("/{name}", response_model=schemas.Recipe, responses=problems(404))
async def get_recipe(name: str, person: Person) -> dict[str, Any]:
    return vars(recipes.find_recipe(name))
