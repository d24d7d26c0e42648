"""Kinds of columns that the tables share, and the set that the tables belong to."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    text,
)

# Ids compare by bytes everywhere, so that a prefix is a range of the index.
ID = String(64).with_variant(String(64, collation="C"), "postgresql")
DIGEST = String(80).with_variant(String(80, collation="C"), "postgresql")
COUNTER = BigInteger().with_variant(Integer, "sqlite")
TIME: Double[float] = Double()

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def owner_column() -> Column[str]:
    return Column("owner", ID, ForeignKey("users.id"), nullable=False)


def partial_index(name: str, *columns: str, where: str) -> Index:
    """Of the few rows for which `where` holds."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))
