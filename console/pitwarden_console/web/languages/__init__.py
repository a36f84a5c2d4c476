"""Languages of the pages: which one a reader gets, and the catalogs of translated sentences."""
