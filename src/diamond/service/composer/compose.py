"""From a spec to a checked order: what its names mean, and every fault at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.data import MODEL_PREFIX, KnownData, references
from diamond.compose.raw_spec import RawSpec, environment_name
from diamond.compose.spec_check import Composed, EndpointFacts, KnownImages, check
from diamond.core.code_facts import CodeFacts
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer.request import RequestedSpec
from diamond.service.datasets.named import known_data
from diamond.service.endpoints.community import owners_of_accounts, usable_endpoints
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images import store as image_store
from diamond.service.images.image_requests import endpoint_facts, image_facts
from diamond.service.images.shared import shared_called
from diamond.service.models.named import known_models
from diamond.service.projects.terms import NO_PROJECT, ProjectTerms, project_terms


@dataclass(frozen=True)
class Composer:
    """All that it takes to compose a spec: it reads nothing more, so variants of the spec can be composed too."""

    endpoints: Sequence[EndpointRow]
    facts: Sequence[EndpointFacts]
    images: KnownImages
    code: CodeFacts | None
    terms: ProjectTerms = NO_PROJECT
    data: KnownData = KnownData()  # noqa: RUF009

    def compose(self, spec: RawSpec) -> Composed:
        """Raises `InvalidSpec` with all faults."""
        return check(
            self.terms.apply(spec),
            endpoints=self.facts,
            code=self.code,
            images=self.images,
            data=self.data,
        )

    def endpoint_of(self, composed: Composed) -> EndpointRow:
        return next(row for row in self.endpoints if row.name == composed.endpoint)


async def resolve(
    connection: AsyncConnection,
    principal: Principal,
    requested: RequestedSpec,
    project: str = "",
) -> Composer:
    """What a spec may use: the project it goes into, the endpoints it may run on, the image it names, its code."""
    require(principal, Action.WRITE, owner=principal.user)
    terms = await project_terms(connection, principal, project)
    endpoints = terms.allowed_endpoints(await usable_endpoints(connection, principal.user))
    terms.require_no_uploads(requested.spec, requested.code)
    return await composer_among(
        connection, principal.user, requested.spec, requested.code, endpoints, terms
    )


async def composer_among(
    connection: AsyncConnection,
    owner: str,
    spec: RawSpec,
    code: CodeFacts | None,
    endpoints: Sequence[EndpointRow],
    terms: ProjectTerms = NO_PROJECT,
) -> Composer:
    """For a spec that runs on one of these endpoints."""
    images = await known_images(connection, owner, spec, endpoints)
    accounts = await owners_of_accounts(connection, owner, endpoints)
    facts = [endpoint_facts(row, accounts.get(row.id, "")) for row in endpoints]
    data = await named_data(connection, owner, spec)
    return Composer(endpoints, facts, images, code, terms, data)


async def named_data(connection: AsyncConnection, owner: str, spec: RawSpec) -> KnownData:
    """Versions of datasets, and of models behind `model:`."""
    texts = references(spec)
    names = [text for text in texts if not text.startswith(MODEL_PREFIX)]
    data = await known_data(connection, owner, names)
    models = await known_models(connection, owner, [one for one in texts if one not in names])
    return KnownData(
        {**data.versions, **models.versions},
        {**data.problems, **models.problems},
        [*data.names, *models.names],
    )


async def known_images(
    connection: AsyncConnection, owner: str, spec: RawSpec, endpoints: Sequence[EndpointRow]
) -> KnownImages:
    """What the environment's name in a spec may mean."""
    name = environment_name(spec)
    if name is None:
        return KnownImages()
    images = await image_store.images_called(connection, owner, name)
    images = images or await shared_called(connection, owner, name)
    if len(images) != 1:
        return KnownImages(names=await image_store.image_names(connection, owner))
    image = images[0]
    copies = (await image_store.copies_of(connection, [image.id]))[image.id]
    return KnownImages(image_facts(image, copies, {row.id: row.name for row in endpoints}))
