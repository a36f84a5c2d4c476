"""Tables as the rules core, the table file and the doctor see them."""
