"""What is found in the data to be released: who is alone, which columns disclose others, what reverses a treatment."""
