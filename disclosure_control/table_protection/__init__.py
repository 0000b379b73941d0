"""Tables that may leave: which cells disclose somebody, what has to be hidden or rounded with them, and the proof."""
