/*
 * What a job may see: spaces of its own, a read-only system, a home with nothing but what is kept
 * of it, a writable workspace, no secrets. All of it is Linux.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <linux/mount.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 0x1
#endif
#ifndef MOUNT_ATTR_NOSUID
#define MOUNT_ATTR_NOSUID 0x2
#endif

/* The C libraries of some systems are older than their kernels. */
enum { sysOpenTree = 428, sysMoveMount = 429, sysMountSetattr = 442 };

static int writeText(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t done = write(fd, text, strlen(text));
  int kept = errno;
  close(fd);
  errno = kept;
  return done < 0 ? -1 : 0;
}

/* WHY no fault: a job without a network needs none, and one with a relay fails to listen. */
static void raiseLoopback(void) {
  struct ifreq request = {.ifr_name = "lo"};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  if (ioctl(fd, SIOCGIFFLAGS, &request) == 0) {
    request.ifr_flags |= IFF_UP;
    ioctl(fd, SIOCSIFFLAGS, &request);
  }
  close(fd);
}

int enterSpaces(const Wish *wish) {
  char text[64];
  uid_t uid = geteuid();
  gid_t gid = getegid();
  int spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
  if (unshare(wish->network ? spaces : spaces | CLONE_NEWNET) != 0) return -1;
  if (!wish->network) raiseLoopback();
  /* The files of /proc/self belong to root while we are not dumpable. */
  prctl(PR_SET_DUMPABLE, 1);
  snprintf(text, sizeof text, "%u %u 1\n", uid, uid);
  if (writeText("/proc/self/uid_map", text) != 0) return -1;
  if (writeText("/proc/self/setgroups", "deny") != 0 && errno != ENOENT) return -1;
  snprintf(text, sizeof text, "%u %u 1\n", gid, gid);
  if (writeText("/proc/self/gid_map", text) != 0) return -1;
  return prctl(PR_SET_DUMPABLE, 0);
}

/* The next process begins a space of numbers; whoever was started before is seen by none in it. */
int enterNumbers(void) { return unshare(CLONE_NEWPID); }

struct attributes {
  uint64_t set, clear, propagation, userns;
};

static int closeMount(const char *path, unsigned how) {
  struct attributes attributes = {MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0, 0, 0};
  return (int)syscall(sysMountSetattr, AT_FDCWD, path, how, &attributes, sizeof attributes);
}

/* With every mount below it. */
static int makeReadOnly(const char *path) { return closeMount(path, AT_RECURSIVE); }
int closePath(const char *path) { return makeReadOnly(path); }

int setWritable(const char *path, int isWritable) {
  struct attributes attributes = {isWritable ? 0 : MOUNT_ATTR_RDONLY,
                                  isWritable ? MOUNT_ATTR_RDONLY : 0, 0, 0};
  return (int)syscall(sysMountSetattr, AT_FDCWD, path, 0, &attributes, sizeof attributes);
}

static int cloneTree(const char *path) {
  return (int)syscall(sysOpenTree, AT_FDCWD, path,
                      OPEN_TREE_CLONE | O_CLOEXEC | AT_RECURSIVE);
}

static int attachTree(int tree, const char *path) {
  return (int)syscall(sysMoveMount, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

static int makeFolders(const char *path) {
  char part[PATH_MAX];
  if (strlen(path) >= sizeof part) return errno = ENAMETOOLONG, -1;
  for (size_t i = 1; path[i - 1] != '\0'; i++) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0755) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES) return -1;
  }
  return 0;
}

static int emptyFolder(const char *path, const char *options) {
  return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

/*
 * The places where a job may write besides its workspace: parts of one file system, so that its
 * size is the limit of all of them together. It lies below the `/tmp` that is put on it.
 */
static int makeScratch(long long bytes) {
  const char *parts[][2] = {
    {"/tmp/shm", "/dev/shm"}, {"/tmp/var", "/var/tmp"}, {"/tmp/tmp", "/tmp"},
  };
  char options[64];
  int trees[3];
  snprintf(options, sizeof options, "mode=755,size=%lld", bytes);
  if (emptyFolder("/tmp", options) != 0) return -1;
  for (int i = 0; i < 3; i++) {
    if (mkdir(parts[i][0], 0777) != 0 || chmod(parts[i][0], 01777) != 0) return -1;
    trees[i] = cloneTree(parts[i][0]);
    if (trees[i] < 0) return -1;
  }
  for (int i = 0; i < 3; i++) {
    int isThere = access(parts[i][1], F_OK) == 0;
    if (isThere && attachTree(trees[i], parts[i][1]) != 0) return -1;
    close(trees[i]);
  }
  return 0;
}

const char *const devices[devicesCount] = {"null", "zero", "full", "random", "urandom", "tty"};

/* A few harmless devices: those of the machine may be disks, and root could read them. */
static int makeDevices(void) {
  int trees[devicesCount];
  char path[64];
  for (int i = 0; i < devicesCount; i++) {
    snprintf(path, sizeof path, "/dev/%s", devices[i]);
    trees[i] = cloneTree(path);
  }
  if (mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "mode=755,size=64k") != 0) return -1;
  for (int i = 0; i < devicesCount; i++) {
    if (trees[i] < 0) continue;
    snprintf(path, sizeof path, "/dev/%s", devices[i]);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) close(fd);
    if (attachTree(trees[i], path) != 0) return -1;
    close(trees[i]);
  }
  const char *links[][2] = {{"/proc/self/fd", "/dev/fd"}, {"/proc/self/fd/0", "/dev/stdin"},
    {"/proc/self/fd/1", "/dev/stdout"}, {"/proc/self/fd/2", "/dev/stderr"}};
  for (int i = 0; i < 4; i++)
    if (symlink(links[i][0], links[i][1]) != 0) return -1;
  if (mkdir("/dev/shm", 0755) != 0 || mkdir("/dev/pts", 0755) != 0) return -1;
  /* Terminals are a comfort: `script` and the like do without on some systems. */
  if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666") == 0
      && symlink("pts/ptmx", "/dev/ptmx") != 0) return -1;
  return 0;
}

/* Covers a file or a folder with nothing; what is not there needs no cover. */
int hidePath(const char *path, int nothing) {
  struct stat stats;
  if (stat(path, &stats) != 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  if (S_ISDIR(stats.st_mode)) return emptyFolder(path, "mode=0,size=4k");
  int tree = (int)syscall(sysOpenTree, nothing, "",
                          OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH);
  if (tree < 0) return -1;
  int done = attachTree(tree, path);
  close(tree);
  /* WHY: it is the device of the machine, and root could change its mode. */
  return done == 0 ? makeReadOnly(path) : -1;
}

/* Puts a path onto itself: what something is mounted on can be neither renamed nor removed. */
int pinPath(const char *path) {
  int tree = cloneTree(path);
  if (tree < 0) return -1;
  int done = attachTree(tree, path);
  close(tree);
  return done;
}

/* Shows a file with another text: the one of this number in the folder of a session. */
int coverPath(const char *path, int number) {
  char source[64];
  snprintf(source, sizeof source, "/run/pawl/instead/%d", number);
  return coverBy(path, source);
}

/* Lays one file over another; as read-only as its folder is. */
int coverBy(const char *path, const char *source) {
  int tree = cloneTree(source);
  if (tree < 0) return -1;
  int done = attachTree(tree, path);
  close(tree);
  return done;
}

/* What root could change for the whole machine, since files of the kernel ask who somebody is. */
static const char *const closedInProc[] = {
  "/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi",
  "/proc/asound", "/proc/scsi", "/proc/mtrr", "/proc/driver", "/proc/dynamic_debug",
};
/* What tells of the machine and of others on it. */
static const char *const hiddenInProc[] = {
  "/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/key-users", "/proc/timer_list",
  "/proc/sched_debug", "/proc/latency_stats", "/proc/vmcore", "/sys/firmware",
  "/sys/kernel/security", "/sys/kernel/debug", "/sys/kernel/tracing",
};

/* No spaces in spaces: one that was made earlier would keep its own mounts, open for writing. */
static void refuseSpaces(void) {
  /* WHY no fault: the filter of calls refuses them as well. Other kinds need one of users first. */
  writeText("/proc/sys/user/max_user_namespaces", "0");
}

static int closeProc(int nothing) {
  refuseSpaces();
  for (size_t i = 0; i < sizeof closedInProc / sizeof *closedInProc; i++) {
    if (access(closedInProc[i], F_OK) != 0) continue;
    if (pinPath(closedInProc[i]) != 0 || makeReadOnly(closedInProc[i]) != 0) return -1;
  }
  for (size_t i = 0; i < sizeof hiddenInProc / sizeof *hiddenInProc; i++)
    if (hidePath(hiddenInProc[i], nothing) != 0) return -1;
  return 0;
}

/* A place for a tree: a folder, or a file. */
static int makePlace(const char *path, int tree) {
  char folder[PATH_MAX];
  struct stat stats;
  if (strlen(path) >= sizeof folder) return errno = ENAMETOOLONG, -1;
  if (fstat(tree, &stats) != 0) return -1;
  if (S_ISDIR(stats.st_mode)) return makeFolders(path);
  strcpy(folder, path);
  char *slash = strrchr(folder, '/');
  if (slash == NULL) return errno = EINVAL, -1;
  *slash = '\0';
  if (*folder != '\0' && makeFolders(folder) != 0) return -1;
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) return close(fd);
  return access(path, F_OK);
}

/* Homes are empty but for what is kept of them, which can be read and not changed. */
static int coverHomes(const Wish *wish, const int *kept, const char **step) {
  char options[64];
  long long bytes = wish->homeBytes > 0 ? wish->homeBytes : 65536;
  snprintf(options, sizeof options, "mode=755,size=%lld", bytes);
  for (int i = 0; i < wish->covered.count; i++) {
    *step = wish->covered.paths[i];
    /* Below another cover, or below `/tmp`, it is gone already. */
    if (access(*step, F_OK) != 0) continue;
    if (emptyFolder(*step, options) != 0) return -1;
  }
  for (int i = 0; i < wish->kept.count + wish->state.count; i++) {
    if (kept[i] < 0) continue;
    int isState = i >= wish->kept.count;
    *step = isState ? wish->state.paths[i - wish->kept.count] : wish->kept.paths[i];
    if (makePlace(*step, kept[i]) != 0 || attachTree(kept[i], *step) != 0) return -1;
    close(kept[i]);
    if (!isState && makeReadOnly(*step) != 0) return -1;
  }
  return 0;
}

/* After all that stands in them is there. */
static int closeHomes(const Wish *wish) {
  for (int i = 0; wish->homeBytes == 0 && i < wish->covered.count; i++)
    if (access(wish->covered.paths[i], F_OK) == 0 && closeMount(wish->covered.paths[i], 0) != 0
        && errno != EINVAL) return -1;
  return 0;
}

#define must(what, did) \
  do { \
    *step = (what); \
    if ((did) < 0) return -1; \
  } while (0)

/* A tree that is put on the root leaves the open system below it, one `..` away. */
static int refuseRoot(const char *path) {
  struct stat root, stats;
  if (path == NULL || *path != '/') return errno = EINVAL, -1;
  if (stat("/", &root) != 0 || stat(path, &stats) != 0) return -1;
  int isRoot = root.st_dev == stats.st_dev && root.st_ino == stats.st_ino;
  return isRoot ? errno = EINVAL, -1 : 0;
}

/*
 * INVARIANT of the order: what is kept is taken out first, then the system is closed, then what is
 * kept is put back, and secrets are covered last, wherever they are.
 */
int makeBox(const Wish *wish, const char **step) {
  static int kept[2 * pathsMax];
  int tree, resolver = -1, nothing, door = -1;
  must("the workspace is no folder of its own", refuseRoot(wish->workspace));
  must("private mounts", mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
  must(wish->workspace, tree = cloneTree(wish->workspace));
  must("/dev/null", nothing = open("/dev/null", O_PATH | O_CLOEXEC));
  if (wish->network) resolver = cloneTree("/etc/resolv.conf");
  /* What is not there is not kept. */
  for (int i = 0; i < wish->kept.count; i++) kept[i] = cloneTree(wish->kept.paths[i]);
  for (int i = 0; i < wish->state.count; i++)
    kept[wish->kept.count + i] = cloneTree(wish->state.paths[i]);
  if (wish->door != NULL) must(wish->door, door = cloneTree(wish->door));
  must("/dev", makeDevices());
  must("read-only system", makeReadOnly("/"));
  must("/tmp, /var/tmp and /dev/shm", makeScratch(wish->tmpBytes));
  if (access("/run", F_OK) == 0) must("/run", emptyFolder("/run", "mode=755,size=4m"));
  must("/proc", mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL));
  must("/proc", closeProc(nothing));
  if (resolver >= 0) {
    char target[PATH_MAX];
    ssize_t length = readlink("/etc/resolv.conf", target, sizeof target - 1);
    if (length > 5 && memcmp(target, "/run/", 5) == 0) {
      target[length] = '\0';
      char *slash = strrchr(target, '/');
      *slash = '\0';
      makeFolders(target);
      *slash = '/';
      int fd = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
      if (fd >= 0) close(fd);
      attachTree(resolver, target);
    }
    close(resolver);
  }
  if (door >= 0) {
    must("/run/pawl", mkdir("/run/pawl", 0755) != 0 || mkdir("/run/layer", 0700) != 0 ? -1 : 0);
    must("/run/pawl", attachTree(door, "/run/pawl"));
    must("/run/pawl", makeReadOnly("/run/pawl"));
    close(door);
  }
  if (coverHomes(wish, kept, step) != 0) return -1;
  must(wish->workspace, makeFolders(wish->workspace));
  must(wish->workspace, attachTree(tree, wish->workspace));
  close(tree);
  for (int i = 0; i < wish->pinned.count; i++)
    must(wish->pinned.paths[i], pinPath(wish->pinned.paths[i]));
  for (int i = 0; i < wish->readOnly.count; i++) {
    must(wish->readOnly.paths[i], pinPath(wish->readOnly.paths[i]));
    must(wish->readOnly.paths[i], makeReadOnly(wish->readOnly.paths[i]));
  }
  for (int i = 0; i < wish->instead.count; i++)
    must(wish->instead.paths[i], coverPath(wish->instead.paths[i], i));
  for (int i = 0; i < wish->hidden.count; i++)
    must(wish->hidden.paths[i], hidePath(wish->hidden.paths[i], nothing));
  close(nothing);
  must("the home", closeHomes(wish));
  must("host name", sethostname("job", 3));
  return 0;
}

/* No power of root, even where the job runs as root, and none to be had by starting something. */
void dropPowers(void) {
  struct { uint32_t version; int pid; } head = {0x20080522, 0};
  struct { uint32_t effective, permitted, inheritable; } none[2] = {{0, 0, 0}, {0, 0, 0}};
  for (int power = 0; power < 64; power++) prctl(PR_CAPBSET_DROP, power, 0, 0, 0);
#ifdef PR_CAP_AMBIENT
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
#endif
  syscall(SYS_capset, &head, none);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

#else

int enterSpaces(const Wish *wish) { return (void)wish, errno = ENOSYS, -1; }
int enterNumbers(void) { return errno = ENOSYS, -1; }
int makeBox(const Wish *wish, const char **step) {
  return (void)wish, (void)step, errno = ENOSYS, -1;
}
void dropPowers(void) {}

#endif
