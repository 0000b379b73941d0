"""What every column of a study is: one typed profile that all rooms ask, and the sheet in which people decide."""
