"""Who is alone in what leaves, by which columns."""
