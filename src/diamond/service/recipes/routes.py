from __future__ import annotations

from fastapi import APIRouter

from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import problems
from diamond.service.platform.http.schemas import Page
from diamond.service.recipes import catalog, schemas

router = APIRouter(prefix="/recipes", tags=["recipes"])


@router.get("", response_model=Page[schemas.RecipeCard], responses=problems())
async def list_recipes(person: Person) -> Page[schemas.RecipeCard]:
    """Complete example jobs, the easiest first."""
    cards = [schemas.RecipeCard.model_validate(vars(card)) for card in catalog.list_recipes()]
    return Page[schemas.RecipeCard](items=cards)


@router.get("/{name}", response_model=schemas.Recipe, responses=problems(404))
async def get_recipe(name: str, person: Person) -> schemas.Recipe:
    return schemas.Recipe.model_validate(catalog.find_recipe(name), from_attributes=True)
