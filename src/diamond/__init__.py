"""Diamond trains any model with any dataset on any machine."""

__version__ = "0.1.0"
