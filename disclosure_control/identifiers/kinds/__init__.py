"""The kinds of identifiers: each is an entry of the ``KINDS`` of a file here, with those that are found alike."""
