"""Tones of the alarm sound as WAV files, made in memory. The number of tones repeats the priority that color shows."""

import io
import math
import struct
import wave
from collections.abc import Mapping, Sequence
from typing import Final

# Samples a second: twice the highest harmonic that the speakers of tablets play well.
_RATE: Final = 16_000
# Seconds of a tone, and of the pause after it: three of them are counted by ear within a second.
_TONE_S: Final = 0.18
# Seconds of the pause: shorter ones run together in a loud hall.
_PAUSE_S: Final = 0.07
# Amplitude against full scale: louder distorts on the speakers of tablets.
_LOUDNESS: Final = 0.6
# Time of rise and fall, in s: without it a tone begins and ends with a click.
_EDGE_S: Final = 0.01
_PITCHES: Final[Mapping[str, Sequence[float]]] = {
    "tone-1.wav": (660.0, 880.0, 1_100.0),  # three rising: stop
    "tone-2.wav": (740.0, 740.0),
    "tone-3.wav": (590.0,),
    "probe.wav": (0.0,),  # silence, with which a page finds out whether its browser plays
}


def tones() -> Mapping[str, bytes]:
    """Return the files by name."""
    return {name: _file([sample for pitch in pitches for sample in _tone(pitch)]) for name, pitches in _PITCHES.items()}


def _tone(pitch: float) -> list[int]:
    count = int(_RATE * _TONE_S)
    edge = _RATE * _EDGE_S
    made = [
        round(
            32_767 * _LOUDNESS * min(1.0, place / edge, (count - place) / edge)
            * math.sin(2 * math.pi * pitch * place / _RATE)
        )
        for place in range(count)
    ]  # fmt: skip
    return made + [0] * int(_RATE * _PAUSE_S)


def _file(samples: Sequence[int]) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(_RATE)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return out.getvalue()
