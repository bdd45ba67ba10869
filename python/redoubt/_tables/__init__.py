"""Tables with text and missing values, and the features of their rows."""
