from __future__ import annotations

from fastapi import APIRouter

from diamond.service.notifications import notifications
from diamond.service.people import preferences
from diamond.service.people.caller import Person
from diamond.service.people.schemas import (
    Delivery,
    NotificationPage,
    NotificationSettings,
    NotificationSettingsShown,
    Preferences,
    ReadRequest,
    TrialRequest,
    Unread,
)
from diamond.service.platform.http.routing import Limit, PageCursor, Service, problems

router = APIRouter(tags=["notifications"])


@router.get("/me/preferences", response_model=Preferences, responses=problems())
async def get_preferences(services: Service, person: Person) -> Preferences:
    return await preferences.get_preferences(services, person)


@router.put("/me/preferences", response_model=Preferences, responses=problems())
async def put_preferences(body: Preferences, services: Service, person: Person) -> Preferences:
    return await preferences.put_preferences(services, person, body)


@router.get("/me/notifications", response_model=NotificationSettingsShown, responses=problems())
async def get_settings(services: Service, person: Person) -> NotificationSettingsShown:
    return await notifications.get_settings(services, person)


@router.put("/me/notifications", response_model=NotificationSettingsShown, responses=problems())
async def put_settings(
    body: NotificationSettings, services: Service, person: Person
) -> NotificationSettingsShown:
    """Replaces all settings; a webhook secret of null keeps the stored one."""
    return await notifications.put_settings(services, person, body)


@router.post("/me/notifications/try", response_model=Delivery, responses=problems(409))
async def try_channel(body: TrialRequest, services: Service, person: Person) -> Delivery:
    """Send a test message now, and answer whether it was sent."""
    return await notifications.try_channel(services, person, body.channel)


@router.get("/notifications", response_model=NotificationPage, responses=problems())
async def list_notifications(
    services: Service,
    person: Person,
    unread: bool = False,
    limit: Limit = 50,
    cursor: PageCursor = None,
) -> NotificationPage:
    return await notifications.list_notifications(
        services, person, only_unread=unread, limit=limit, cursor=cursor
    )


@router.post("/notifications/read", response_model=Unread, responses=problems())
async def mark_read(body: ReadRequest, services: Service, person: Person) -> Unread:
    """Mark the given notifications as read, or all."""
    return Unread(unread=await notifications.mark_read(services, person, body.ids))
