"""Second evaluator of hands, written from the regulation alone."""
