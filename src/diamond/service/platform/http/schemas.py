"""What all calls share: bodies, pages, problems, and stored data whose shape is known by name."""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"
Item = TypeVar("Item")
SHAPE = "x-shape"
"""Marks data that is passed on as it was stored; `description.py` puts the named schema in its place."""
OrderData = Annotated[dict[str, Any], WithJsonSchema({SHAPE: "Order"})]
SpecData = Annotated[dict[str, Any], WithJsonSchema({SHAPE: "Spec"})]
ProfileData = Annotated[dict[str, Any], WithJsonSchema({SHAPE: "Profile"})]


class Body(BaseModel):
    """A request body; an unknown field is answered with the known ones."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _only_known_fields(cls, data: Any) -> Any:
        unknown = sorted(set(data) - set(cls.model_fields)) if isinstance(data, dict) else []
        if unknown:
            known = ", ".join(cls.model_fields)
            raise PydanticCustomError(
                "unknown_field",
                "unknown field {names}; the fields are: {known}",
                {
                    "names": ", ".join(map(repr, unknown)),
                    "known": known,
                    "hint": f"Fields: {known}",
                },
            )
        return data


class Fault(BaseModel):
    field: str = ""
    message: str = ""
    hint: str = ""


class Problem(BaseModel):
    """RFC 9457, with a stable code and a hint."""

    type: str = "about:blank"
    title: str
    status: int
    code: str
    hint: str = ""
    retryable: bool = False
    faults: list[Fault] = []


class Page(BaseModel, Generic[Item]):
    items: list[Item]
    next: str | None = None


class Names(BaseModel):
    items: list[str]


class Nothing(BaseModel):
    """Success. The answer has no content."""


Preview = Literal["text", "image", "table", "notebook", "none"]
