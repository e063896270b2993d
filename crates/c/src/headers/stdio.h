/* Files and formatted text. */
#ifndef _FENCEPOST_STDIO_H
#define _FENCEPOST_STDIO_H

#include <__fencepost_types.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct __fencepost_file {
    int __descriptor;
} FILE;

typedef long fpos_t;

extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr

#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2

int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int dprintf(int, const char *, ...);
int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
int vsprintf(char *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list);
int scanf(const char *, ...);
int fscanf(FILE *, const char *, ...);
int sscanf(const char *, const char *, ...);

int putchar(int);
int putchar_unlocked(int);
int putc(int, FILE *);
int fputc(int, FILE *);
int puts(const char *);
int fputs(const char *, FILE *);
int getchar(void);
int getc(FILE *);
int fgetc(FILE *);
int ungetc(int, FILE *);
char *fgets(char *, int, FILE *);
char *gets(char *);
ssize_t getline(char **, size_t *, FILE *);
size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);

FILE *fopen(const char *, const char *);
FILE *freopen(const char *, const char *, FILE *);
FILE *fdopen(int, const char *);
FILE *popen(const char *, const char *);
FILE *tmpfile(void);
int fclose(FILE *);
int pclose(FILE *);
int fflush(FILE *);
int fileno(FILE *);
int feof(FILE *);
int ferror(FILE *);
void clearerr(FILE *);
int fseek(FILE *, long, int);
long ftell(FILE *);
void rewind(FILE *);
int fgetpos(FILE *, fpos_t *);
int fsetpos(FILE *, const fpos_t *);
void setbuf(FILE *, char *);
int setvbuf(FILE *, char *, int, size_t);
void flockfile(FILE *);
void funlockfile(FILE *);
void perror(const char *);
int remove(const char *);
int rename(const char *, const char *);

#ifdef _GNU_SOURCE
int asprintf(char **, const char *, ...);
#endif

#endif
