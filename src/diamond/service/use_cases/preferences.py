from dataclasses import dataclass


async def get_preferences(services, person):
    raise NotImplementedError


async def put_preferences(services, person, values):
    raise NotImplementedError
