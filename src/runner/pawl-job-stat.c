/*
 * `pawl-job stat`: what the kernel knows about many files, read on all cores.
 * It reads paths from its input, each ended by a zero byte and relative to its folder, and writes
 * one record per path in the same order. `runtime/workspace/stat-files.ts` is its caller and does
 * the same without it, only slower.
 */
#include "pawl-job.h"

#include <sys/mman.h>

#ifdef __APPLE__
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

enum { statBytesMax = 128 << 20, statWorkersMax = 8, statShareMin = 2000 };

/* All zero: there is no such file. */
typedef struct {
  int64_t mode, size, mtimeNs, ctimeNs, ino;
} StatRecord;

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* What cannot be told fails the whole: a file that is skipped could be changed unseen. */
static int statShare(char **paths, StatRecord *records, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct stat seen;
    if (lstat(paths[i], &seen) != 0) {
      if (errno != ENOENT && errno != ENOTDIR) return -1;
      continue;
    }
    records[i] = (StatRecord){seen.st_mode, seen.st_size, nanoseconds(seen.st_mtim),
                              nanoseconds(seen.st_ctim), (int64_t)seen.st_ino};
  }
  return 0;
}

static char *readInput(size_t *length) {
  size_t room = 1 << 20;
  char *bytes = malloc(room);
  for (*length = 0; bytes != NULL;) {
    ssize_t got = read(0, bytes + *length, room - *length);
    if (got == 0) return bytes;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return NULL;
    *length += (size_t)got;
    if (*length < room) continue;
    if (room >= statBytesMax) return NULL;
    bytes = realloc(bytes, room *= 2);
  }
  return NULL;
}

static char **splitPaths(char *bytes, size_t length, size_t *count) {
  *count = 0;
  if (length > 0 && bytes[length - 1] != '\0') return NULL;
  for (size_t i = 0; i < length; i++) *count += bytes[i] == '\0';
  char **paths = calloc(*count + 1, sizeof *paths);
  if (paths == NULL) return NULL;
  char *next = bytes;
  for (size_t i = 0; i < *count; next += strlen(next) + 1) paths[i++] = next;
  return paths;
}

static int writeAll(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t put = write(1, bytes, length);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return -1;
    bytes += put;
    length -= (size_t)put;
  }
  return 0;
}

/* A process per core, each with its share of one memory that they have in common. */
static int statOnAllCores(char **paths, StatRecord *records, size_t count) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t workers = cores < 1 ? 1 : cores > statWorkersMax ? statWorkersMax : (size_t)cores;
  if (workers > count / statShareMin + 1) workers = count / statShareMin + 1;
  size_t share = (count + workers - 1) / workers;
  pid_t pids[statWorkersMax];
  size_t begun = 0;
  for (size_t from = share; from < count; from += share) {
    pid_t pid = fork();
    if (pid < 0) return -1;
    size_t size = count - from < share ? count - from : share;
    if (pid == 0) _exit(statShare(paths + from, records + from, size) == 0 ? 0 : 1);
    pids[begun++] = pid;
  }
  int failed = statShare(paths, records, count < share ? count : share) != 0;
  for (size_t i = 0; i < begun; i++) {
    int status = 0;
    while (waitpid(pids[i], &status, 0) < 0)
      if (errno != EINTR) return -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) failed = 1;
  }
  return failed ? -1 : 0;
}

int statFiles(void) {
  size_t length = 0, count = 0;
  char *bytes = readInput(&length);
  char **paths = bytes == NULL ? NULL : splitPaths(bytes, length, &count);
  if (paths == NULL) return 1;
  if (count == 0) return 0;
  size_t size = count * sizeof(StatRecord);
  StatRecord *records = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (records == MAP_FAILED) return 1;
  if (statOnAllCores(paths, records, count) != 0) return 1;
  return writeAll((const char *)records, size) == 0 ? 0 : 1;
}
