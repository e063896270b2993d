#include <stdlib.h>
struct node { int v; struct node *next; }; static struct node *head;
static void push(int v) { struct node *n = malloc(sizeof(struct node)); n->v = v; n->next = head; head = n; } static int pop(void) { struct node *n = head; int v = n->v; head = n->next; free(n); return v; }
static void insert(struct node **pp, int v) { while (*pp && (*pp)->v < v) pp = &(*pp)->next; struct node *n = malloc(sizeof *n); *n = (struct node){v, *pp}; *pp = n; } static void del(int v) { for (struct node **pp = &head; *pp; pp = &(*pp)->next) if ((*pp)->v == v) { struct node *t = *pp; *pp = t->next; free(t); return; } }
static int len(const struct node *n) { return n ? 1 + len(n->next) : 0; }
void test(void) { push(1); push(2); push(3);
    out(pop());
    out(head->v);
    out(len(head)); while (head) out(pop()); insert(&head, 5); insert(&head, 1); insert(&head, 3); insert(&head, 9); for (struct node *n = head; n; n = n->next) out(n->v); del(3); del(1); del(42);
    out(head->v);
    out(head->next->v);
    out(len(head)); struct node *r = 0; while (head) { struct node *t = head->next; head->next = r; r = head; head = t; } out(r->v); head = r; while (head) pop();
    out(head == NULL); }
