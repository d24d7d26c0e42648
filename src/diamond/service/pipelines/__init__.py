"""Pipelines at work: steps become tasks, and their results the inputs of later ones."""
