/* Sockets: declared, so that a program that never comes to them can be read. */
#ifndef _FENCEPOST_SYS_SOCKET_H
#define _FENCEPOST_SYS_SOCKET_H

#include <__fencepost_types.h>

typedef unsigned short sa_family_t;
typedef unsigned socklen_t;

struct sockaddr {
    sa_family_t sa_family;
    char sa_data[14];
};

#define AF_UNIX 1
#define AF_INET 2
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOL_SOCKET 1
#define SO_REUSEADDR 2

int socket(int, int, int);
int bind(int, const struct sockaddr *, socklen_t);
int listen(int, int);
int accept(int, struct sockaddr *, socklen_t *);
int connect(int, const struct sockaddr *, socklen_t);
int setsockopt(int, int, int, const void *, socklen_t);
ssize_t send(int, const void *, size_t, int);
ssize_t recv(int, void *, size_t, int);
int shutdown(int, int);
int socketpair(int, int, int, int[2]);

#endif
