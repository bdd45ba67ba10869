"""One SVM by passes: the banded scheme, its proof, and Newton's method where bands do not help."""
