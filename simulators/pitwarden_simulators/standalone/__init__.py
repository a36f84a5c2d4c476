"""Simulated devices and a broker that run by themselves, operated by hand: for tutorials and the workbench."""
