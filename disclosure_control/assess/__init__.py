"""Reading the combined dataset, and whether it is stale; k, l, t of one pilot; risky rows."""
