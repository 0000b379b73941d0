"""The step ``treatment``: treat a pilot, evaluate it again, set before beside after."""
