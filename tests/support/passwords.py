"""Lines of mosquitto's password file, without its tool."""

import base64
import hashlib
import os


def password_line(login: str, password: str) -> str:
    """The line of `login`."""
    salt = os.urandom(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, 101)
    return f"{login}:$7$101${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}\n"
