"""The step ``context``: what the controller says of purpose, recipient and approval, and what is still open."""
