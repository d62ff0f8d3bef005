"""The scikit-learn faces of the learner: parameters in, nothing numerical here."""
