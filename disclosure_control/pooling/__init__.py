"""The pool of several hospitals: count tables that stay at home, masked sums that travel as files, one answer."""
