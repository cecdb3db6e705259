/*
 * What the kernel knows about many files, read on all cores at each look: a file that is skipped
 * could be changed unseen.
 */
#include "pawl-job-look.h"

#include <sys/mman.h>

#ifdef __APPLE__
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

enum { statWorkersMax = 8, statShareMin = 2000 };

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static StatRecord recordOf(const struct stat *seen) {
  return (StatRecord){seen->st_mode, seen->st_size, nanoseconds(seen->st_mtim),
                      nanoseconds(seen->st_ctim), (int64_t)seen->st_ino};
}

/* -1: it exists and cannot be looked at. */
int statOne(const char *path, StatRecord *record) {
  struct stat seen;
  *record = (StatRecord){0};
  if (lstat(path, &seen) != 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  *record = recordOf(&seen);
  return 0;
}

int statHeld(int fd, StatRecord *record) {
  struct stat seen;
  if (fstat(fd, &seen) != 0) return -1;
  *record = recordOf(&seen);
  return 0;
}

static int statShare(char **paths, StatRecord *records, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (statOne(paths[i], &records[i]) != 0) return -1;
  return 0;
}

/* A process per core, each with its share. What they write is in memory that they share. */
static int statShares(char **paths, StatRecord *records, size_t count) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t workers = cores < 1 ? 1 : cores > statWorkersMax ? statWorkersMax : (size_t)cores;
  if (workers > count / statShareMin + 1) workers = count / statShareMin + 1;
  size_t share = (count + workers - 1) / workers, begun = 0;
  pid_t pids[statWorkersMax];
  int failed = 0;
  for (size_t from = share; from < count && !failed; from += share) {
    pid_t pid = fork();
    size_t size = count - from < share ? count - from : share;
    if (pid == 0) _exit(statShare(paths + from, records + from, size) == 0 ? 0 : 1);
    if (pid < 0) failed = 1;
    else pids[begun++] = pid;
  }
  failed |= statShare(paths, records, count < share ? count : share) != 0;
  for (size_t i = 0; i < begun; i++) {
    int status = 0;
    while (waitpid(pids[i], &status, 0) < 0)
      if (errno != EINTR) return -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) failed = 1;
  }
  return failed ? -1 : 0;
}

/* The records of paths in the current folder. -1: one of them cannot be told. */
int statOnAllCores(char **paths, StatRecord *records, size_t count) {
  if (count < statShareMin) return statShare(paths, records, count);
  size_t size = count * sizeof *records;
  StatRecord *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return -1;
  int result = statShares(paths, shared, count);
  if (result == 0) memcpy(records, shared, size);
  munmap(shared, size);
  return result;
}
