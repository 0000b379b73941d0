"""What is done with a pilot: assessed, explained, treated, attacked, reported."""

# Stands in every privacy summary, and is what --version says; CHANGELOG.md tells what each one changed.
__version__ = "3.0.0"
