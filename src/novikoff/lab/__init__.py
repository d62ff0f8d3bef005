"""The lab: a page on your own machine where points are put down by hand, and everything that a run does with them is seen.

`runs.py` computes what the page shows, `server.py` hands it over as JSON, `page/` is the page itself.
"""
