/*
 * Landlock: holds files where there are no spaces, and keeps abstract sockets and signals in a box.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <sys/syscall.h>

/* The C libraries of some systems are older than their kernels. */
enum { sysCreateRuleset = 444, sysAddRule = 445, sysRestrictSelf = 446 };

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

/* Abstract sockets and signals stay in the box, also where it shares a network. */
int restrictScope(void) {
  if (landlockVersion() < 6) return 0;
  struct ruleset ruleset = {0, 0, 3};
  int fd = (int)syscall(sysCreateRuleset, &ruleset, sizeof ruleset, 0);
  if (fd < 0) return -1;
  int done = (int)syscall(sysRestrictSelf, fd, 0);
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

int restrictFiles(const Wish *wish) { return (void)wish, errno = ENOSYS, -1; }
int restrictScope(void) { return 0; }
int landlockVersion(void) { return 0; }

#endif
