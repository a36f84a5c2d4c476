"""Line-oriented ASCII devices without code: a map file says which line is which event."""
