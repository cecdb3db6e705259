/*
 * Looks at the same paths again and again. Workers that stay hold a descriptor of each file, so
 * that the kernel need not walk to it: half the time (ADR 0036). They still read the times of
 * every file at every look.
 *
 * A descriptor stays with a file, and not with its name. So it is used only where no other file can
 * get the name unseen: every folder above it, up to the workspace, is looked at as well (to rename
 * what is in it gives it a new time), none of them is a link or a mount, the file system is a local
 * one, and nothing was mounted since. All else is looked up by its path.
 */
#include "pawl-job-look.h"

#include <sys/mman.h>
#include <sys/socket.h>

enum { workMin = 2000, heldMax = 1 << 16, ownFdsMax = 64 };

#ifdef __linux__
#include <sys/syscall.h>
#include <sys/vfs.h>
#if defined SYS_openat2 && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

/* A number that is another one after each mount. -1: it cannot be told. */
static int mountsNow(void) {
  static struct pollfd mounts = {.fd = -1, .events = POLLPRI};
  static int number;
  if (mounts.fd < 0) mounts.fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (mounts.fd < 0) return -1;
  if (poll(&mounts, 1, 0) != 0) number++;
  return number;
}

/* Others may change names without a new time of the folder: FUSE, and what is over a network. */
static int isLocal(void) {
  const long local[] = {0xEF53 /* ext4 */, 0x58465342 /* XFS */, 0x9123683E /* Btrfs */,
                        0xF2F52010 /* F2FS */, 0x01021994 /* tmpfs */, 0x794C7630 /* overlay */};
  struct statfs seen;
  if (statfs(".", &seen) != 0) return 0;
  for (size_t i = 0; i < sizeof local / sizeof *local; i++)
    if ((long)seen.f_type == local[i]) return 1;
  return 0;
}

#else
static int mountsNow(void) { return -1; }
static int isLocal(void) { return 0; }
#endif

#ifdef RESOLVE_NO_XDEV
static int holdFile(const char *path) {
  struct open_how how = {
    .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS,
  };
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}
#else
static int holdFile(const char *path) { return (void)path, -1; }
#endif

/* Whether the folder that a path is in is the workspace, or one of those. */
static int isIn(const PathList *folders, const char *path) {
  char folder[PATH_MAX], *key = folder;
  const char *end = strrchr(path, '/');
  if (*path == '/' || strcmp(path, ".") == 0) return 0;
  if (end == NULL) return 1;
  snprintf(folder, sizeof folder, "%.*s", (int)(end - path), path);
  return bsearch(&key, folders->paths, folders->count, sizeof key, byBytes) != NULL;
}

/* The folders in which files are held: those that are looked at, as are all above them. */
static PathList heldFolders(const Watch *watch) {
  PathList all = {0}, held = {0};
  for (size_t i = 0; i < watch->folders; i++)
    if (addPathTo(&all, watch->paths.paths[i]) != 0) break;
  if (all.count > 0) qsort(all.paths, all.count, sizeof *all.paths, byBytes);
  /* Sorted, a folder is behind those above it. */
  for (size_t i = 0; i < all.count; i++)
    if (isIn(&held, all.paths[i]) && addPathTo(&held, all.paths[i]) != 0) break;
  free(all.paths);
  return held;
}

/* Compares with the last look, and keeps what is new of a file. */
static int compare(const Watch *watch, size_t at, const StatRecord *now) {
  StatRecord *last = &watch->records[at];
  if (memcmp(now, last, sizeof *now) == 0) return nothingChanged;
  if (at < watch->folders || ((now->mode ^ last->mode) & S_IFMT) != 0) return listChanged;
  *last = *now;
  return filesChanged;
}

static int lookByPath(const Watch *watch) {
  size_t count = watch->paths.count;
  StatRecord *now = malloc(count * sizeof *now);
  int failed = now == NULL || statOnAllCores(watch->paths.paths, now, count) != 0;
  int most = failed ? listChanged : nothingChanged;
  for (size_t i = 0; i < count && most != listChanged; i++) {
    int change = compare(watch, i, &now[i]);
    if (change > most) most = change;
  }
  free(now);
  return most;
}

/* `held`: from the first of the share on; -1 where no file is held. */
static int lookAtShare(const Watch *watch, size_t from, size_t to, const int *held) {
  int most = nothingChanged;
  for (size_t i = from; i < to && most != listChanged; i++) {
    StatRecord now;
    int fd = held[i - from];
    int failed = fd < 0 ? statOne(watch->paths.paths[i], &now) : statHeld(fd, &now);
    int change = failed ? listChanged : compare(watch, i, &now);
    if (change > most) most = change;
  }
  return most;
}

/* One worker of several: holds its share of the files, and looks at it whenever it is asked. */
static void work(const Watch *watch, const PathList *folders, int at, int workers, int ask) {
  size_t count = watch->paths.count, share = (count + (size_t)workers - 1) / (size_t)workers;
  size_t from = share * (size_t)at, to = from + share < count ? from + share : count;
  int *held = malloc(share * sizeof *held), left = heldMax / workers;
  struct rlimit files;
  struct stat root, now;
  char byte;
  for (int fd = 0; fd < ownFdsMax; fd++)
    if (fd != ask) close(fd);
  if (held == NULL || lstat(".", &root) != 0 || getrlimit(RLIMIT_NOFILE, &files) != 0) _exit(1);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  for (size_t i = from; i < to; i++) {
    int isHeld = left > 0 && isIn(folders, watch->paths.paths[i]);
    held[i - from] = isHeld ? holdFile(watch->paths.paths[i]) : -1;
    left -= held[i - from] >= 0;
  }
  while (read(ask, &byte, 1) == 1) {
    int isSame = chdir(watch->folder) == 0 && lstat(".", &now) == 0 && now.st_dev == root.st_dev;
    byte = (char)(isSame ? lookAtShare(watch, from, to, held) : listChanged);
    if (write(ask, &byte, 1) != 1) break;
  }
  _exit(0);
}

/* One per core, or more if the files are more than their processes may have open. */
static int workersFor(size_t count) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int each = cores < 1 ? 1 : cores > workersMax ? workersMax : (int)cores, workers = each;
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max <= ownFdsMax) return workers;
  while (workers + each <= workersMax && (files.rlim_max - ownFdsMax) * (rlim_t)workers < count)
    workers += each;
  return workers;
}

/*
 * They end because nobody asks any more. WHY not by a signal: the number of one that has ended may
 * be that of another process. And nobody waits: to close so many files takes a while.
 */
void stopWorkers(Watch *watch) {
  for (int i = 0; i < watch->workers; i++) close(watch->asks[i]);
  watch->workers = 0;
}

/* Called in the folder. */
void startWorkers(Watch *watch) {
  int workers = workersFor(watch->paths.count), mounts = mountsNow();
  if (watch->workers > 0 || watch->paths.count < workMin || mounts < 0 || !isLocal()) return;
  PathList folders = heldFolders(watch);
  watch->mounts = mounts;
  while (watch->workers < workers) {
    int ends[2], at = watch->workers;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) break;
    closeOnExec(ends[0]);
    pid_t pid = fork();
    if (pid == 0) work(watch, &folders, at, workers, ends[1]);
    close(ends[1]);
    if (pid < 0) {
      close(ends[0]);
      break;
    }
    watch->asks[at] = ends[0];
    watch->workers++;
  }
  if (watch->workers < workers) stopWorkers(watch);
  free(folders.paths);
}

/* Called in the folder. What cannot be told may have changed anything. */
int lookAtWatch(Watch *watch) {
  int most = nothingChanged;
  if (watch->workers > 0 && watch->mounts != mountsNow()) stopWorkers(watch);
  if (watch->workers == 0) return lookByPath(watch);
  for (int i = 0; i < watch->workers; i++)
    if (write(watch->asks[i], "", 1) != 1) return listChanged;
  for (int i = 0; i < watch->workers; i++) {
    char change;
    if (read(watch->asks[i], &change, 1) != 1) return listChanged;
    if (change > most) most = change;
  }
  return most;
}

/* The records are shared with the workers, who keep them as they are now. */
int openRecords(Watch *watch) {
  size_t size = watch->paths.count * sizeof *watch->records;
  void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  watch->records = shared == MAP_FAILED ? NULL : shared;
  return shared == MAP_FAILED ? -1 : 0;
}

void freeWatch(Watch *watch) {
  stopWorkers(watch);
  if (watch->records != NULL) munmap(watch->records, watch->paths.count * sizeof *watch->records);
  free(watch->paths.paths);
  free(watch->folder);
  *watch = (Watch){0};
}
