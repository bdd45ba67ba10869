"""The classifiers, and the search for a radius, fitted by passes."""
