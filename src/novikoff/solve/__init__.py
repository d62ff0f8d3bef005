"""Questions with a proof as the answer: separability, the widest margin, rows in the way, cones, linear systems."""
