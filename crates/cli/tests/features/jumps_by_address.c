/* Labels as values, as interpreters use them. */
static int run(const int *code)
{
    static void *const handlers[] = { &&push, &&add, &&twice, &&stop };
    int stack[8], top = 0;
    goto *handlers[*code++];
push:
    stack[top++] = *code++;
    goto *handlers[*code++];
add:
    top--;
    stack[top - 1] += stack[top];
    goto *handlers[*code++];
twice:
    stack[top - 1] *= 2;
    goto *handlers[*code++];
stop:
    return stack[0];
}

void test(void)
{
    static const int code[] = { 0, 5, 0, 4, 1, 2, 3 };
    out(run(code));
    void *next = &&first;
    int n = 0;
    for (int i = 0; i < 3; i++) {
        goto *next;
    first:
        n += 1;
        next = &&second;
        continue;
    second:
        n += 10;
        next = i ? &&first : &&second;
    }
    out(n);
    out(&&first == &&second);
}
