"""What the service costs, against what the broker, the disk and the line cost alone. Figures are ratios of one run."""
