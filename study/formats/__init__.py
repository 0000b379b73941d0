"""One file per format: its reader."""
