"""The learner: passes, orders, stopping, many classes, the ledger of updates, mistake bounds, losses."""
