"""What all rooms stand on: faults, encoded columns, composite keys, wildcards, hierarchies, interval labels, words."""
