"""Bar-code scanners on the HID bar-code scanner page as a card source: a codes file says which code is which card."""
