"""What is found out about what leaves, beside what it was made of: who is alone, what tells what, what undoes it."""
