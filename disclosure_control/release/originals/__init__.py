"""What came in and must not leave, searched for in every cell of a package."""
