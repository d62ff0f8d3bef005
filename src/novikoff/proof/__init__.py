"""Certificates, their files, exact arithmetic, `verify` and the second checker, parsers that share nothing with `data/`."""
