"""What all other packages use: compiling and its cache, threads, locks, signals, atomic files, checks of matrices."""
