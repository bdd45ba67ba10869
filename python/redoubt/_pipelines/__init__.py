"""Fitted transformers, read as functions of the raw columns of a table."""

from redoubt._pipelines import blocks, encoders, imputers, linear  # noqa: F401  (they register)
from redoubt._pipelines.columns import coding_of, coefficients
from redoubt._pipelines.forms import Form
from redoubt._pipelines.registry import READABLE, REFUSED, pull_back

__all__ = ["READABLE", "REFUSED", "Form", "coding_of", "coefficients", "pull_back"]
