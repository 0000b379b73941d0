"""The rows of a package as searches read them: by person, by column, by date."""
