"""Shared by the commands about users and projects."""

from __future__ import annotations

from typing import Annotated

import typer

from diamond.sdk.client import Client
from diamond.sdk.people import People

Project = Annotated[str, typer.Argument(metavar="PROJECT", help="Its name or id.")]


def people() -> People:
    return People(Client().transport)
