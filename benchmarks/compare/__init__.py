"""Redoubt's solvers beside established ones: same problems, answers checked here."""
