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
#include <sys/statvfs.h>

enum { coversMax = 256, deniedMax = 64, nameBytesMax = 65, linksMax = 40 };

/* Files that are covered, and whether the change that goes on has laid them or wants them. */
static struct {
  char *path;
  int isNew, isWanted;
} covers[coversMax];
static int coversCount;

/* Where a session has what is laid over them; it may start, and says why nothing else did. */
static const char deniedCover[] = "/run/pawl/denied";

static const char usual[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* What hooks are run by: a host whose hook fails to start goes on without it. */
static const char *const needed[] = {"sh", "bash", "env", "node"};
enum { neededCount = sizeof needed / sizeof *needed };

typedef int (*See)(const Wish *wish, const char *path, const struct stat *stats, void *about);

/* Whether the box can change nothing in a folder, in any stage. */
static int isFixed(const Wish *wish, const char *folder) {
  struct statvfs seen;
  if (followsMode(wish, folder)) return 0;
  return statvfs(*folder == '\0' ? "/" : folder, &seen) == 0 && (seen.f_flag & ST_RDONLY) != 0;
}

/* Puts where a link leads in front of the rest of the way. -1: it is too long. */
static int putLink(char *real, char *folderEnd, char rest[PATH_MAX]) {
  char target[PATH_MAX], whole[PATH_MAX];
  ssize_t length = readlink(real, target, sizeof target - 1);
  if (length <= 0) return -1;
  target[length] = '\0';
  if (snprintf(whole, sizeof whole, "%s/%s", target, rest) >= (int)sizeof whole) return -1;
  strcpy(rest, whole);
  *(*target == '/' ? real : folderEnd) = '\0';
  return 0;
}

/*
 * Where a path leads in the end; -1: nowhere. WHY not by links that the box can make: it could have
 * a library covered, or the client of the hooks, and hosts go on without hooks that do not start.
 */
static int findFile(const Wish *wish, const char *path, char real[PATH_MAX]) {
  char rest[PATH_MAX], part[NAME_MAX + 1];
  struct stat stats;
  *real = '\0';
  if (snprintf(rest, sizeof rest, "%s", path) >= (int)sizeof rest) return -1;
  for (int links = 0; rest[strspn(rest, "/")] != '\0';) {
    char *next = rest + strspn(rest, "/"), *end = real + strlen(real);
    size_t length = strcspn(next, "/");
    if (length > NAME_MAX || end + length + 2 > real + PATH_MAX) return -1;
    snprintf(part, sizeof part, "%.*s", (int)length, next);
    memmove(rest, next + length, strlen(next + length) + 1);
    if (strcmp(part, ".") == 0) continue;
    if (strcmp(part, "..") == 0) {
      char *last = strrchr(real, '/');
      if (last != NULL) *last = '\0';
      continue;
    }
    *end = '\0';
    int isLinkFixed = isFixed(wish, real);
    sprintf(end, "/%s", part);
    if (lstat(real, &stats) != 0) return -1;
    if (!S_ISLNK(stats.st_mode)) continue;
    if (!isLinkFixed || ++links > linksMax || putLink(real, end, rest) != 0) return -1;
  }
  return 0;
}

/* Each file that is started by a name: along the path of the session, and in the usual folders. */
static int seeFiles(const Wish *wish, const char *name, See see, void *about) {
  const char *places[2] = {getenv("PATH"), usual};
  char path[PATH_MAX], real[PATH_MAX];
  struct stat stats;
  for (int i = 0; i < 2; i++)
    for (const char *next = places[i]; next != NULL && *next != '\0';) {
      int length = (int)strcspn(next, ":");
      int size = snprintf(path, sizeof path, "%.*s/%s", length, next, name);
      if (*path == '/' && size < (int)sizeof path && findFile(wish, path, real) == 0
          && lstat(real, &stats) == 0 && S_ISREG(stats.st_mode)
          && see(wish, real, &stats, about) != 0)
        return -1;
      next += length + (next[length] == ':');
    }
  return 0;
}

static int isOther(const Wish *wish, const char *path, const struct stat *stats, void *about) {
  const struct stat *wanted = about;
  (void)wish, (void)path;
  return stats->st_dev == wanted->st_dev && stats->st_ino == wanted->st_ino ? -1 : 0;
}

/* Whether hooks or the session itself are run by this file, by whatever name. */
static int isNeeded(const Wish *wish, struct stat *stats) {
  for (int i = 0; i < neededCount; i++)
    if (seeFiles(wish, needed[i], isOther, stats) != 0) return 1;
  for (int i = 0; i < wish->needed.count; i++) {
    struct stat other;
    const char *one = wish->needed.paths[i];
    if (*one != '/' ? seeFiles(wish, one, isOther, stats) != 0
                    : stat(one, &other) == 0 && isOther(wish, one, &other, stats) != 0) return 1;
  }
  return 0;
}

typedef struct {
  const char *name, **why;
} Denial;

int isDeniedCover(const struct stat *stats) {
  struct stat cover;
  return stat(deniedCover, &cover) == 0 && cover.st_dev == stats->st_dev
    && cover.st_ino == stats->st_ino;
}

static int lay(const Wish *wish, const char *path, const struct stat *stats, void *about) {
  static char why[2 * PATH_MAX];
  const Denial *denial = about;
  struct stat found = *stats;
  int at = 0;
  while (at < coversCount && strcmp(covers[at].path, path) != 0) at++;
  /* Of a file that another one has replaced, the kernel takes off what lay over it. */
  if (at < coversCount && isDeniedCover(stats)) return covers[at].isWanted = 1, 0;
  /* What lies over a file there would keep the agent from removing it. */
  if (isInside(wish->workspace, path)) return 0;
  if (isNeeded(wish, &found)) {
    static const char form[] = "`%s` is `%.3000s` here, which hooks need: it cannot be denied";
    snprintf(why, sizeof why, form, denial->name, path);
    return *denial->why = why, -1;
  }
  if (at >= coversMax) return errno = E2BIG, -1;
  char *kept = at < coversCount ? covers[at].path : strdup(path);
  if (kept == NULL) return -1;
  int isNew = at == coversCount;
  if (coverBy(path, deniedCover) != 0) return isNew ? free(kept), -1 : -1;
  covers[at].path = kept;
  covers[at].isNew |= isNew;
  covers[at].isWanted = 1;
  return coversCount += isNew, 0;
}

/* What cannot be taken off stays denied, and is tried again with the next change. */
static void takeOff(int at) {
  struct stat stats;
  int isThere = lstat(covers[at].path, &stats) == 0 && isDeniedCover(&stats);
  if (isThere && umount2(covers[at].path, MNT_DETACH | UMOUNT_NOFOLLOW) != 0) return;
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
    Denial denial = {name, why};
    if (*name == '\0' || strchr(name, '/') != NULL || strlen(name) >= nameBytesMax)
      return errno = EINVAL, -1;
    if (seeFiles(wish, name, lay, &denial) != 0) return -1;
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
