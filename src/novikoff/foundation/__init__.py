"""What all other packages use: threads, locks, signals, atomic files, checks of matrices."""
