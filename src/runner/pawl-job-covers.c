/*
 * Programs that a stage denies: another file lies over each of them while the stage lasts, so that
 * the kernel can neither start nor read it. A copy of it elsewhere is not held.
 *
 * INVARIANT of the order: first what is new is laid, then the files of the session change, then
 * what is over is taken off. A change that is refused takes off what is new, and nothing else.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <sys/mount.h>

enum { coversMax = 256, deniedMax = 64, nameBytesMax = 65 };

/* Files that are covered, and whether the change that goes on has laid them or wants them. */
static struct {
  char *path;
  int isNew, isWanted;
} covers[coversMax];
static int coversCount;

/* Where a session has what is laid over them; it may start, and says why nothing else did. */
const char deniedCover[] = "/run/pawl/denied";

static const char usual[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* What hooks are run by: a host whose hook fails to start goes on without it. */
static const char *const needed[] = {"sh", "bash", "env", "node"};
enum { neededCount = sizeof needed / sizeof *needed };

typedef int (*See)(const char *path, const struct stat *stats, void *about);

/* Each file that is started by a name: along the path of the session, and in the usual folders. */
static int seeFiles(const char *name, See see, void *about) {
  const char *places[2] = {getenv("PATH"), usual};
  char path[PATH_MAX], real[PATH_MAX];
  struct stat stats;
  for (int i = 0; i < 2; i++)
    for (const char *next = places[i]; next != NULL && *next != '\0';) {
      int length = (int)strcspn(next, ":");
      int size = snprintf(path, sizeof path, "%.*s/%s", length, next, name);
      if (*path == '/' && size < (int)sizeof path && realpath(path, real) != NULL
          && stat(real, &stats) == 0 && S_ISREG(stats.st_mode) && see(real, &stats, about) != 0)
        return -1;
      next += length + (next[length] == ':');
    }
  return 0;
}

static int isOther(const char *path, const struct stat *stats, void *about) {
  const struct stat *wanted = about;
  (void)path;
  return stats->st_dev == wanted->st_dev && stats->st_ino == wanted->st_ino ? -1 : 0;
}

/* Whether hooks or the session itself are run by this file, by whatever name. */
static int isNeeded(const Wish *wish, struct stat *stats) {
  for (int i = 0; i < neededCount; i++)
    if (seeFiles(needed[i], isOther, stats) != 0) return 1;
  for (int i = 0; i < wish->needed.count; i++) {
    struct stat other;
    const char *one = wish->needed.paths[i];
    if (*one != '/' ? seeFiles(one, isOther, stats) != 0
                    : stat(one, &other) == 0 && isOther(one, &other, stats) != 0) return 1;
  }
  return 0;
}

typedef struct {
  const Wish *wish;
  const char *name, **why;
} Denial;

static int lay(const char *path, const struct stat *stats, void *about) {
  static char why[2 * PATH_MAX];
  const Denial *denial = about;
  struct stat found = *stats;
  for (int i = 0; i < coversCount; i++)
    if (strcmp(covers[i].path, path) == 0) return covers[i].isWanted = 1, 0;
  /* What lies over a file there would keep the agent from removing it. */
  if (isInside(denial->wish->workspace, path)) return 0;
  if (isNeeded(denial->wish, &found)) {
    static const char form[] = "`%s` is `%.3000s` here, which hooks need: it cannot be denied";
    snprintf(why, sizeof why, form, denial->name, path);
    return *denial->why = why, -1;
  }
  if (coversCount >= coversMax) return errno = E2BIG, -1;
  char *kept = strdup(path);
  if (kept == NULL) return -1;
  if (coverBy(path, deniedCover) != 0) return free(kept), -1;
  covers[coversCount].path = kept;
  covers[coversCount].isNew = covers[coversCount].isWanted = 1;
  return coversCount++, 0;
}

/* What cannot be taken off stays denied, and is tried again with the next change. */
static void takeOff(int at) {
  if (umount2(covers[at].path, MNT_DETACH | UMOUNT_NOFOLLOW) != 0) return;
  free(covers[at].path);
  covers[at] = covers[--coversCount];
}

/* 0: none of these programs can be started, nor any that was denied before. */
int denyPrograms(const Wish *wish, const Paths *names, const char **why) {
  *why = NULL;
  for (int i = 0; i < coversCount; i++) covers[i].isNew = covers[i].isWanted = 0;
  if (names->count > deniedMax) return errno = E2BIG, -1;
  for (int i = 0; i < names->count; i++) {
    const char *name = names->paths[i];
    Denial denial = {wish, name, why};
    if (*name == '\0' || strchr(name, '/') != NULL || strlen(name) >= nameBytesMax)
      return errno = EINVAL, -1;
    if (seeFiles(name, lay, &denial) != 0) return -1;
  }
  return 0;
}

/* After the files have changed, or the change was refused. */
void settlePrograms(int isChanged) {
  for (int i = coversCount - 1; i >= 0; i--)
    if (isChanged ? !covers[i].isWanted : covers[i].isNew) takeOff(i);
}

#else

int denyPrograms(const Wish *wish, const Paths *names, const char **why) {
  return (void)wish, (void)names, (void)why, errno = ENOSYS, -1;
}
void settlePrograms(int isChanged) { (void)isChanged; }

#endif
