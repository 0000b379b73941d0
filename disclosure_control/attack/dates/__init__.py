"""The calendar of what leaves: by how much dates were moved."""
