"""Folders with the form of /sys and /dev, with serial adapters and USB devices plugged in."""

from pathlib import Path


class FakeSys:
    """Fake machine; `root` replaces /. A serial line's device is a pty, or absent."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in ("sys/bus/usb/devices", "sys/class/tty", "dev/serial/by-id", "dev/serial/by-path"):
            (root / folder).mkdir(parents=True)

    def usb(self, port: str, serial: str, interface: str = "ff", *, kind: str = "00") -> Path:
        """Plug in a USB device at `port`, with one interface of that class and subclass 0; return its folder."""
        folder = self.root / "sys/devices/usb1" / port
        inner = folder / f"{port}:1.0"
        inner.mkdir(parents=True)
        texts = {"idVendor": "1209", "idProduct": "0001", "serial": serial, "product": "table device"}
        for name, text in {**texts, "bDeviceClass": kind}.items():
            (folder / name).write_text(f"{text}\n")
        (inner / "bInterfaceClass").write_text(f"{interface}\n")
        (inner / "bInterfaceSubClass").write_text("00\n")
        for one in (folder, inner):
            (self.root / "sys/bus/usb/devices" / one.name).symlink_to(one)
        return folder

    def serial(self, tty: str, port: str, serial: str, *, by_id: bool = True, far_end: Path | None = None) -> Path:
        """Plug in a serial adapter; return its name by path, below `root`."""
        adapter = self.usb(port, serial, "02")
        line = adapter / f"{port}:1.0" / tty
        line.mkdir()
        (self.root / "sys/class/tty" / tty).symlink_to(line)
        if far_end is not None:
            (self.root / "dev" / tty).symlink_to(far_end.readlink())
        names = {"by-path": f"pci-0-usb-0:{port[2:]}:1.0-port0"} | ({"by-id": f"usb-{serial}-if00"} if by_id else {})
        for kind, name in names.items():
            (self.root / "dev/serial" / kind / name).symlink_to(f"../../{tty}")
        return self.root / "dev/serial/by-path" / names["by-path"]
