"""Spec and answers to a checked, frozen, hashed job."""
