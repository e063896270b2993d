/* Names of threads, and other things that change nothing. */
#ifndef _FENCEPOST_SYS_PRCTL_H
#define _FENCEPOST_SYS_PRCTL_H

#define PR_SET_PDEATHSIG 1
#define PR_SET_NAME 15
#define PR_GET_NAME 16
#define PR_SET_TIMERSLACK 29

int prctl(int, ...);

#endif
