"""Check a spec against an endpoint and freeze it into an order."""

from diamond.compose.spec import Spec, spec_schema
from diamond.compose.spec_check import Composed, EndpointFacts, check

__all__ = ["Composed", "EndpointFacts", "Spec", "check", "spec_schema"]
