from dataclasses import dataclass


async def compose(services, person, body, *, script):
    raise NotImplementedError
