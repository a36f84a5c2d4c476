"""Pure simulated devices that know the truth that they dealt."""
