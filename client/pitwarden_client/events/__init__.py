"""Messages on the bus: strict models, their envelope, their topics. No I/O, no clock."""
