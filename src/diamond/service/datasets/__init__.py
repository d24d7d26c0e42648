"""Datasets: names with immutable versions, each a tree of files; who may use them and where they may be."""
