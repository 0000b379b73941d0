"""What can be done about a risk: recodings and treatments."""
