"""Evaluation of hands and rolls: functions of faces and dice that depend on no state."""
