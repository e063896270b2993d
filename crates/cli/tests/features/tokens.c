#include <pthread.h>
#include <setjmp.h>
#include <string.h>

static int sum;
static void add(void *p) { sum += *(int *)p; }
static jmp_buf back;

void test(void)
{
    char text[] = ",a,,bc;d", other[] = "x y";
    char *rest, *token = strtok_r(text, ",;", &rest);
    while (token) {
        out(token - text);
        out(strlen(token));
        token = strtok_r(NULL, ",;", &rest);
    }
    out(strtok(other, " ")[0]);
    out(strtok(NULL, " ")[0]);
    out(strtok(NULL, " ") == NULL);
    int five = 5, six = 6;
    pthread_cleanup_push(add, &five);
    pthread_cleanup_push(add, &six);
    out(sum);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    out(sum);
    out(setjmp(back));
}
