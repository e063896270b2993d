/* Devices. */
#ifndef _FENCEPOST_SYS_IOCTL_H
#define _FENCEPOST_SYS_IOCTL_H

int ioctl(int, unsigned long, ...);

#endif
