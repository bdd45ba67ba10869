"""Pictures and one HTML page from the numbers that `redoubt reproduce` has written."""

from redoubt.report._write import write_report

__all__ = ["write_report"]
