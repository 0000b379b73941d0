"""Which columns name a person by themselves: kinds of identifiers, told by their values, and the scan for them."""
