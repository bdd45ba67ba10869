"""Models that are certified: votes of planes, model files, classifiers of scikit-learn."""
