/* Jumps out of functions. */
#ifndef _FENCEPOST_SETJMP_H
#define _FENCEPOST_SETJMP_H

typedef struct __fencepost_jump {
    long __registers[8];
} jmp_buf[1];
typedef jmp_buf sigjmp_buf;

int setjmp(jmp_buf);
int _setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);
int sigsetjmp(sigjmp_buf, int);
_Noreturn void siglongjmp(sigjmp_buf, int);

#endif
