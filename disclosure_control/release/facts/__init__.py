"""What acquaintances may know of a person's course, as a package tells it."""
