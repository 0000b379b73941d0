"""The step ``explore``: what is in the pilot, in tables and figures."""
