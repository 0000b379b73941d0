"""The kinds of identifiers, one per file: a file here that defines a ``KIND`` is one."""
