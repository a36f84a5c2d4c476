"""Scanner driver: bar-code scanners of the HID scanner page as a card source; a codes file assigns cards to codes."""
