"""One self-contained page per run, made of the JSON summary: what it says is what the summary says."""
