"""Spec and answers to a checked, frozen, hashed job."""

from diamond.compose.checking import Composed, EndpointFacts, check
from diamond.compose.spec import Spec, spec_schema

__all__ = ["Composed", "EndpointFacts", "Spec", "check", "spec_schema"]
