"""What the journals prove, read without touching them: verification, evidence, replay, the reach of an incident."""
