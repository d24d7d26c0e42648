from dataclasses import dataclass


async def read_lines(services, person, task, wanted, *, before, count):
    raise NotImplementedError
