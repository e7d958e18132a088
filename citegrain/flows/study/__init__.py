"""Measuring configurations: benches, sweeps, factorial studies, calibrations."""
