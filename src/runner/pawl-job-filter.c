/*
 * What no program in a box may ask of the kernel: new spaces, mounts, other processes' memory, keys,
 * rings that no filter sees, and kinds of sockets that leave the machine by another way.
 * A filter stays for good, and everything that is started has it.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
static const unsigned archHere = AUDIT_ARCH_X86_64, sysOther = 0x40000000;
#elif defined(__aarch64__)
static const unsigned archHere = AUDIT_ARCH_AARCH64, sysOther = 0;
#else
static const unsigned archHere = 0, sysOther = 0;
#endif

/* By number where the C library may be older than the kernel: these are the same everywhere. */
static const int denied[] = {
  SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot,
  428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */,
  432 /* fsmount */, 433 /* fspick */, 442 /* mount_setattr */, 467 /* open_tree_attr */,
  SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, 438 /* pidfd_getfd */,
  440 /* process_madvise */, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf,
  425 /* io_uring_setup */, 426 /* io_uring_enter */, 427 /* io_uring_register */,
  SYS_userfaultfd, SYS_perf_event_open, SYS_fanotify_init, SYS_open_by_handle_at, SYS_quotactl,
  443 /* quotactl_fd */, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_acct, SYS_syslog, SYS_vhangup,
  SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_settimeofday,
  SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname,
#ifdef SYS_kexec_file_load
  SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
  SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
};
enum { deniedCount = sizeof denied / sizeof *denied };

/* Kinds of sockets that may be opened; what is not here (vsock, packet, …) is not supported. */
static const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
enum { familiesCount = sizeof families / sizeof *families };

/* Types text into the terminal that the program was started from. */
static const unsigned requests[] = {TIOCSTI, 0x541c /* TIOCLINUX */};
enum { requestsCount = sizeof requests / sizeof *requests };

enum {
  newSpaces = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC
    | CLONE_NEWUTS | CLONE_NEWCGROUP,
};

/* The headers of some systems are older than their kernels. */
enum { waitKillable = 1 << 5 };
enum { stepsMax = 256 };
static struct sock_filter steps[stepsMax];
static unsigned short stepsCount;

static void add(struct sock_filter step) {
  if (stepsCount < stepsMax) steps[stepsCount++] = step;
}

static void load(size_t offset) {
  add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void answer(unsigned value) {
  add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value));
}

static void refuse(int error) { answer(SECCOMP_RET_ERRNO | (unsigned)error); }

/* The next `count` steps are for this value only. */
static void only(unsigned value, unsigned char count) {
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
}

/* With a listener, whoever holds it is asked before a program starts. */
static void makeFilter(int hasListener) {
  load(offsetof(struct seccomp_data, arch));
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, archHere, 1, 0));
  refuse(ENOSYS);
  load(offsetof(struct seccomp_data, nr));
  if (sysOther != 0) {
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, sysOther, 0, 1));
    refuse(ENOSYS);
  }
  for (int i = 0; i < deniedCount; i++) only((unsigned)denied[i], 1), refuse(EPERM);
  const int starts[] = {SYS_execve, SYS_execveat};
  for (int i = 0; hasListener && i < 2; i++)
    only((unsigned)starts[i], 1), answer(SECCOMP_RET_USER_NOTIF);
  /* Its flags are in memory, where no filter can read them. Every C library goes on without. */
  only(435 /* clone3 */, 1), refuse(ENOSYS);
  only(SYS_clone, 4), load(offsetof(struct seccomp_data, args[0]));
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, newSpaces, 0, 1));
  refuse(EPERM), answer(SECCOMP_RET_ALLOW);
  only(SYS_ioctl, 2 * requestsCount + 2), load(offsetof(struct seccomp_data, args[1]));
  for (int i = 0; i < requestsCount; i++) only(requests[i], 1), refuse(EPERM);
  answer(SECCOMP_RET_ALLOW);
  const int sockets[] = {SYS_socket, SYS_socketpair};
  for (int s = 0; s < 2; s++) {
    only((unsigned)sockets[s], 2 * familiesCount + 2);
    load(offsetof(struct seccomp_data, args[0]));
    for (int i = 0; i < familiesCount; i++)
      only((unsigned)families[i], 1), answer(SECCOMP_RET_ALLOW);
    refuse(EAFNOSUPPORT);
  }
  answer(SECCOMP_RET_ALLOW);
}

/* After `PR_SET_NO_NEW_PRIVS`. With a place for a listener: what starts programs waits for it. */
int filterCalls(int *listener) {
  if (archHere == 0) return listener == NULL ? 0 : (errno = ENOSYS, -1);
  if (stepsCount == 0) makeFilter(listener != NULL);
  if (stepsCount >= stepsMax) return errno = E2BIG, -1;
  struct sock_fprog program = {stepsCount, steps};
  if (listener == NULL) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
  /* Once it has been heard, a call waits through signals, so that it is not noted twice. */
  const unsigned flags[] = {SECCOMP_FILTER_FLAG_NEW_LISTENER | waitKillable,
                            SECCOMP_FILTER_FLAG_NEW_LISTENER};
  *listener = -1;
  for (int i = 0; i < 2 && *listener < 0; i++)
    *listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags[i], &program);
  return *listener < 0 ? -1 : 0;
}

#else

int filterCalls(int *listener) { return listener == NULL ? 0 : (errno = ENOSYS, -1); }

#endif
