/* The same floor as floor.py on libmosquitto: a bare pty, two bare SQLite files with synchronous=FULL, two connections
 * without delay at QoS 1 and MQTT 5. Arguments: port, pty, folder. Topics, sizes and the steady state are those of
 * floor.py, with "c" before the topics' names. */
#include <fcntl.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROW = 707, SAID = 970, STEADY = 900, POLL_MS = 1000, KEEPALIVE_S = 60 };

static char row[ROW], said[SAID];
static sqlite3_stmt *field, *judge;
static struct mosquitto *out, *heard;

static void must(int code, const char *what) {
    if (code != 0) {
        fprintf(stderr, "floor: %s failed with %d\n", what, code);
        exit(1);
    }
}

static void commit(sqlite3_stmt *insert, const void *body, int length) {
    sqlite3_bind_blob(insert, 1, body, length, SQLITE_STATIC);
    must(sqlite3_step(insert) != SQLITE_DONE, "a commit");
    sqlite3_reset(insert);
}

static sqlite3_stmt *opened(const char *folder, const char *name) {
    char path[4096];
    sqlite3 *file;
    sqlite3_stmt *insert;
    snprintf(path, sizeof path, "%s/%s.sqlite", folder, name);
    must(sqlite3_open(path, &file), "opening a file");
    must(sqlite3_exec(file, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE IF NOT EXISTS row (place INTEGER PRIMARY KEY, body BLOB)", NULL, NULL, NULL), "a table");
    must(sqlite3_prepare_v2(file, "INSERT INTO row VALUES (NULL, ?)", -1, &insert, NULL), "a statement");
    for (int each = 0; each < STEADY; each++)
        commit(insert, row, ROW);
    return insert;
}

static void from_broker(struct mosquitto *of, void *data, const struct mosquitto_message *message) {
    (void)of, (void)data;
    commit(judge, message->payload, message->payloadlen);
    must(mosquitto_publish(out, NULL, "cfloor/out", SAID, said, 1, false), "a publish");
}

static void subscribed(struct mosquitto *of, void *data, int mid, int count, const int *granted) {
    (void)of, (void)data, (void)mid, (void)count, (void)granted;
    must(mosquitto_publish(out, NULL, "cfloor/ready", 0, NULL, 1, false), "a publish");
}

static struct mosquitto *connected(const char *name, int port) {
    struct mosquitto *client = mosquitto_new(name, true, NULL);
    must(client == NULL, "a client");
    must(mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5), "MQTT 5");
    must(mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1), "no delay");
    must(mosquitto_connect(client, "127.0.0.1", port, KEEPALIVE_S), "connecting");
    return client;
}

static void turn(struct mosquitto *client, short events) {
    if (events & POLLIN)
        must(mosquitto_loop_read(client, 1), "reading");
    if (mosquitto_want_write(client))
        must(mosquitto_loop_write(client, 1), "writing");
    must(mosquitto_loop_misc(client), "keeping alive");
}

int main(int count, char **words) {
    must(count != 4, "counting the arguments");
    memset(row, 'r', ROW);
    memset(said, 's', SAID);
    field = opened(words[3], "cfloor-field");
    judge = opened(words[3], "cfloor-judge");
    int line = open(words[2], O_RDWR | O_NOCTTY);
    must(line < 0, "opening the line");
    mosquitto_lib_init();
    out = connected("cfloor-out", atoi(words[1]));
    heard = connected("cfloor-in", atoi(words[1]));
    mosquitto_message_callback_set(heard, from_broker);
    mosquitto_subscribe_callback_set(heard, subscribed);
    must(mosquitto_subscribe(heard, NULL, "cfloor/in", 1), "subscribing");
    for (;;) {
        struct pollfd all[3] = {
            {line, POLLIN, 0}, {mosquitto_socket(out), POLLIN, 0}, {mosquitto_socket(heard), POLLIN, 0}};
        must(poll(all, 3, POLL_MS) < 0, "waiting");
        if (all[0].revents & POLLIN) {
            char frame[4096];
            must(read(line, frame, sizeof frame) <= 0, "reading the line");
            commit(field, row, ROW);
            must(mosquitto_publish(out, NULL, "cfloor/in", ROW, row, 1, false), "a publish");
        }
        turn(out, all[1].revents);
        turn(heard, all[2].revents);
        turn(out, 0); /* what a callback said is written at once */
    }
}
