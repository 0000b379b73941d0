"""The step ``fairness``: who gets the favourable outcome, and whom the anonymisation hits most."""
