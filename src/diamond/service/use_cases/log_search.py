from dataclasses import dataclass


async def search(services, person, task, log, asked):
    raise NotImplementedError


@dataclass
class Asked:
    text: str
    after: int
    limit: int
    case: bool
