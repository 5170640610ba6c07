"""The checker: it proves a certificate again, with code of its own."""
