/* A lean ACPC program that always calls, heads-up limit hold'em: acpc_player PORT. As acpc_player.py. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(argc > 1 ? atoi(argv[1]) : 0)};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    int wire = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (connect(wire, (struct sockaddr *)&address, sizeof address)) return 1;
    setsockopt(wire, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (write(wire, "VERSION:2.0.0\r\n", 15) != 15) return 1;

    char buffer[65536], answer[256];
    size_t held = 0;
    ssize_t got;
    while ((got = read(wire, buffer + held, sizeof buffer - held)) > 0) {
        held += got;
        char *line = buffer, *end;
        while ((end = memchr(line, '\n', buffer + held - line))) {
            int length = end - line - 1;
            char *betting = memchr(line + 13, ':', length) + 1;
            char *close = memchr(betting, ':', end - betting);
            int later = 0, acted = 0;
            for (char *word = betting; word < close; word++) {
                if (*word == '/') later = 1, acted = 0;
                else acted++;
            }
            int first = (line[11] == '0') == later;
            if (acted < 2 && first == !acted) {
                memcpy(answer, line, length);
                memcpy(answer + length, ":c\r\n", 4);
                if (write(wire, answer, length + 4) != length + 4) return 1;
            }
            line = end + 1;
        }
        held = buffer + held - line;
        memmove(buffer, line, held);
    }
    return 0;
}
