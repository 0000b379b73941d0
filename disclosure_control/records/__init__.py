"""Who counts people and hands flags back to records: in memory, or from disk where they do not fit."""
