# ruff: noqa: F403
"""What enters and leaves, as OpenAPI describes it; one file for each part of the API."""

from diamond.service.schemas.accounts import *
from diamond.service.schemas.common import *
from diamond.service.schemas.composing import *
from diamond.service.schemas.courses import *
from diamond.service.schemas.endpoints import *
from diamond.service.schemas.goals import *
from diamond.service.schemas.images import *
from diamond.service.schemas.jobs import *
from diamond.service.schemas.limits import *
from diamond.service.schemas.output import *
from diamond.service.schemas.overview import *
from diamond.service.schemas.people import *
from diamond.service.schemas.plans import *
from diamond.service.schemas.projects import *
from diamond.service.schemas.recipes import *
from diamond.service.schemas.scales import *
from diamond.service.schemas.tasks import *
