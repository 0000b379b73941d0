"""What is done with a pilot: assessed, explained, treated, attacked, reported."""

# In every privacy summary, and printed by --version; CHANGELOG.md lists the changes of each.
__version__ = "4.0.0"
