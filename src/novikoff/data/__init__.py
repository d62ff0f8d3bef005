"""Files and addresses become rows: sources, readers, features, hashing, data sets to study."""
