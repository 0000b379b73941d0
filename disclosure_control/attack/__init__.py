"""What leaves, attacked: one set of facts per person, one list of what is hidden, and answerers that try to find it."""
