"""Texts and labels, each judged on its own: what stays, and what is emptied."""
