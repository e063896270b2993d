/* Structures by `#pragma pack`. */
#include <stddef.h>
#include <stdint.h>

#pragma pack(push, 1)
struct one { uint8_t kind; uint32_t length; uint16_t sum; };
#pragma pack(push, 2)
struct two { uint8_t kind; uint32_t length; uint64_t sum; };
#pragma pack(pop)
struct nested { char c; struct one o; long l; };
#pragma pack(pop)
struct plain { uint8_t kind; uint32_t length; uint16_t sum; };
#pragma pack(4)
struct four { char c; long l; };
#pragma pack()
struct last { char c; long l; };

void test(void)
{
    struct one o = { 1, 0x01020304, 7 };
    out(sizeof(struct one));
    out(offsetof(struct one, sum));
    out(sizeof(struct two));
    out(offsetof(struct two, sum));
    out(sizeof(struct nested));
    out(offsetof(struct nested, l));
    out(sizeof(struct plain));
    out(sizeof(struct four));
    out(sizeof(struct last));
    o.length++;
    out(o.length);
}
