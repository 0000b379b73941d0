"""A study as it leaves: every domain file of a pilot, with one decision per person in all of them."""
