"""The application: parts put together, and what runs beside the calls."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI

from diamond import __version__
from diamond.service import keeper, outbox, problems, scaler
from diamond.service.agent_file import AgentFile
from diamond.service.blobs import FolderBlobStore, make_private
from diamond.service.body_limit import BodyLimit
from diamond.service.bootstrap import first_start, write_token_file
from diamond.service.description import describe
from diamond.service.guard import Guard
from diamond.service.image_files import ImageFiles
from diamond.service.listener import Listener
from diamond.service.notify import Notifier
from diamond.service.presence import Presence
from diamond.service.rate_limit import RateLimit
from diamond.service.relay import MemoryRelay, Relay
from diamond.service.routes import (
    accounts,
    administering,
    announcements,
    blobs,
    composing,
    courses,
    docs,
    endpoints,
    events,
    images,
    jobs,
    limits,
    logs,
    metrics,
    notifications,
    output,
    overview,
    pages,
    people,
    plans,
    projects,
    recipes,
    scales,
    sharing,
    signing_in,
    snapshots,
    sync,
    tasks,
)
from diamond.service.routes.common import PREFIX, known_query, stated_rule, whole_texts
from diamond.service.sealing import load_seal
from diamond.service.services import Services
from diamond.service.settings import Settings, check_settings
from diamond.service.shared_relay import SharedRelay
from diamond.service.sign_in.providers import Providers
from diamond.service.store.engine import Store
from diamond.service.store.filesystem import refuse_network_folder
from diamond.service.store.migrate import upgrade
from diamond.service.webhook_secrets import seal_old_ones

log = logging.getLogger("diamond.service")


def create_app(settings: Settings) -> FastAPI:
    check_settings(settings)
    app = FastAPI(
        title="Diamond",
        version=__version__,
        description="Train any model with any dataset on any machine.",
        docs_url=None,  # Its page would load scripts from a third party; /docs is ours.
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
        lifespan=_lifespan,
    )
    app.state.settings = settings
    app.state.notifier = Notifier()
    problems.install(app)
    app.add_middleware(BodyLimit)
    if settings.people.calls_per_minute and settings.is_shared:
        per_minute, proxies = settings.people.calls_per_minute, settings.proxies
        app.add_middleware(RateLimit, per_minute=per_minute, proxies=proxies)
    app.add_middleware(Guard, settings=settings)
    app.include_router(_api())
    app.include_router(signing_in.router)
    app.include_router(docs.router)
    app.include_router(pages.router)
    describe(app)
    return app


@asynccontextmanager
async def services_for(settings: Settings, notifier: Notifier) -> AsyncIterator[Services]:
    """Everything that use cases need, on an upgraded database."""
    make_private(settings.home)
    make_private(settings.scratch)
    if settings.database.startswith("sqlite"):
        refuse_network_folder(Path(settings.database.split("///", 1)[1]).parent)
    store = Store(settings.database, notifier)
    try:
        await upgrade(store)
        providers = Providers(settings)
        await store.run(lambda tx: seal_old_ones(tx, lambda: providers.seal))
        yield Services(
            settings=settings,
            store=store,
            notifier=notifier,
            relay=_relay(settings, store),
            blobs=FolderBlobStore(settings.blob_folder),
            image_files=ImageFiles(settings.blob_folder / "images"),
            agent_file=AgentFile(settings.agent_file),
            presence=Presence(store),
            providers=providers,
            instance=await first_start(store),
        )
    finally:
        await store.close()


def _relay(settings: Settings, store: Store) -> Relay:
    """SQLite serves one process; others on a shared database may be the ones that agents call."""
    if store.is_sqlite:
        return MemoryRelay(store.notifier)
    return SharedRelay(store, store.notifier, load_seal(settings.relay_key_file))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    async with services_for(settings, app.state.notifier) as services:
        app.state.services = services
        await write_token_file(services.store, settings)
        beside = [
            asyncio.create_task(keeper.keep(services)),
            asyncio.create_task(keeper.keep_sizes(services)),
            asyncio.create_task(keeper.begin_anew(services)),
            asyncio.create_task(outbox.send_all(services)),
            asyncio.create_task(scaler.look_after(services)),
        ]
        if not services.store.is_sqlite:
            beside.append(asyncio.create_task(Listener(services).run()))
        try:
            yield
        finally:
            services.notifier.close()
            for one in beside:
                one.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*beside, return_exceptions=True)


def _api() -> APIRouter:
    api = APIRouter(prefix=PREFIX, dependencies=[Depends(stated_rule)])
    # Looked through in this order at each call, so the busiest come first.
    # Agents may be a minor version newer: what they say beyond is passed over.
    api.include_router(sync.router)
    for part in (
        jobs,
        tasks,
        events,
        logs,
        metrics,
        output,
        endpoints,
        people,
        projects,
        accounts,
        administering,
        limits,
        announcements,
        courses,
        sharing,
        notifications,
        overview,
        composing,
        plans,
        scales,
        recipes,
        images,
        blobs,
        snapshots,
    ):
        api.include_router(part.router, dependencies=[Depends(known_query), Depends(whole_texts)])
    return api
