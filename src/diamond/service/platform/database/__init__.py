"""The database: engine, tables, migrations, paging."""
