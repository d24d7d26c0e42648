from dataclasses import dataclass


async def get_settings(services, person):
    raise NotImplementedError


async def put_settings(services, person, body):
    raise NotImplementedError


async def try_channel(services, person, channel):
    raise NotImplementedError


async def list_notifications(services, person, *, only_unread, limit, cursor):
    raise NotImplementedError


async def mark_read(services, person, ids):
    raise NotImplementedError
