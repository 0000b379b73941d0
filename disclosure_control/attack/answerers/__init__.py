"""The answerers, each in a file of its own: a function of facts and a question, its assumption, its cost."""
