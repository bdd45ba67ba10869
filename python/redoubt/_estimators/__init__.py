"""The classifiers of this package."""
