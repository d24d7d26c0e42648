"""The application: parts put together, and what runs beside the calls."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import Depends, FastAPI

from diamond import __version__
from diamond.service.administration import routes as administration
from diamond.service.announcements import routes as announcements
from diamond.service.artifacts import routes as artifacts
from diamond.service.code import blob_routes as code_blob
from diamond.service.code import routes as code
from diamond.service.code import storage_routes as code_storage
from diamond.service.composer import routes as composer
from diamond.service.courses import routes as courses
from diamond.service.dashboard import routes as dashboard
from diamond.service.datasets import routes as datasets
from diamond.service.diagnosis import routes as diagnosis
from diamond.service.endpoints import routes as endpoints
from diamond.service.events import routes as events
from diamond.service.events.shapes import SHAPES
from diamond.service.images import routes as images
from diamond.service.images import transfers as image_transfers
from diamond.service.jobs import routes as jobs
from diamond.service.jobs import task_routes as jobs_task
from diamond.service.limits import routes as limits
from diamond.service.lineage import routes as lineage
from diamond.service.maintenance import periodic
from diamond.service.models import push_routes as model_pushes
from diamond.service.models import routes as models
from diamond.service.notifications import outbox
from diamond.service.notifications import routes as notifications
from diamond.service.notifications.webhook_secrets import seal_old_ones
from diamond.service.output import log_routes as output_log
from diamond.service.output import metric_routes as output_metric
from diamond.service.output import routes as output
from diamond.service.pages import docs
from diamond.service.pages import routes as pages
from diamond.service.people import routes as people
from diamond.service.people.first_start import first_start, write_token_file
from diamond.service.pilots import routes as pilots
from diamond.service.pipelines import routes as pipelines
from diamond.service.pipelines import worker as pipeline_worker
from diamond.service.planning import routes as planning
from diamond.service.platform.agent_file import AgentFile
from diamond.service.platform.blob_store import FolderBlobStore, make_private
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.database.filesystem import refuse_network_folder
from diamond.service.platform.database.migrate import upgrade
from diamond.service.platform.http import problems
from diamond.service.platform.http.body_limit import BodyLimit
from diamond.service.platform.http.description import describe
from diamond.service.platform.http.guard import Guard
from diamond.service.platform.http.rate_limit import RateLimit
from diamond.service.platform.http.routing import PREFIX, known_query, stated_rule, whole_texts
from diamond.service.platform.identity_providers.registry import Providers
from diamond.service.platform.image_files import ImageFiles
from diamond.service.platform.kept_trees import KeptTrees
from diamond.service.platform.manifest_files import ManifestFiles
from diamond.service.platform.pieces import FolderPieces, MemoryPieces, Pieces
from diamond.service.platform.presence import Presence
from diamond.service.platform.relay.relay import MemoryRelay, Relay
from diamond.service.platform.relay.shared import SharedRelay
from diamond.service.platform.sealing import load_seal
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.listener import Listener
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.platform.workers import Workers
from diamond.service.projects import routes as projects
from diamond.service.recipes import routes as recipes
from diamond.service.records import routes as records
from diamond.service.reproduce import judge as reproduction_judge
from diamond.service.reproduce import routes as reproduce
from diamond.service.results import routes as results
from diamond.service.runs import old_tasks
from diamond.service.runs import routes as runs
from diamond.service.scales import routes as scales
from diamond.service.scales import worker as scale_worker
from diamond.service.settings import Settings, check_settings
from diamond.service.sharing import routes as sharing
from diamond.service.sign_in import account_routes as sign_in_account
from diamond.service.sign_in import routes as sign_in
from diamond.service.storage import routes as storage
from diamond.service.studies import routes as studies
from diamond.service.studies import worker as study_worker
from diamond.service.sync import routes as sync
from diamond.service.sync.data import after_data
from diamond.service.tasks import cleanup_routes as tasks_cleanup
from diamond.service.tasks import code_routes as tasks_code
from diamond.service.tasks import routes as tasks
from diamond.service.trees import transfers as tree_transfers
from diamond.service.trees.kept_copies import keep_in_background
from diamond.service.views import routes as views

log = logging.getLogger("diamond.service")

# Looked through in this order at each call, so the busiest come first.
PARTS = (
    jobs,
    jobs_task,
    diagnosis,
    tasks,
    tasks_code,
    events,
    output_log,
    output_metric,
    output,
    endpoints,
    runs,
    lineage,
    reproduce,
    views,
    tasks_cleanup,
    people,
    projects,
    sign_in_account,
    administration,
    limits,
    announcements,
    courses,
    sharing,
    notifications,
    dashboard,
    composer,
    planning,
    scales,
    studies,
    pilots,
    pipelines,
    recipes,
    datasets,
    images,
    models,
    model_pushes,
    results,
    artifacts,
    storage,
    records,
    code_blob,
    code_storage,
    code,
)


def create_app(settings: Settings) -> FastAPI:
    check_settings(settings)
    app = FastAPI(
        title="Diamond",
        version=__version__,
        description="Train any model with any dataset on any machine.",
        docs_url=None,  # Its page would load scripts from a third party.
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
    _include_api(app)
    app.include_router(sign_in.router)
    app.include_router(docs.router)
    app.include_router(pages.router)
    describe(app, SHAPES)
    return app


@asynccontextmanager
async def services_for(settings: Settings, notifier: Notifier) -> AsyncIterator[Services]:
    """Everything that use cases need, on an upgraded database."""
    make_private(settings.home)
    make_private(settings.scratch)
    if settings.database.startswith("sqlite"):
        refuse_network_folder(Path(settings.database.split("///", 1)[1]).parent)
    store, workers = Store(settings.database, notifier), Workers()
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
            manifests=ManifestFiles(settings.blob_folder / "manifests"),
            pieces=_pieces(settings, store),
            kept_trees=KeptTrees(settings.blob_folder / "trees"),
            agent_file=AgentFile(settings.agent_file),
            presence=Presence(),
            providers=providers,
            instance=await first_start(store),
            forget_endpoint=_forget_endpoint,
            workers=workers,
        )
    finally:
        await workers.close()
        await store.close()


async def _forget_endpoint(tx: Transaction, endpoint: str) -> None:
    await image_transfers.forget_endpoint(tx, endpoint)
    await after_data(tx, await tree_transfers.forget_endpoint(tx, endpoint))


def _pieces(settings: Settings, store: Store) -> Pieces:
    """In memory where one process serves; else where the others find them."""
    return MemoryPieces() if store.is_sqlite else FolderPieces(settings.blob_folder / "pieces")


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
            asyncio.create_task(periodic.run_housekeeping(services)),
            asyncio.create_task(periodic.measure_regularly(services)),
            asyncio.create_task(periodic.restart_after_restore(services)),
            asyncio.create_task(outbox.send_all(services)),
            asyncio.create_task(scale_worker.advance_scales(services)),
            asyncio.create_task(study_worker.advance_studies(services)),
            asyncio.create_task(pipeline_worker.advance_pipelines(services)),
            asyncio.create_task(keep_in_background(services, after_data)),
            asyncio.create_task(old_tasks.summarise_in_background(services)),
            asyncio.create_task(reproduction_judge.judge_in_background(services)),
        ]
        if not services.store.is_sqlite:
            beside.append(asyncio.create_task(Listener(services).run()))
        # What was made at the start stays: the collector need not look through it while large answers are made.
        gc.collect()
        gc.freeze()
        try:
            yield
        finally:
            services.notifier.close()
            for task in beside:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*beside, return_exceptions=True)


def _include_api(app: FastAPI) -> None:
    """Each part by itself: in one router around them FastAPI would count the routes of all at every call."""
    # Agents may be a minor version newer: what they say beyond is ignored.
    app.include_router(sync.router, prefix=PREFIX, dependencies=[Depends(stated_rule)])
    checks = [Depends(check) for check in (stated_rule, known_query, whole_texts)]
    for part in PARTS:
        app.include_router(part.router, prefix=PREFIX, dependencies=checks)
