from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import problems
from diamond.service.platform.http.schemas import Page
from diamond.service.recipes import catalog as recipes
from diamond.service.recipes import schemas

router = APIRouter(prefix="/recipes", tags=["recipes"])


@router.get("", response_model=Page[schemas.RecipeCard], responses=problems())
async def list_recipes(person: Person) -> dict[str, Any]:
    """Complete example jobs, the easiest first."""
    return {"items": [vars(one) for one in recipes.list_recipes()]}


@router.get("/{name}", response_model=schemas.Recipe, responses=problems(404))
async def get_recipe(name: str, person: Person) -> dict[str, Any]:
    return vars(recipes.find_recipe(name))
