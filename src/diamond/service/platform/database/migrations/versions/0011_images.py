"""Images: what was built, where it is, who asked for it, which tasks use it, and moves between places."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
DIGEST = sa.String(80).with_variant(sa.String(80, collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("tasks", sa.Column("awaits", ID))
    op.create_index("ix_tasks_awaits", "tasks", ["awaits"])
    _images()
    _copies()
    _wishes()
    _uses()
    _moves()


def _images() -> None:
    op.create_table(
        "images",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("name", sa.String(100)),
        sa.Column("identity", DIGEST, nullable=False),
        sa.Column("platform", sa.String(32), nullable=False),
        sa.Column("recipe", sa.JSON(), nullable=False),
        sa.Column("record", sa.JSON(), nullable=False),
        sa.Column("build", ID),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_images_owner"),
        sa.PrimaryKeyConstraint("id", name="pk_images"),
        sa.UniqueConstraint("owner", "identity", name="uq_images_owner_identity"),
        sa.UniqueConstraint("owner", "name", name="uq_images_owner_name"),
    )
    op.create_index("ix_images_owner_created_id", "images", ["owner", "created", "id"])


def _copies() -> None:
    op.create_table(
        "image_copies",
        sa.Column("image", ID, nullable=False),
        sa.Column("endpoint", ID, nullable=False),
        sa.Column("format", sa.String(24), nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("sha256", ID, nullable=False),
        sa.Column("record", sa.JSON(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["image"], ["images.id"], name="fk_image_copies_image"),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_image_copies_owner"),
        sa.PrimaryKeyConstraint("image", "endpoint", "format", name="pk_image_copies"),
    )
    op.create_index("ix_image_copies_owner_sha256", "image_copies", ["owner", "sha256"])
    op.create_index("ix_image_copies_endpoint", "image_copies", ["endpoint"])


def _wishes() -> None:
    op.create_table(
        "image_wishes",
        sa.Column("owner", ID, nullable=False),
        sa.Column("endpoint", ID, nullable=False),
        sa.Column("key", DIGEST, nullable=False),
        sa.Column("build", ID, nullable=False),
        sa.Column("image", ID),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_image_wishes_owner"),
        sa.ForeignKeyConstraint(["image"], ["images.id"], name="fk_image_wishes_image"),
        sa.PrimaryKeyConstraint("owner", "endpoint", "key", name="pk_image_wishes"),
    )
    op.create_index("ix_image_wishes_build", "image_wishes", ["build"])


def _uses() -> None:
    op.create_table(
        "image_uses",
        sa.Column("image", ID, nullable=False),
        sa.Column("task", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.ForeignKeyConstraint(["image"], ["images.id"], name="fk_image_uses_image"),
        sa.ForeignKeyConstraint(["task"], ["tasks.id"], name="fk_image_uses_task"),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_image_uses_owner"),
        sa.PrimaryKeyConstraint("image", "task", name="pk_image_uses"),
    )


def _moves() -> None:
    op.create_table(
        "image_moves",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("image", ID),
        sa.Column("endpoint", ID, nullable=False),
        sa.Column("source", ID),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", ID, nullable=False),
        sa.Column("record", sa.JSON(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_image_moves_owner"),
        sa.PrimaryKeyConstraint("id", name="pk_image_moves"),
    )
    op.create_index("ix_image_moves_image", "image_moves", ["image"])
    op.create_index("ix_image_moves_owner_created_id", "image_moves", ["owner", "created", "id"])
