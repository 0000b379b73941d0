"""How a door runs: pilots in turn, locks, results published at once, progress."""
