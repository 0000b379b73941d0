"""Long SDTM domains -> one row per subject; rules for subject ids."""
