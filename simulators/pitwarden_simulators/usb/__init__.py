"""Simulated USB devices under the real pyusb and the real libusb. Needs Debian's umockdev and libusb."""
