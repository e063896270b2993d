//! C: numbers of threads, keys, handlers and named semaphores, and what happens where there are more than are modelled.

use crate::check;

/// The exit code under SC.
fn code(name: &str, text: &str, args: &[&str]) -> i32 {
    let ran = check(name, text, &[&["-q", "--model", "sc"], args].concat());
    assert!(ran.code != 2 && ran.code != 101, "{name} {args:?}:\n{}{}", ran.stdout, ran.stderr);
    ran.code
}

/// A lock whose word is 0 or the number of who holds it.
#[test]
fn no_thread_has_the_number_zero() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_ulong owner; int in;\n\
        void *enter(void *arg) {\n    unsigned long self = (unsigned long)pthread_self(), none = 0;\n\
        while (!atomic_compare_exchange_strong(&owner, &none, self)) none = 0;\n\
        in++; assert(in == 1); in--; atomic_store(&owner, 0); return arg; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, enter, 0); enter(0); pthread_join(t, 0); return 0; }\n";
    assert_eq!(code("owner.c", text, &[]), 0);
    assert_eq!(code("owner.c", &text.replace("none = 0;", "none = owner;"), &[]), 1);
    let text = "#include <assert.h>\n#include <pthread.h>\npthread_t first, none; void *carried; unsigned long number;\n\
        void *look(void *arg) { assert((pthread_t)number == first); assert(pthread_equal((pthread_t)carried, first));\n\
        assert((unsigned long)pthread_self() != number); return (void *)pthread_self(); }\n\
        int main(void) { pthread_t t; void *result; first = pthread_self(); number = (unsigned long)first; carried = (void *)first;\n\
        assert(number != 0); assert(carried != 0); assert((unsigned long)none == 0); assert((pthread_t)(number - number) == none);\n\
        pthread_create(&t, 0, look, 0); pthread_join(t, &result); assert((pthread_t)result == t); return 0; }\n";
    for engine in ["explicit", "dual", "bmc"] {
        assert_eq!(code("carried.c", text, &["--engine", engine]), 0, "{engine}");
    }
}

#[test]
fn the_system_knows_threads_apart() {
    let text = "#define _GNU_SOURCE\n#include <assert.h>\n#include <pthread.h>\n#include <sys/syscall.h>\n#include <unistd.h>\nint other;\n\
        void *look(void *arg) { other = gettid(); assert(syscall(SYS_gettid) == other); return arg; }\n\
        int main(void) { pthread_t t; assert(gettid() == getpid()); pthread_create(&t, 0, look, 0); pthread_join(t, 0);\n\
        assert(other != gettid()); assert(other > 0); assert(sysconf(_SC_PAGESIZE) == 4096); return 0; }\n";
    for engine in ["explicit", "dual"] {
        assert_eq!(code("gettid.c", text, &["--engine", engine]), 0, "{engine}");
    }
    // Without any other thread, too.
    let alone = "#include <assert.h>\n#include <pthread.h>\nint main(void) { assert(pthread_self() == pthread_self()); return 0; }\n";
    for engine in ["explicit", "dual", "bmc"] {
        assert_eq!(code("alone.c", alone, &["--engine", engine]), 0, "{engine}");
    }
}

#[test]
fn destructors_of_keys_run_as_often_as_they_set_values() {
    let text = "#include <assert.h>\n#include <pthread.h>\nstatic pthread_key_t key; static int left = 3, calls;\n\
        static void drop(void *value) { calls++; if (--left > 0) pthread_setspecific(key, value); }\n\
        static void *set(void *arg) { pthread_setspecific(key, &calls); DELETE return arg; }\n\
        int main(void) { pthread_t t; pthread_key_create(&key, drop); pthread_create(&t, 0, set, 0); pthread_join(t, 0);\n\
        assert(calls == CALLS); return 0; }\n";
    let by = |delete: &str, calls: &str| text.replace("DELETE", delete).replace("CALLS", calls);
    assert_eq!(code("keys.c", &by("", "3"), &[]), 0);
    assert_eq!(code("keys.c", &by("", "1"), &[]), 1);
    assert_eq!(
        code("keys.c", &by("pthread_key_delete(key);", "0"), &[]),
        0,
        "a deleted key has no destructor"
    );
}

/// What was set cannot be nothing.
#[test]
fn the_environment_is_empty_or_refused() {
    let text = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { SET assert(getenv(\"A\") == 0); return 0; }\n";
    assert_eq!(code("environment.c", &text.replace("SET", ""), &[]), 0);
    let ran = check("environment.c", &text.replace("SET", "setenv(\"A\", \"1\", 1);"), &["-q"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("`getenv` is not supported"), "{}", ran.stderr);
}

/// Exceeding what is modelled is not an error in the program.
#[test]
fn limits_of_the_library_give_unknown() {
    let head = "#include <assert.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdlib.h>\n\
        static void nothing(void) { }\n";
    for (name, call, most) in [
        ("keys", "{ pthread_key_t key; assert(pthread_key_create(&key, 0) == 0); }", 8),
        ("handlers", "assert(atexit(nothing) == 0);", 32),
        ("names", "assert(sem_open(\"/I\", O_CREAT, 0600, 1) != SEM_FAILED);", 8),
    ] {
        let by = |n: usize| {
            let calls: String = (0..n).map(|i| call.replace("/I", &format!("/{i}"))).collect();
            format!("{head}int main(void) {{ {calls} return 0; }}\n")
        };
        assert_eq!(code(&format!("most_{name}.c"), &by(most), &[]), 0, "{name}");
        assert_eq!(code(&format!("more_{name}.c"), &by(most + 1), &[]), 3, "{name}");
    }
}
