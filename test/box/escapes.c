/*
 * Ways out of a box, as data. Each line of output is `held NAME` or `open NAME`. Nothing is changed
 * where a way is open: files are opened and not written, calls get arguments that no kernel takes.
 *
 *   escapes [KIND=PATH…]   KIND: secret (must not be readable), closed (not writable), socket
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, const char *name, int isOpen) {
  printf("%s %s:%s\n", isOpen ? "open" : "held", what, name);
  fflush(stdout);
}

/* A call with arguments that mean nothing: whoever may make it is told so, and nothing happens. */
static const struct { const char *name; long number; } calls[] = {
  {"unshare", SYS_unshare}, {"setns", SYS_setns}, {"mount", SYS_mount}, {"umount2", SYS_umount2},
  {"pivot_root", SYS_pivot_root}, {"chroot", SYS_chroot}, {"open_tree", 428}, {"move_mount", 429},
  {"fsopen", 430}, {"fsconfig", 431}, {"fsmount", 432}, {"fspick", 433}, {"mount_setattr", 442},
  {"ptrace", SYS_ptrace}, {"process_vm_readv", SYS_process_vm_readv},
  {"process_vm_writev", SYS_process_vm_writev}, {"kcmp", SYS_kcmp}, {"pidfd_getfd", 438},
  {"process_madvise", 440}, {"keyctl", SYS_keyctl}, {"add_key", SYS_add_key},
  {"request_key", SYS_request_key}, {"bpf", SYS_bpf}, {"io_uring_setup", 425},
  {"io_uring_enter", 426}, {"io_uring_register", 427}, {"userfaultfd", SYS_userfaultfd},
  {"perf_event_open", SYS_perf_event_open}, {"fanotify_init", SYS_fanotify_init},
  {"open_by_handle_at", SYS_open_by_handle_at}, {"quotactl", SYS_quotactl},
  {"swapon", SYS_swapon}, {"swapoff", SYS_swapoff}, {"acct", SYS_acct}, {"syslog", SYS_syslog},
  {"kexec_load", SYS_kexec_load}, {"init_module", SYS_init_module},
  {"finit_module", SYS_finit_module}, {"delete_module", SYS_delete_module},
  {"settimeofday", SYS_settimeofday}, {"clock_settime", SYS_clock_settime},
  {"adjtimex", SYS_adjtimex}, {"sethostname", SYS_sethostname},
  {"setdomainname", SYS_setdomainname}, {"reboot", SYS_reboot},
};

static void tryCalls(void) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    pid_t child = fork();
    if (child == 0) {
      errno = 0;
      long done = syscall(calls[i].number, -1L, -1L, -1L, -1L, -1L, -1L);
      _exit(done < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    say("call", calls[i].name, status != 0);
  }
}

static const struct { const char *name; int flag; } spaces[] = {
  {"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID}, {"net", CLONE_NEWNET},
  {"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}, {"time", 0x80},
};

/* By each of the three calls that make one. */
static void trySpaces(void) {
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
    for (int withUser = 0; withUser < 2; withUser++) {
      int flags = spaces[i].flag | (withUser ? CLONE_NEWUSER : 0), status = 0;
      char name[64];
      pid_t child = fork();
      if (child == 0) _exit(unshare(flags) == 0);
      waitpid(child, &status, 0);
      snprintf(name, sizeof name, "unshare %s%s", withUser ? "user+" : "", spaces[i].name);
      say("space", name, status != 0);
      if (spaces[i].flag == 0x80) continue;
      long made = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
      if (made == 0) _exit(0);
      if (made > 0) waitpid((pid_t)made, NULL, 0);
      snprintf(name, sizeof name, "clone %s%s", withUser ? "user+" : "", spaces[i].name);
      say("space", name, made > 0);
      struct { uint64_t flags, words[10]; } args = {(uint64_t)flags, {0}};
      args.words[3] = SIGCHLD;
      made = syscall(435, &args, sizeof args);
      if (made == 0) _exit(0);
      if (made > 0) waitpid((pid_t)made, NULL, 0);
      snprintf(name, sizeof name, "clone3 %s%s", withUser ? "user+" : "", spaces[i].name);
      say("space", name, made > 0);
    }
  }
}

static const char *const unwritable[] = {
  "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hotplug",
  "/proc/sys/kernel/sysrq", "/proc/sys/kernel/hostname", "/proc/sys/kernel/ns_last_pid",
  "/proc/sys/vm/drop_caches", "/proc/sys/vm/overcommit_memory", "/proc/sys/fs/binfmt_misc/register",
  "/proc/sys/fs/protected_symlinks", "/proc/sys/fs/file-max", "/proc/sys/net/ipv4/ip_forward",
  "/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/keys/maxkeys",
  "/proc/sys/kernel/randomize_va_space", "/proc/sys/kernel/unprivileged_bpf_disabled",
  "/proc/sys/kernel/yama/ptrace_scope", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity",
  "/proc/mtrr", "/proc/1/mem",
  "/sys/kernel/uevent_helper", "/sys/power/state", "/sys/kernel/mm/transparent_hugepage/enabled",
  "/sys/module/kernel/parameters/panic", "/sys/kernel/profiling", "/sys/fs/cgroup/cgroup.procs",
  "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
  "/sys/fs/cgroup/memory/release_agent", "/sys/fs/cgroup/pids/cgroup.procs",
  "/sys/fs/cgroup/devices/devices.allow", "/sys/fs/cgroup/freezer/cgroup.procs",
  "/sys/fs/cgroup/unified/cgroup.procs", "/sys/fs/cgroup/cpu/release_agent",
  "/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/etc/ld.so.cache", "/etc/profile",
  "/etc/crontab", "/etc/environment", "/usr/bin/env", "/bin/sh", "/usr/bin/git", "/dev/mem",
  "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/loop0",
  "/dev/loop-control", "/dev/fuse", "/dev/kvm", "/dev/net/tun", "/dev/vsock", "/dev/vhost-vsock",
  "/dev/hwrng", "/dev/uinput", "/dev/snapshot", "/dev/cpu_dma_latency", "/dev/mapper/control",
  "/dev/tty0", "/dev/tty1", "/dev/ttyS0", "/dev/console", "/dev/vcs", "/dev/userfaultfd",
};

static const char *const unreadable[] = {
  "/proc/kcore", "/proc/kmsg", "/proc/1/mem", "/proc/1/environ", "/proc/1/maps", "/proc/1/fd/3",
  "/proc/1/fd/4", "/proc/1/root/etc/passwd", "/proc/1/cwd/.", "/proc/1/exe", "/proc/1/auxv",
  "/proc/1/stack", "/proc/1/syscall", "/proc/1/ns/mnt", "/etc/shadow",
  "/etc/gshadow", "/etc/sudoers", "/root/.ssh", "/root/.bash_history", "/root/.aws",
  "/root/.config", "/root/.npmrc", "/root/.gnupg", "/root/.docker", "/root/.netrc",
  "/sys/kernel/debug/tracing", "/sys/kernel/tracing/trace", "/var/lib/docker", "/var/spool/cron",
  "/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/user/0/bus",
  "/run/containerd/containerd.sock", "/run/user/1000/bus", "/dev/mem", "/dev/vda", "/dev/sda",
  "/dev/log", "/dev/initctl", "/tmp/.X11-unix", "/dev/dri", "/dev/input", "/dev/snd",
};

/* What is there but says nothing when it is read is a cover. */
static int hasContent(const char *path) {
  struct stat stats;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return stat(path, &stats) == 0 && S_ISSOCK(stats.st_mode);
  char bytes[8];
  int isOpen = fstat(fd, &stats) == 0 && S_ISDIR(stats.st_mode) ? 1 : read(fd, bytes, 8) > 0;
  close(fd);
  return isOpen;
}

/* A cover that is the null device takes everything and keeps nothing. */
static int isWritable(const char *path) {
  struct stat stats;
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return 0;
  int isNull = fstat(fd, &stats) == 0 && S_ISCHR(stats.st_mode) && stats.st_rdev == makedev(1, 3);
  close(fd);
  return !isNull;
}

static const char *const uncreatable[] = {
  "/", "/etc", "/usr", "/usr/bin", "/usr/lib", "/bin", "/sbin", "/lib", "/var", "/var/lib", "/opt",
  "/srv", "/boot", "/sys/fs/cgroup", "/proc", "/proc/sys", "/dev", "/root", "/home", "/etc/cron.d",
  "/etc/profile.d", "/etc/systemd/system", "/var/spool/cron", "/usr/local/bin", "/mnt", "/media",
};

static void tryFiles(void) {
  for (size_t i = 0; i < sizeof unwritable / sizeof *unwritable; i++)
    say("write", unwritable[i], isWritable(unwritable[i]));
  for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++)
    say("read", unreadable[i], hasContent(unreadable[i]));
  for (size_t i = 0; i < sizeof uncreatable / sizeof *uncreatable; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/pawl-escape-%d", uncreatable[i], (int)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd), unlink(path);
    say("create", uncreatable[i], fd >= 0);
  }
}

/* Can be opened by whoever they belong to; what is written is refused, or is nobody's loss. */
static const struct { const char *path, *text; } unchangeable[] = {
  {"/proc/1/uid_map", "0 0 1\n"}, {"/proc/1/gid_map", "0 0 1\n"}, {"/proc/1/setgroups", "allow"},
  {"/proc/self/uid_map", "0 0 1\n"}, {"/proc/self/setgroups", "allow"}, {"/proc/1/comm", "x"},
  {"/proc/1/attr/current", "x"}, {"/proc/self/oom_score_adj", "-1000"},
};

static void tryChanges(void) {
  for (size_t i = 0; i < sizeof unchangeable / sizeof *unchangeable; i++) {
    int fd = open(unchangeable[i].path, O_WRONLY | O_CLOEXEC);
    ssize_t done = fd < 0 ? -1 : write(fd, unchangeable[i].text, strlen(unchangeable[i].text));
    if (fd >= 0) close(fd);
    say("change", unchangeable[i].path, done > 0);
  }
}

static const struct { const char *name; int family, type, protocol; } sockets[] = {
  {"vsock", 40, SOCK_STREAM, 0}, {"packet", AF_PACKET, SOCK_RAW, 0},
  {"alg", 38, SOCK_SEQPACKET, 0}, {"key", 15, SOCK_RAW, 2}, {"bluetooth", 31, SOCK_RAW, 1},
  {"can", 29, SOCK_RAW, 1}, {"rds", 21, SOCK_SEQPACKET, 0}, {"tipc", 30, SOCK_STREAM, 0},
  {"xdp", 44, SOCK_RAW, 0}, {"raw", AF_INET, SOCK_RAW, 255}, {"raw6", AF_INET6, SOCK_RAW, 255},
  {"smc", 43, SOCK_STREAM, 0}, {"ax25", 3, SOCK_SEQPACKET, 0}, {"x25", 9, SOCK_SEQPACKET, 0},
};

static void tryDevices(void) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/escape-%d", (int)getpid());
  int made = mknod(path, S_IFBLK | 0600, makedev(254, 0)) == 0;
  if (made) unlink(path);
  say("device", "mknod", made);
  say("process", "dumpable parent", hasContent("/proc/1/environ"));
  say("process", "setuid root", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1);
  say("process", "secure bits", prctl(PR_SET_SECUREBITS, 1, 0, 0, 0) == 0);
  for (int number = 0; number < 41; number++) {
    if (number % 4 != 1) continue;
    char name[32];
    snprintf(name, sizeof name, "%d", number);
    say("capability", name, prctl(PR_CAPBSET_READ, number, 0, 0, 0) == 1);
  }
  int pty = posix_openpt(O_RDWR | O_NOCTTY);
  char byte = 'x';
  say("terminal", "TIOCSTI", pty >= 0 && (ioctl(pty, TIOCSTI, &byte) == 0 || errno != EPERM));
  if (pty >= 0) close(pty);
}

static int connects(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  socklen_t size = sizeof name;
  if (*path == '@') {
    memcpy(name.sun_path + 1, path + 1, strlen(path + 1));
    size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
  } else strncpy(name.sun_path, path, sizeof name.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int done = fd >= 0 && connect(fd, (struct sockaddr *)&name, size) == 0;
  if (fd >= 0) close(fd);
  return done;
}

static void trySockets(void) {
  for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++) {
    int fd = socket(sockets[i].family, sockets[i].type | SOCK_CLOEXEC, sockets[i].protocol);
    if (fd >= 0) close(fd);
    say("socket", sockets[i].name, fd >= 0);
  }
}

int main(int argc, char **argv) {
  tryCalls();
  trySpaces();
  tryFiles();
  tryChanges();
  tryDevices();
  trySockets();
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "secret=", 7) == 0) say("secret", argv[i] + 7, hasContent(argv[i] + 7));
    if (strncmp(argv[i], "closed=", 7) == 0) say("closed", argv[i] + 7, isWritable(argv[i] + 7));
    if (strncmp(argv[i], "socket=", 7) == 0) say("socket", argv[i] + 7, connects(argv[i] + 7));
  }
  return 0;
}
