/*
 * What a job may see: spaces of its own, a read-only system, a writable workspace, no secrets;
 * or, where there are no such spaces, Landlock. All of it is Linux.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <linux/landlock.h>
#include <linux/mount.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 0x1
#endif
#ifndef MOUNT_ATTR_NOSUID
#define MOUNT_ATTR_NOSUID 0x2
#endif

/* The C libraries of some systems are older than their kernels. */
enum { sysOpenTree = 428, sysMoveMount = 429, sysMountSetattr = 442 };
enum { sysCreateRuleset = 444, sysAddRule = 445, sysRestrictSelf = 446 };

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
  int spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
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

struct attributes {
  uint64_t set, clear, propagation, userns;
};

static int makeReadOnly(const char *path) {
  struct attributes attributes = {MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0, 0, 0};
  return (int)syscall(sysMountSetattr, AT_FDCWD, path, AT_RECURSIVE, &attributes,
                      sizeof attributes);
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

static const char *const devices[] = {"null", "zero", "full", "random", "urandom", "tty"};
enum { devicesCount = sizeof devices / sizeof *devices };

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
static int hide(const char *path, int nothing) {
  struct stat stats;
  if (stat(path, &stats) != 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  if (S_ISDIR(stats.st_mode)) return emptyFolder(path, "mode=0,size=4k");
  int tree = (int)syscall(sysOpenTree, nothing, "",
                          OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH);
  if (tree < 0) return -1;
  int done = attachTree(tree, path);
  close(tree);
  return done;
}

/* Puts a path onto itself: what something is mounted on can be neither renamed nor removed. */
static int pin(const char *path) {
  int tree = cloneTree(path);
  if (tree < 0) return -1;
  int done = attachTree(tree, path);
  close(tree);
  return done;
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
  int tree, resolver = -1, nothing;
  must("the workspace is no folder of its own", refuseRoot(wish->workspace));
  must("private mounts", mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
  must(wish->workspace, tree = cloneTree(wish->workspace));
  must("/dev/null", nothing = open("/dev/null", O_PATH | O_CLOEXEC));
  if (wish->network) resolver = cloneTree("/etc/resolv.conf");
  must("/dev", makeDevices());
  must("read-only system", makeReadOnly("/"));
  must("/tmp, /var/tmp and /dev/shm", makeScratch(wish->tmpBytes));
  if (access("/run", F_OK) == 0) must("/run", emptyFolder("/run", "mode=755,size=4m"));
  must("/proc", mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL));
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
  must(wish->workspace, makeFolders(wish->workspace));
  must(wish->workspace, attachTree(tree, wish->workspace));
  close(tree);
  for (int i = 0; i < wish->pinned.count; i++)
    must(wish->pinned.paths[i], pin(wish->pinned.paths[i]));
  for (int i = 0; i < wish->readOnly.count; i++) {
    must(wish->readOnly.paths[i], pin(wish->readOnly.paths[i]));
    must(wish->readOnly.paths[i], makeReadOnly(wish->readOnly.paths[i]));
  }
  for (int i = 0; i < wish->hidden.count; i++)
    must(wish->hidden.paths[i], hide(wish->hidden.paths[i], nothing));
  close(nothing);
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

int landlockVersion(void) {
  long version = syscall(sysCreateRuleset, NULL, 0, 1);
  return version < 0 ? 0 : (int)version;
}

struct ruleset {
  uint64_t files, network, scoped;
};
struct __attribute__((packed)) rule {
  uint64_t access;
  int32_t parent;
};

enum { executeFile = 1, readFile = 1 << 2, readFolder = 1 << 3 };
enum { onFiles = executeFile | 1 << 1 | readFile | 1 << 14 | 1 << 15 };

static int allow(int ruleset, const char *path, uint64_t access) {
  struct stat stats;
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || errno == EACCES ? 0 : -1;
  if (fstat(fd, &stats) == 0 && !S_ISDIR(stats.st_mode)) access &= onFiles;
  struct rule rule = {access, fd};
  int done = (int)syscall(sysAddRule, ruleset, 1, &rule, 0);
  close(fd);
  return done;
}

int restrictFiles(const Wish *wish) {
  int version = landlockVersion();
  if (version < 1) return errno = ENOSYS, -1;
  uint64_t all = version >= 5 ? 0xffff : version >= 3 ? 0x7fff : version >= 2 ? 0x3fff : 0x1fff;
  struct ruleset ruleset = {all, 0, 0};
  if (version >= 4 && !wish->network) ruleset.network = 3;
  if (version >= 6) ruleset.scoped = 3;
  size_t size = version >= 6 ? sizeof ruleset : version >= 4 ? 16 : 8;
  int fd = (int)syscall(sysCreateRuleset, &ruleset, size, 0);
  if (fd < 0) return -1;
  for (int i = 0; i < wish->reads.count; i++)
    if (allow(fd, wish->reads.paths[i], executeFile | readFile | readFolder) != 0) return -1;
  for (int i = 0; i < wish->writes.count; i++)
    if (allow(fd, wish->writes.paths[i], all) != 0) return -1;
  for (int i = 0; i < devicesCount; i++) {
    char path[64];
    snprintf(path, sizeof path, "/dev/%s", devices[i]);
    if (allow(fd, path, all) != 0) return -1;
  }
  int done = (int)syscall(sysRestrictSelf, fd, 0);
  close(fd);
  return done;
}

#else

int enterSpaces(const Wish *wish) { return (void)wish, errno = ENOSYS, -1; }
int makeBox(const Wish *wish, const char **step) {
  return (void)wish, (void)step, errno = ENOSYS, -1;
}
int restrictFiles(const Wish *wish) { return (void)wish, errno = ENOSYS, -1; }
void dropPowers(void) {}
int landlockVersion(void) { return 0; }

#endif
