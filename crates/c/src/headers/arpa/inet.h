/* Numbers as networks send them. */
#ifndef _FENCEPOST_ARPA_INET_H
#define _FENCEPOST_ARPA_INET_H

#include <netinet/in.h>

#endif
