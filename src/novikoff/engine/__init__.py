"""The compiled main loop and its parts: sweep, storages, rules, readouts, kernels, weights, skipping, prefetching."""
