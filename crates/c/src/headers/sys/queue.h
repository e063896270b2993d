/* Lists and queues of BSD, as macros. */
#ifndef _FENCEPOST_SYS_QUEUE_H
#define _FENCEPOST_SYS_QUEUE_H

/* Singly linked lists. */
#define SLIST_HEAD(name, type) struct name { struct type *slh_first; }
#define SLIST_HEAD_INITIALIZER(head) { 0 }
#define SLIST_ENTRY(type) struct { struct type *sle_next; }
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_END(head) ((void *)0)
#define SLIST_EMPTY(head) (SLIST_FIRST(head) == 0)
#define SLIST_NEXT(element, field) ((element)->field.sle_next)
#define SLIST_INIT(head) do { SLIST_FIRST(head) = 0; } while (0)
#define SLIST_FOREACH(var, head, field) \
    for ((var) = SLIST_FIRST(head); (var) != 0; (var) = SLIST_NEXT(var, field))
#define SLIST_FOREACH_SAFE(var, head, field, kept) \
    for ((var) = SLIST_FIRST(head); (var) != 0 && ((kept) = SLIST_NEXT(var, field), 1); (var) = (kept))
#define SLIST_INSERT_HEAD(head, element, field) do { \
        SLIST_NEXT(element, field) = SLIST_FIRST(head); \
        SLIST_FIRST(head) = (element); \
    } while (0)
#define SLIST_INSERT_AFTER(where, element, field) do { \
        SLIST_NEXT(element, field) = SLIST_NEXT(where, field); \
        SLIST_NEXT(where, field) = (element); \
    } while (0)
#define SLIST_REMOVE_HEAD(head, field) do { SLIST_FIRST(head) = SLIST_NEXT(SLIST_FIRST(head), field); } while (0)
#define SLIST_REMOVE(head, element, type, field) do { \
        struct type **at_ = &SLIST_FIRST(head); \
        while (*at_ != (element)) \
            at_ = &SLIST_NEXT(*at_, field); \
        *at_ = SLIST_NEXT(element, field); \
    } while (0)

/* Doubly linked lists. */
#define LIST_HEAD(name, type) struct name { struct type *lh_first; }
#define LIST_HEAD_INITIALIZER(head) { 0 }
#define LIST_ENTRY(type) struct { struct type *le_next; struct type **le_prev; }
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_END(head) ((void *)0)
#define LIST_EMPTY(head) (LIST_FIRST(head) == 0)
#define LIST_NEXT(element, field) ((element)->field.le_next)
#define LIST_INIT(head) do { LIST_FIRST(head) = 0; } while (0)
#define LIST_FOREACH(var, head, field) \
    for ((var) = LIST_FIRST(head); (var) != 0; (var) = LIST_NEXT(var, field))
#define LIST_FOREACH_SAFE(var, head, field, kept) \
    for ((var) = LIST_FIRST(head); (var) != 0 && ((kept) = LIST_NEXT(var, field), 1); (var) = (kept))
#define LIST_INSERT_HEAD(head, element, field) do { \
        LIST_NEXT(element, field) = LIST_FIRST(head); \
        if (LIST_FIRST(head) != 0) \
            LIST_FIRST(head)->field.le_prev = &LIST_NEXT(element, field); \
        LIST_FIRST(head) = (element); \
        (element)->field.le_prev = &LIST_FIRST(head); \
    } while (0)
#define LIST_INSERT_AFTER(where, element, field) do { \
        LIST_NEXT(element, field) = LIST_NEXT(where, field); \
        if (LIST_NEXT(where, field) != 0) \
            LIST_NEXT(where, field)->field.le_prev = &LIST_NEXT(element, field); \
        LIST_NEXT(where, field) = (element); \
        (element)->field.le_prev = &LIST_NEXT(where, field); \
    } while (0)
#define LIST_INSERT_BEFORE(where, element, field) do { \
        (element)->field.le_prev = (where)->field.le_prev; \
        LIST_NEXT(element, field) = (where); \
        *(where)->field.le_prev = (element); \
        (where)->field.le_prev = &LIST_NEXT(element, field); \
    } while (0)
#define LIST_REMOVE(element, field) do { \
        if (LIST_NEXT(element, field) != 0) \
            LIST_NEXT(element, field)->field.le_prev = (element)->field.le_prev; \
        *(element)->field.le_prev = LIST_NEXT(element, field); \
    } while (0)

/* Singly linked queues, under both of their names. */
#define STAILQ_HEAD(name, type) struct name { struct type *stqh_first; struct type **stqh_last; }
#define STAILQ_HEAD_INITIALIZER(head) { 0, &(head).stqh_first }
#define STAILQ_ENTRY(type) struct { struct type *stqe_next; }
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_EMPTY(head) (STAILQ_FIRST(head) == 0)
#define STAILQ_NEXT(element, field) ((element)->field.stqe_next)
#define STAILQ_INIT(head) do { STAILQ_FIRST(head) = 0; (head)->stqh_last = &STAILQ_FIRST(head); } while (0)
#define STAILQ_FOREACH(var, head, field) \
    for ((var) = STAILQ_FIRST(head); (var) != 0; (var) = STAILQ_NEXT(var, field))
#define STAILQ_INSERT_HEAD(head, element, field) do { \
        STAILQ_NEXT(element, field) = STAILQ_FIRST(head); \
        if (STAILQ_FIRST(head) == 0) \
            (head)->stqh_last = &STAILQ_NEXT(element, field); \
        STAILQ_FIRST(head) = (element); \
    } while (0)
#define STAILQ_INSERT_TAIL(head, element, field) do { \
        STAILQ_NEXT(element, field) = 0; \
        *(head)->stqh_last = (element); \
        (head)->stqh_last = &STAILQ_NEXT(element, field); \
    } while (0)
#define STAILQ_REMOVE_HEAD(head, field) do { \
        STAILQ_FIRST(head) = STAILQ_NEXT(STAILQ_FIRST(head), field); \
        if (STAILQ_FIRST(head) == 0) \
            (head)->stqh_last = &STAILQ_FIRST(head); \
    } while (0)
#define SIMPLEQ_HEAD STAILQ_HEAD
#define SIMPLEQ_HEAD_INITIALIZER STAILQ_HEAD_INITIALIZER
#define SIMPLEQ_ENTRY STAILQ_ENTRY
#define SIMPLEQ_FIRST STAILQ_FIRST
#define SIMPLEQ_EMPTY STAILQ_EMPTY
#define SIMPLEQ_NEXT STAILQ_NEXT
#define SIMPLEQ_INIT STAILQ_INIT
#define SIMPLEQ_FOREACH STAILQ_FOREACH
#define SIMPLEQ_INSERT_HEAD STAILQ_INSERT_HEAD
#define SIMPLEQ_INSERT_TAIL STAILQ_INSERT_TAIL
#define SIMPLEQ_REMOVE_HEAD STAILQ_REMOVE_HEAD

/* Doubly linked queues. */
#define TAILQ_HEAD(name, type) struct name { struct type *tqh_first; struct type **tqh_last; }
#define TAILQ_HEAD_INITIALIZER(head) { 0, &(head).tqh_first }
#define TAILQ_ENTRY(type) struct { struct type *tqe_next; struct type **tqe_prev; }
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_END(head) ((void *)0)
#define TAILQ_EMPTY(head) (TAILQ_FIRST(head) == 0)
#define TAILQ_NEXT(element, field) ((element)->field.tqe_next)
#define TAILQ_LAST(head, name) (*((struct name *)((head)->tqh_last))->tqh_last)
#define TAILQ_PREV(element, name, field) (*((struct name *)((element)->field.tqe_prev))->tqh_last)
#define TAILQ_INIT(head) do { TAILQ_FIRST(head) = 0; (head)->tqh_last = &TAILQ_FIRST(head); } while (0)
#define TAILQ_FOREACH(var, head, field) \
    for ((var) = TAILQ_FIRST(head); (var) != 0; (var) = TAILQ_NEXT(var, field))
#define TAILQ_FOREACH_SAFE(var, head, field, kept) \
    for ((var) = TAILQ_FIRST(head); (var) != 0 && ((kept) = TAILQ_NEXT(var, field), 1); (var) = (kept))
#define TAILQ_FOREACH_REVERSE(var, head, name, field) \
    for ((var) = TAILQ_LAST(head, name); (var) != 0; (var) = TAILQ_PREV(var, name, field))
#define TAILQ_INSERT_HEAD(head, element, field) do { \
        TAILQ_NEXT(element, field) = TAILQ_FIRST(head); \
        if (TAILQ_FIRST(head) != 0) \
            TAILQ_FIRST(head)->field.tqe_prev = &TAILQ_NEXT(element, field); \
        else \
            (head)->tqh_last = &TAILQ_NEXT(element, field); \
        TAILQ_FIRST(head) = (element); \
        (element)->field.tqe_prev = &TAILQ_FIRST(head); \
    } while (0)
#define TAILQ_INSERT_TAIL(head, element, field) do { \
        TAILQ_NEXT(element, field) = 0; \
        (element)->field.tqe_prev = (head)->tqh_last; \
        *(head)->tqh_last = (element); \
        (head)->tqh_last = &TAILQ_NEXT(element, field); \
    } while (0)
#define TAILQ_INSERT_AFTER(head, where, element, field) do { \
        TAILQ_NEXT(element, field) = TAILQ_NEXT(where, field); \
        if (TAILQ_NEXT(element, field) != 0) \
            TAILQ_NEXT(element, field)->field.tqe_prev = &TAILQ_NEXT(element, field); \
        else \
            (head)->tqh_last = &TAILQ_NEXT(element, field); \
        TAILQ_NEXT(where, field) = (element); \
        (element)->field.tqe_prev = &TAILQ_NEXT(where, field); \
    } while (0)
#define TAILQ_INSERT_BEFORE(where, element, field) do { \
        (element)->field.tqe_prev = (where)->field.tqe_prev; \
        TAILQ_NEXT(element, field) = (where); \
        *(where)->field.tqe_prev = (element); \
        (where)->field.tqe_prev = &TAILQ_NEXT(element, field); \
    } while (0)
#define TAILQ_REMOVE(head, element, field) do { \
        if (TAILQ_NEXT(element, field) != 0) \
            TAILQ_NEXT(element, field)->field.tqe_prev = (element)->field.tqe_prev; \
        else \
            (head)->tqh_last = (element)->field.tqe_prev; \
        *(element)->field.tqe_prev = TAILQ_NEXT(element, field); \
    } while (0)

#endif
