//! Calls of library functions as templates. A `$` and a letter stand for something that is drawn: see
//! [`super::Generator::fill`].

/// Texts: to be compared, searched, copied and cut.
pub const TEXTS: &[&str] = &[
    r#"out(sign(strcmp($t, $t)));"#,
    r#"out(sign(strcoll($t, $t)));"#,
    r#"out(sign(strncmp($t, $t, $n)));"#,
    r#"out(sign(strcasecmp($t, $t)));"#,
    r#"out(sign(strncasecmp($t, $t, $n)));"#,
    r#"out(strlen($t)); out(strlen("a\0b")); out(strnlen($t, $n));"#,
    r#"out(strspn($t, $t)); out(strcspn($t, $t));"#,
    r#"strcpy(b, $t); out(place(b, strchr(b, $c))); out(place(b, strrchr(b, $c)));"#,
    r#"strcpy(b, $t); out(place(b, index(b, $c))); out(place(b, rindex(b, $c)));"#,
    r#"strcpy(b, $t); out(place(b, strchrnul(b, $c)));"#,
    r#"strcpy(b, $t); out(place(b, strstr(b, $t))); out(place(b, strpbrk(b, $t)));"#,
    r#"strcpy(b, $t); p = strtok(b, $s); while (p) { out(place(b, p)); out(strlen(p)); p = strtok(0, $s); }"#,
    r#"strcpy(b, $t); p = strtok_r(b, $s, &q); while (p) { out(place(b, p)); out(strlen(p)); p = strtok_r(0, $s, &q); }"#,
    r#"strcpy(b, $t); q = b; while ((p = strsep(&q, $s))) { out(place(b, p)); out(place(b, q)); out(strlen(p)); }"#,
    r#"fresh(b, $t); out(strcat(b, $t) == b); out(hash(b, 40));"#,
    r#"fresh(b, $t); out(strncat(b, $t, $n) == b); out(hash(b, 40));"#,
    r#"fresh(b, $t); out(strcpy(b + $n, $t) - b); out(hash(b, 40));"#,
    r#"fresh(b, $t); out(strncpy(b + 1, $t, $n) == b + 1); out(hash(b, 40));"#,
    r#"fresh(b, $t); out(stpcpy(b + 2, $t) - b); out(hash(b, 40));"#,
    r#"fresh(b, ""); out(strxfrm(b, $t, 20)); out(hash(b, 20)); out(strxfrm(0, $t, 0));"#,
    r#"p = strdup($t); out(strlen(p)); out(hash(p, (int)strlen(p) + 1)); free(p);"#,
    r#"p = strndup($t, $n); out(strlen(p)); out(hash(p, (int)strlen(p) + 1)); free(p);"#,
];

/// Kinds of characters, over the whole range.
pub const CHARACTERS: &[&str] = &[
    "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint",
    "ispunct", "isspace", "isupper", "isxdigit", "toascii", "tolower", "toupper",
];

/// Numbers from texts, and bits of numbers.
pub const NUMBERS: &[&str] = &[
    r#"strcpy(b, $d); errno = 0; ll = strtol(b, &p, $b); out(ll); out(place(b, p)); out(p == b || errno);"#,
    r#"strcpy(b, $d); errno = 0; ll = (long long)strtoul(b, &p, $b); out(ll); out(place(b, p)); out(p == b || errno);"#,
    r#"strcpy(b, $d); errno = 0; ll = strtoll(b, &p, $b); out(ll); out(place(b, p)); out(p == b || errno);"#,
    r#"strcpy(b, $d); errno = 0; ll = (long long)strtoull(b, &p, $b); out(ll); out(place(b, p)); out(p == b || errno);"#,
    r#"strcpy(b, $d); errno = 0; ll = strtoimax(b, &p, $b); out(ll); out(place(b, p)); out(p == b || errno);"#,
    r#"strcpy(b, $d); errno = 0; ll = (long long)strtoumax(b, &p, $b); out(ll); out(place(b, p)); out(p == b || errno);"#,
    r#"p = b; errno = 0; ll = strtol($d, &p, $v ? 1 : 37); out(ll); out(p == b); out(errno); out(strtol($d, 0, $b));"#,
    r#"out(atoi($a)); out(atol($a)); out(atoll($a));"#,
    r#"out(abs($i)); out(labs($i)); out(labs($l)); out(llabs($l));"#,
    r#"out(ffs($i)); out(__builtin_ffs($i)); out(__builtin_ffsl($l)); out(__builtin_ffsll($l));"#,
    r#"out(__builtin_popcount($i)); out(__builtin_popcountl($l)); out(__builtin_popcountll($l));"#,
    r#"out(__builtin_parity($i)); out(__builtin_parityl($l)); out(__builtin_parityll($l));"#,
    r#"out(__builtin_clz($i | 1)); out(__builtin_clzl($l | 1)); out(__builtin_clzll($l | 1));"#,
    r#"out(__builtin_ctz($i | 256)); out(__builtin_ctzl($l | 256)); out(__builtin_ctzll($l | 256));"#,
    r#"out(__builtin_bswap16($i)); out(__builtin_bswap32($i)); out(__builtin_bswap64($l));"#,
    r#"out(htons($i)); out(ntohs($i)); out(htonl($i)); out(ntohl($i)); out(bswap_16($i)); out(bswap_32($i)); out(bswap_64($l));"#,
    r#"out(htole16($i)); out(htobe16($i)); out(htole32($i)); out(htobe32($i)); out(htole64($l)); out(htobe64($l));"#,
    r#"out(le16toh($i)); out(be16toh($i)); out(le32toh($i)); out(be32toh($i)); out(le64toh($l)); out(be64toh($l));"#,
    r#"{ time_t x = $l % 100000000000; struct tm d; out(gmtime_r(&x, &d) == &d); out(d.tm_sec); out(d.tm_min); out(d.tm_hour); out(d.tm_mday); out(d.tm_mon);
       out(d.tm_year); out(d.tm_wday); out(d.tm_yday); out(d.tm_isdst); }"#,
    r#"{ time_t x = ($i + $v) * 86400l + $i; struct tm d; gmtime_r(&x, &d); memset(b, 'z', sizeof b); n = (int)strftime(b, $n * 9, $f, &d); out(n); out(n ? hash(b, n + 1) : 0);
       memset(b, 'z', sizeof b); out(strftime(b, 60, "%Y-%m-%d " $f $f, &d)); out(hash(b, 64)); }"#,
    r#"{ time_t x = $i * 86400l + $i; struct tm *d; setenv("TZ", "UTC", 1); d = $v ? gmtime(&x) : localtime(&x); out(d->tm_mday); out(d->tm_mon); out(d->tm_year); out(d->tm_yday);
       d = localtime_r(&x, d); out(d->tm_wday); out(d->tm_hour); }"#,
    r#"out(__builtin_add_overflow($i, $i, &n)); out(n); out(__builtin_sub_overflow($i, $i, &n)); out(n);"#,
    r#"out(__builtin_mul_overflow($i, $i, &n)); out(n); out(__builtin_add_overflow($i, $i, &u)); out(u);"#,
];

/// Memory: copied, filled, compared, searched, allocated, sorted.
pub const MEMORY: &[&str] = &[
    r#"fresh(b, $t); out((char *)memcpy(b + 20, b + $n, $n) - b); out(hash(b, 40));"#,
    r#"fresh(b, "0123456789"); out((char *)memmove(b + $n, b + $n, $n) - b); out(hash(b, 40));"#,
    r#"fresh(b, "0123456789"); n = $n; out((char *)memmove(b + $n, b + $n, n) - b); out(hash(b, 40));"#,
    r#"fresh(b, $t); out((char *)mempcpy(b + 20, b + $n, $n) - b); out(hash(b, 40));"#,
    r#"fresh(b, "0123456789"); bcopy(b + $n, b + $n, $n); out(hash(b, 40));"#,
    r#"fresh(b, $t); out((char *)memset(b + $n, $c, $n) - b); bzero(b + 30, $n); out(hash(b, 40));"#,
    r#"out(sign(memcmp($t "pad......", $t "pad......", $n))); out(bcmp($t "pad......", $t "pad......", $n) != 0);"#,
    r#"out(sign(memcmp("a\0b\xff", "a\0b\x01", $n % 5))); fresh(b, "a\0b"); out(place(b, memchr(b, $c, $n)));"#,
    r#"fresh(b, $t); out(place(b, memchr(b, $c, $n))); out(memchr(b, $c, 0) == 0);"#,
    r#"{ int x[4] = {$i, $i, $i, $i}, y[4] = {$i, 1, 1, $i}; out(sign(memcmp(x, y, sizeof x))); memmove(x + 1, x, 3 * sizeof *x);
       memcpy(y, x + 2, ($v + 1) * sizeof *y); memset(x, $v ? 0 : -1, $m * sizeof *x); for (k = 0; k < 4; k++) { out(x[k]); out(y[k]); } }"#,
    r#"{ long x[3] = {$l, $l, $l}, y[3] = {$l, $l, 0}; n = $m; out(sign(memcmp(x, y, n * sizeof *x))); memcpy(x, y, n * sizeof *x);
       out(sign(memcmp(x, y, n * sizeof *x))); memset(y, $c, n * sizeof *y); for (k = 0; k < 3; k++) { out(x[k]); out(y[k]); } }"#,
    r#"{ struct { int a; short b, c; } x = {$i, $v, $v}, y = {$i, $v, $v}; out(sign(memcmp(&x, &y, sizeof x))); memcpy(&y, &x, sizeof y);
       out(memcmp(&x, &y, sizeof x)); memset(&x, $c, sizeof x); out(x.a); out(x.b); out(x.c); out(y.a); out(y.c); }"#,
    r#"n = $n; p = malloc(n + 1); for (k = 0; k <= n; k++) p[k] = (char)('a' + k); p = realloc(p, n + 5); for (k = n + 1; k < n + 5; k++) p[k] = 'z';
    out(hash(p, n + 5)); p = realloc(p, 1); out(hash(p, 1)); free(p);"#,
    r#"{ int *a = realloc(0, 2 * sizeof *a); a[0] = $i; a[1] = $i; a = realloc(a, 4 * sizeof *a); a[2] = a[3] = 5; a = realloc(a, 3 * sizeof *a);
       for (k = 0; k < 3; k++) out(a[k]); free(a); }"#,
    r#"{ struct pair { int a; long b; } *a = reallocarray(0, 1, sizeof *a), *e; a->a = $i; a->b = $l; a = reallocarray(a, 3, sizeof *a); a[2] = a[0];
       out(a[2].a); out(a[2].b); e = reallocarray(a, ~0ul / 2, sizeof *a); out(e == 0); free(a); }"#,
    r#"n = $n; p = calloc(n + 1, 3); out(hash(p, 3 * n + 3)); free(p); p = calloc(~0ul / 2, 3); out(p == 0); free(0);"#,
    r#"{ int *a = calloc(3, sizeof *a); a[1] = $i; out(a[0]); out(a[1]); out(a[2]); free(a); }"#,
    r#"p = aligned_alloc(64, 64); out((unsigned long)p % 64); memset(p, $c, 64); out(hash(p, 64)); free(p);"#,
    r#"p = memalign(32, 8); out((unsigned long)p % 32); free(p); p = valloc(8); out((unsigned long)p % 64); free(p);"#,
    r#"{ void *a = b; out(posix_memalign(&a, $v ? 16 : 3, 8)); out(a == b); if (a != b) free(a); }"#,
    r#"p = alloca(8); memset(p, $c, 8); p[$n] = 'q'; out(hash(p, 8));"#,
    r#"{ int a[6] = {$v, $i, $v, $i, $v, $v}, x = $v, *f; n = $m + 3; qsort(a, n, sizeof *a, ascending); for (k = 0; k < 6; k++) out(a[k]);
       f = bsearch(&x, a, n, sizeof *a, ascending); out(f == 0 ? 99 : *f); out(bsearch(&x, a, 0, sizeof *a, ascending) == 0); }"#,
    r#"fresh(b, $t); qsort(b, strlen(b), 1, by_character); out(hash(b, 20));"#,
    r#"{ struct pair { long key; short value; } a[3] = {{$i, 1}, {$i, 2}, {$i, 3}}, *f, x = {$i, 0}; qsort(a, 3, sizeof *a, by_key);
       for (k = 0; k < 3; k++) out(a[k].key); f = bsearch(&x, a, 3, sizeof *a, by_key); out(f ? f->key : 99); }"#,
    r#"{ cpu_set_t s; CPU_ZERO(&s); CPU_SET($n, &s); CPU_SET($n + 60, &s); CPU_CLR($n, &s); out(CPU_COUNT(&s)); out(!!CPU_ISSET($n, &s)); }"#,
];

/// Output: what is given back is the number of characters, or the character.
pub const OUTPUT: &[&str] = &[
    r#"out(putchar($c)); out(putchar_unlocked($c)); out(putc($c, stdout)); out(fputc($c, stdout));"#,
    r#"out(puts($t) >= 0); out(fputs($t, stdout) >= 0); perror($t);"#,
    r#"out(fwrite($t "pad......", $m, $m, stdout)); out(fwrite("", 0, 3, stdout));"#,
    r#"out(write(1, $t "pad......", $n));"#,
    r#"out(fflush(stdout)); out(fflush(0)); out(setvbuf(stdout, 0, _IONBF, 0)); out(fclose(stdin));"#,
    r#"out(setlocale(LC_ALL, "C") == 0); out(strcmp(setlocale(LC_ALL, 0), "C"));"#,
];

/// Locks and the like in one thread: what is given back.
pub const THREADS: &[&str] = &[
    r#"{ pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER; out(pthread_mutex_lock(&x)); out(pthread_mutex_trylock(&x)); out(pthread_mutex_unlock(&x));
       out(pthread_mutex_trylock(&x)); out(pthread_mutex_timedlock(&x, &moment)); out(pthread_mutex_clocklock(&x, CLOCK_REALTIME, &moment)); out(pthread_mutex_unlock(&x)); out(pthread_mutex_destroy(&x)); }"#,
    r#"{ pthread_mutexattr_t a; pthread_mutex_t x; out(pthread_mutexattr_init(&a)); out(pthread_mutexattr_settype(&a, $k)); out(pthread_mutexattr_gettype(&a, &n));
       out(pthread_mutex_init(&x, &a)); out(pthread_mutexattr_destroy(&a)); out(pthread_mutex_trylock(&x)); out(pthread_mutex_trylock(&x));
       if (n != PTHREAD_MUTEX_NORMAL) { out(pthread_mutex_lock(&x)); out(pthread_mutex_unlock(&x)); out(pthread_mutex_unlock(&x)); out(pthread_mutex_unlock(&x)); } }"#,
    r#"{ pthread_mutexattr_t a; pthread_mutexattr_init(&a); out(pthread_mutexattr_settype(&a, 99)); out(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_PRIVATE)); }"#,
    r#"{ pthread_rwlock_t x; out(pthread_rwlock_init(&x, 0)); out(pthread_rwlock_rdlock(&x)); out(pthread_rwlock_tryrdlock(&x)); out(pthread_rwlock_trywrlock(&x));
       out(pthread_rwlock_timedwrlock(&x, &moment)); out(pthread_rwlock_unlock(&x)); out(pthread_rwlock_unlock(&x)); out(pthread_rwlock_trywrlock(&x));
       out(pthread_rwlock_timedrdlock(&x, &moment) != 0); out(pthread_rwlock_tryrdlock(&x)); out(pthread_rwlock_unlock(&x)); out(pthread_rwlock_wrlock(&x));
       out(pthread_rwlock_unlock(&x)); out(pthread_rwlock_destroy(&x)); }"#,
    r#"{ pthread_spinlock_t x; out(pthread_spin_init(&x, 0)); out(pthread_spin_lock(&x)); out(pthread_spin_trylock(&x)); out(pthread_spin_unlock(&x));
       out(pthread_spin_trylock(&x)); out(pthread_spin_unlock(&x)); out(pthread_spin_destroy(&x)); }"#,
    r#"{ pthread_barrier_t x; out(pthread_barrier_init(&x, 0, 0)); out(pthread_barrier_init(&x, 0, 1)); out(pthread_barrier_wait(&x)); out(pthread_barrier_wait(&x));
       out(pthread_barrier_destroy(&x)); }"#,
    r#"{ static pthread_once_t x = PTHREAD_ONCE_INIT; counted = 0; out(pthread_once(&x, count)); out(pthread_once(&x, count)); out(counted); }"#,
    r#"{ pthread_key_t x, y; out(pthread_key_create(&x, 0)); out(pthread_key_create(&y, 0)); out(pthread_getspecific(x) == 0); out(pthread_setspecific(y, b + $n));
       out(pthread_setspecific(x, b)); out((char *)pthread_getspecific(y) - b); out(pthread_key_delete(x)); out(pthread_key_delete(y)); }"#,
    r#"{ pthread_key_t x; for (k = 0; k < 2; k++) { out(pthread_key_create(&x, 0)); out(pthread_getspecific(x) == 0); pthread_setspecific(x, b); out(pthread_key_delete(x)); } }"#,
    r#"{ pthread_attr_t a; size_t s; out(pthread_attr_init(&a)); out(pthread_attr_getdetachstate(&a, &n)); out(n); out(pthread_attr_setdetachstate(&a, $v));
       out(pthread_attr_getdetachstate(&a, &n)); out(n); out(pthread_attr_setstacksize(&a, $v ? 65536 : 1)); out(pthread_attr_setstacksize(&a, 131072));
       out(pthread_attr_getstacksize(&a, &s)); out(s); out(pthread_attr_destroy(&a)); }"#,
    r#"out(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &n)); out(n); out(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &n)); out(n);
    out(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &n)); out(n); out(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &n)); out(n);"#,
    r#"{ pthread_cond_t c; pthread_mutex_t x; pthread_mutex_init(&x, 0); out(pthread_cond_init(&c, 0)); out(pthread_cond_signal(&c)); out(pthread_cond_broadcast(&c));
       out(pthread_cond_destroy(&c)); }"#,
    r#"{ sem_t x; out(sem_init(&x, 0, $m)); out(sem_getvalue(&x, &n)); out(n); out(sem_post(&x)); out(sem_wait(&x)); errno = 0; out(sem_trywait(&x)); out(n ? 0 : errno);
       errno = 0; out(sem_timedwait(&x, &moment)); out(n > 1 ? 0 : errno); out(sem_getvalue(&x, &n)); out(n); out(sem_destroy(&x)); }"#,
    r#"{ sem_t x; errno = 0; out(sem_init(&x, 0, 3000000000u)); out(errno); out(sem_init(&x, 0, 2147483647)); out(sem_getvalue(&x, &n)); out(n); }"#,
    r#"out(pthread_equal(pthread_self(), pthread_self()) != 0); out(sched_yield()); out(sched_get_priority_max(SCHED_FIFO)); out(sched_get_priority_min(SCHED_RR));"#,
    r#"{ mtx_t x; out(mtx_init(&x, $v ? mtx_plain : mtx_plain | mtx_recursive) == thrd_success); out(mtx_lock(&x) == thrd_success); out(mtx_unlock(&x) == thrd_success);
       mtx_destroy(&x); out(mtx_init(&x, mtx_timed) == thrd_success); out(mtx_trylock(&x) == thrd_success); out(mtx_trylock(&x) == thrd_busy);
       out(mtx_timedlock(&x, &moment) == thrd_timedout); out(mtx_unlock(&x) == thrd_success); }"#,
    r#"{ cnd_t c; out(cnd_init(&c) == thrd_success); out(cnd_signal(&c) == thrd_success); out(cnd_broadcast(&c) == thrd_success); cnd_destroy(&c); }"#,
    r#"{ static once_flag x = ONCE_FLAG_INIT; tss_t y; counted = 0; call_once(&x, count); call_once(&x, count); out(counted); out(tss_create(&y, 0) == thrd_success);
       out(tss_get(y) == 0); out(tss_set(y, b) == thrd_success); out((char *)tss_get(y) == b); tss_delete(y); out(thrd_equal(thrd_current(), thrd_current()) != 0); }"#,
];
