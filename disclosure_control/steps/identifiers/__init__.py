"""The step ``identifiers``: which columns of the pilot name a person by themselves, by their values."""
