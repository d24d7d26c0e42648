from dataclasses import dataclass


async def list_code(services, person, task):
    raise NotImplementedError


async def read_code(services, person, task, path):
    raise NotImplementedError


async def read_diff(services, person, task):
    raise NotImplementedError
