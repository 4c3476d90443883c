/* A lean bot that always calls, with nearly no cost of its own: as clients/examples/json_bot.py, for a
   competition, or for open tables: POKERD_JOIN has the first and the last number of those to join, and the
   step. It answers all turns that have arrived with one frame. Another process of it plays where it is told to
   go. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

static char in[1 << 22], out[1 << 17];
static size_t held, ready;

/* Send the array in out as one text frame: masked as the protocol demands, with the key 0. */
static int answer(int wire) {
    unsigned char head[8] = {0x81};
    size_t size = 2;
    out[0] = '[', out[ready++] = ']';
    if (ready < 126) {
        head[1] = 0x80 | ready;
    } else {
        head[1] = 0x80 | 126, head[2] = ready >> 8, head[3] = ready & 255, size = 4;
    }
    size += 4;
    memmove(out + size, out, ready);
    memcpy(out, head, size);
    size += ready, ready = 0;
    return write(wire, out, size) == (ssize_t)size;
}

/* Append an answer for every message of this type in a frame. */
static int answer_all(int wire, char *frame, size_t length, const char *type, const char *format) {
    char *end = frame + length, *at = frame;
    size_t mark = strlen(type);
    while ((at = memmem(at, end - at, type, mark))) {
        char *table = at + mark, *quote = memchr(table, '"', end - table);
        if (!quote) return 0;
        long turn = strncmp(quote, "\",\"turn\":", 9) ? 0 : atol(quote + 9);
        out[ready] = ready ? ',' : '[';
        ready++;
        ready += sprintf(out + ready, format, (int)(quote - table), table, turn);
        if (ready > 60000 && !answer(wire)) return 0;
        at = quote;
    }
    return 1;
}

/* Connect a process of our own to each other server that we are told to go to. */
static void follow(char *program, char *frame, size_t length) {
    static int known[64], count;
    const char *type = "\"type\":\"go_to\"";
    char *at = frame, *end = frame + length, url[64], ticket[128];
    while ((at = memmem(at, end - at, type, strlen(type)))) {
        int port = 0, old = 0;
        at += strlen(type);
        if (sscanf(at, ",\"table\":\"%*[^\"]\",\"url\":\"ws://127.0.0.1:%d\",\"ticket\":\"%127[^\"]", &port, ticket) != 2)
            continue;
        for (int i = 0; i < count; i++) old |= known[i] == port;
        if (old || count == 64) continue;
        known[count++] = port;
        if (fork()) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(url, sizeof url, "ws://127.0.0.1:%d", port);
        setenv("POKERD_URL", url, 1), setenv("POKERD_TOKEN", ticket, 1), unsetenv("POKERD_JOIN");
        execl(program, program, NULL);
        _exit(1);
    }
}

int main(int count, char **words) {
    (void)count;
    int port = 0, one = 1, first = 1, last = 0, step = 1;
    if (getenv("POKERD_JOIN")) sscanf(getenv("POKERD_JOIN"), "%d %d %d", &first, &last, &step);
    sscanf(getenv("POKERD_URL"), "ws://127.0.0.1:%d", &port);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    int wire = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(wire, (struct sockaddr *)&address, sizeof address)) return 1;
    setsockopt(wire, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    dprintf(wire,
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: pokerd.v1.json\r\n\r\n", port);
    char *after = NULL;
    while (!after) {
        ssize_t got = read(wire, in + held, sizeof in - held);
        if (got <= 0) return 1;
        held += got;
        after = memmem(in, held, "\r\n\r\n", 4);
    }
    held -= after + 4 - in;
    memmove(in, after + 4, held);
    ready = 1 + sprintf(out + 1, "{\"type\":\"hello\",\"name\":\"%s\",\"token\":\"%s\",\"tables\":%s}",
                        getenv("POKERD_NAME"), getenv("POKERD_TOKEN"), getenv("POKERD_TABLES"));
    for (; first <= last; first += step)
        ready += sprintf(out + ready, ",{\"type\":\"join\",\"table\":\"table-%d\"}", first);
    if (!answer(wire)) return 1;
    ssize_t got;
    while ((got = read(wire, in + held, sizeof in - held)) > 0) {
        held += got;
        size_t at = 0;
        while (held - at >= 2) {
            unsigned char *frame = (unsigned char *)in + at;
            size_t head = 2, length = frame[1] & 127;
            if (length == 126) head = 4;
            if (length == 127) head = 10;
            if (held - at < head) break;
            if (head > 2)
                for (size_t i = 2, n = length = 0; i < head; i++) length = n = n << 8 | frame[i];
            if (held - at < head + length) break;
            if ((frame[0] & 15) == 8) return 0;
            char *text = in + at + head;
            follow(words[0], text, length);
            if (!answer_all(wire, text, length, "\"type\":\"match_start\",\"table\":\"",
                            "{\"type\":\"ready\",\"table\":\"%.*s\"}"))
                return 1;
            if (!answer_all(wire, text, length, "\"type\":\"turn\",\"table\":\"",
                            "{\"type\":\"act\",\"table\":\"%.*s\",\"turn\":%ld,\"action\":\"call\"}"))
                return 1;
            at += head + length;
        }
        held -= at;
        memmove(in, in + at, held);
        if (ready && !answer(wire)) return 1;
    }
    return 0;
}
