"""Tables as people have them, with texts and gaps, and the features that planes see in their rows."""
