"""What is done with a pilot: assessed, explained, treated, attacked, reported."""
