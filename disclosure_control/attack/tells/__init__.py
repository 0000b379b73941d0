"""Which released columns and rows give another away: what is hidden, summaries of rows, single columns and pairs."""
