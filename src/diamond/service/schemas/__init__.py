# ruff: noqa: F403
"""What enters and leaves, as OpenAPI describes it; one file for each part of the API."""

from diamond.service.sign_in.schemas import *
from diamond.service.platform.http.schemas import *
from diamond.service.composer.schemas import *
from diamond.service.courses.schemas import *
from diamond.service.endpoints.schemas import *
from diamond.service.planning.goal_schemas import *
from diamond.service.images.schemas import *
from diamond.service.jobs.schemas import *
from diamond.service.limits.schemas import *
from diamond.service.output.schemas import *
from diamond.service.dashboard.schemas import *
from diamond.service.people.schemas import *
from diamond.service.planning.schemas import *
from diamond.service.projects.schemas import *
from diamond.service.recipes.schemas import *
from diamond.service.planning.scale_schemas import *
from diamond.service.tasks.schemas import *
