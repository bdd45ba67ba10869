"""Pages of HTML: of the numbers that `redoubt reproduce` has written, and of one model."""

from redoubt.report._write import write_model_report, write_report

__all__ = ["write_model_report", "write_report"]
