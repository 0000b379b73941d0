"""Findings on the data to be released: who is alone, which columns disclose others, what reverses a treatment."""
