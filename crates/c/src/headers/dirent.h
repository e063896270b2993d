/* Folders. */
#ifndef _FENCEPOST_DIRENT_H
#define _FENCEPOST_DIRENT_H

#include <__fencepost_types.h>

typedef struct __fencepost_folder DIR;

struct dirent {
    unsigned long d_ino;
    unsigned char d_type;
    char d_name[256];
};

DIR *opendir(const char *);
struct dirent *readdir(DIR *);
int closedir(DIR *);

#endif
