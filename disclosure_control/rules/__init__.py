"""The rules of authorities, as data, and what a run shows of each."""
