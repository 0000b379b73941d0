"""One file per table, or family of tables: each defines a ``TABLE``, and the registry finds it."""
