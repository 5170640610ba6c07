"""Benchmarks: ``python -m benchmarks`` prints ratios within one run and writes JSON beside them."""
