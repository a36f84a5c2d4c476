"""Hardware events of casino gaming tables over MQTT, judged by New Jersey's table-game rules."""
