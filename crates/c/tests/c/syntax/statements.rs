//! Statements.

use super::{statements, unit};
use expect_test::expect;

#[test]
fn plain_statements() {
    statements(
        "
        ; {} { ; }
        if (a) b; else if (c) d; else { e; }
        if (a) if (b) c; else d;
        while (a) b;
        do a; while (b);
        do { a; } while (b);
        for (;;) ;
        for (a = 0; a < 3; a++) b;
        for (T i = 0, *j = a; i; ) { continue; }
        switch (a) { case 1: case 2 ... 4: b; break; case 'x': default: c; }
        switch (a) case 1: b;
        return; return a, b;
        ",
        expect![[r#"
            ;
            {}
            { ; }
            (if a b; (if c d; { e; }))
            (if a (if b c; d;))
            (while a b;)
            (do a; b)
            (do { a; } b)
            (for - - - ;)
            (for (= a 0) (< a 3) (PostIncrement a) b;)
            (for i: T = 0; j: * T = a; i - { continue; })
            (switch a { case 1: case 2...4: b; break; case '120': default: c; })
            (switch a case 1: b;)
            return;
            return (, a b);"#]],
    );
}

#[test]
fn labels_and_jumps() {
    statements(
        "
        a: b: c;
        goto a; goto *p; goto **p;
        T: x = 1;
        d: int y;
        e: __attribute__((unused)) z;
        { __label__ f, g; __label__ h; f: g: h: }
        switch (a) { case 1: __attribute__((fallthrough)); case 2: }
        void *table[] = { &&a, &&b };
        [[fallthrough]];
        ",
        expect![[r#"
            a: b: c;
            goto a;
            goto *p;
            goto *(deref p);
            T: (= x 1);
            d: ;
            y: int;
            e: z;
            { __label__ f; __label__ g; __label__ h; f: g: h: ; }
            (switch a { case 1: ; case 2: ; })
            table: [] * void = {(label a), (label b)};
            ;"#]],
    );
}

#[test]
fn assembly() {
    statements(
        r#"
        asm volatile("" ::: "memory");
        __asm__ __volatile__ ("mfence" : : : "memory", "cc");
        asm("nop");
        asm("lock; xchgl %0, %1" "; more" : "=r"(a), "+m"(*p) : "0"(b), [in] "ri"(c + 1) : "memory");
        asm goto("jmp %l0" : : "r"(x) : : out, other);
        asm inline volatile ("" : [o] "=a" (a.b));
        "#,
        expect![[r#"
            (asm volatile "" :  :  : ["memory"] : [])
            (asm volatile "mfence" :  :  : ["memory", "cc"] : [])
            (asm "nop" :  :  : [] : [])
            (asm "lock; xchgl %0, %1; more" : "=r"(a), "+m"((deref p)) : "0"(b), [in]"ri"((+ c 1)) : ["memory"] : [])
            (asm goto "jmp %l0" :  : "r"(x) : [] : ["out", "other"])
            (asm volatile "" : [o]"=a"((. a b)) :  : [] : [])"#]],
    );
    unit(
        r#"asm(".globl f"); int f(void) asm("g"); int x __asm__("y" "z") __attribute__((weak)) = 3;"#,
        expect![[r#"
            (asm ".globl f" :  :  : [] : [])
            f: fn(void) int asm("g");
            @weak x: int asm("yz") = 3;"#]],
    );
}
