"""The basis of all rooms: faults, encoded columns, composite keys, wildcards, hierarchies, interval labels, words."""
