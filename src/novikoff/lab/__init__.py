"""The lab: a page on your own machine where you place points by hand and watch a perceptron learn them.

`runs.py` and its neighbours compute, `descriptions.py` turns a run into JSON, `answers.py` answers requests in processes that
`workers.py` starts, `server.py` has the routes, and `page/` is the page itself.
"""
