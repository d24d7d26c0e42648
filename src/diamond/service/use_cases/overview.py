from dataclasses import dataclass


async def get_overview(services, person):
    raise NotImplementedError


async def mark_seen(services, person, at):
    raise NotImplementedError
