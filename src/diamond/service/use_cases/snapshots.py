from dataclasses import dataclass


async def take_upload(services, request, *, strip):
    raise NotImplementedError
