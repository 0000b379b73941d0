"""One self-contained page per run, made from the JSON summary and in agreement with it."""
