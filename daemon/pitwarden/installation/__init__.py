"""Installation of a table on a controller: answers of the technician, and the files that follow from them."""
