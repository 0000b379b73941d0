"""Which columns identify persons: kinds of identifiers, recognised by their values, and the scan for them."""
