"""A scripted machine for tests of the pages: many nodes, and a day in a second."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from diamond.sdk.client_config import saved_address
from support.browser import Site
from support.http import Client
from support.scene import Scene, new_scene
from support.service import RunningService


def scripted_machine(site: Site) -> Scene:
    saved = saved_address(site.diamond.home)
    assert saved
    seen = SimpleNamespace(url=saved.url, client=Client(saved.url, saved.token))
    return new_scene(cast("RunningService", seen))
