"""What people and programs read of a run: the text and the JSON summary."""
