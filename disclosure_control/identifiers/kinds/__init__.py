"""The kinds of identifiers, one per file: a file here that holds a ``KIND`` is one."""
