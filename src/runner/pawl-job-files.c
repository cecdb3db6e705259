/*
 * How the files of a session are open: `read`, `scratch` (a layer that goes with the stage) or
 * `write`, also of some folders only. Changed from outside while the box runs: this process is in
 * the space of mounts of the box, with power over it, and in no space that the box can see.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <dirent.h>
#include <sys/mount.h>
#include <sys/syscall.h>

/* What is laid over the workspace by a mode, to be taken off by the next one. */
static int hasLayer;
static Paths folds;
static char foldNames[1 << 16];
/* The folders of the mode that holds, to go back to; and whether all was closed on the way. */
static Paths kept;
static char keptNames[sizeof foldNames];
static int isClosed;

int isInside(const char *base, const char *path) {
  size_t length = strlen(base);
  return strncmp(base, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* In the repository of a linked work tree, which is no part of the workspace. */
static int isRecorded(const Wish *wish, const char *path) {
  for (int i = 0; i < wish->record.count; i++)
    if (isInside(wish->record.paths[i], path)) return 1;
  return 0;
}

/* Whether a path is open as the mode says. */
int followsMode(const Wish *wish, const char *path) {
  return isInside(wish->workspace, path) || isRecorded(wish, path);
}

/* The mounts that follow the mode: the workspace, and folders that were bound onto themselves. */
static int setAll(const Wish *wish, int isWritable) {
  int done = setWritable(wish->workspace, isWritable);
  for (int i = 0; done == 0 && i < wish->record.count; i++)
    done = setWritable(wish->record.paths[i], isWritable);
  for (int i = 0; done == 0 && i < wish->pinned.count; i++)
    if (followsMode(wish, wish->pinned.paths[i])) done = setWritable(wish->pinned.paths[i], isWritable);
  return done;
}

/* Whether something was laid over a path: the layer over all, or a folder over its part. */
static int isCovered(const Wish *wish, const char *path) {
  if (hasLayer) return isInside(wish->workspace, path);
  for (int i = 0; i < folds.count; i++)
    if (isInside(folds.paths[i], path)) return 1;
  return 0;
}

/*
 * Guides and secrets once more, where something was laid over them; they go with it. What is covered
 * already is left alone: another cover on it would stay for good.
 */
static int coverAgain(const Wish *wish) {
  int done = 0, nothing = open("/dev/null", O_PATH | O_CLOEXEC);
  if (nothing < 0) return -1;
  for (int i = 0; done == 0 && i < wish->readOnly.count; i++) {
    if (!isCovered(wish, wish->readOnly.paths[i])) continue;
    done = pinPath(wish->readOnly.paths[i]);
    if (done == 0) done = closePath(wish->readOnly.paths[i]);
  }
  for (int i = 0; done == 0 && i < wish->instead.count; i++)
    if (isCovered(wish, wish->instead.paths[i])) done = coverPath(wish->instead.paths[i], i);
  for (int i = 0; done == 0 && i < wish->hidden.count; i++)
    if (isCovered(wish, wish->hidden.paths[i])) done = hidePath(wish->hidden.paths[i], nothing);
  close(nothing);
  return done;
}

/* A layer in memory takes what is written; it goes with the mode. */
static int layOver(const Wish *wish) {
  static const char place[] = "/run/layer";
  char options[64];
  snprintf(options, sizeof options, "mode=755,size=%lld", wish->tmpBytes);
  if (mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0) return -1;
  static const char layers[] =
    "lowerdir=.,upperdir=/run/layer/upper,workdir=/run/layer/work,userxattr";
  int isReady = mkdir("/run/layer/upper", 0755) == 0 && mkdir("/run/layer/work", 0755) == 0;
  /* From within: a path may hold what the options of a mount cannot. */
  int isLaid = isReady && chdir(wish->workspace) == 0
    && mount("overlay", wish->workspace, "overlay", MS_NOSUID | MS_NODEV, layers) == 0;
  int wrong = errno;
  if (chdir("/") != 0) return -1;
  /* What is laid over holds it; the box must not reach under it. */
  umount2(place, MNT_DETACH);
  if (!isLaid) return errno = wrong, -1;
  hasLayer = 1;
  return coverAgain(wish);
}

/* INVARIANT: nothing can be written when this has returned 0. */
static int closeAll(const Wish *wish) {
  for (int i = 0; i < folds.count; i++)
    if (setWritable(folds.paths[i], 0) != 0) return -1;
  if (hasLayer) {
    if (setWritable(wish->workspace, 0) != 0) return -1;
    /* Whoever stands in it can write nothing any more, and finds the next one by its name. */
    if (umount2(wish->workspace, MNT_DETACH) != 0) return -1;
    hasLayer = 0;
  }
  if (setAll(wish, 0) != 0) return -1;
  for (; folds.count > 0; folds.count--) umount2(folds.paths[folds.count - 1], MNT_DETACH);
  return 0;
}

/* What is recorded of the work is no part of it: `.git`, and not `.github`. */
static int openRecord(const Wish *wish) {
  for (int i = 0; i < wish->record.count; i++)
    if (setWritable(wish->record.paths[i], 1) != 0) return -1;
  for (int i = 0; i < wish->pinned.count; i++) {
    const char *path = wish->pinned.paths[i];
    int isOwn = isInside(wish->workspace, path)
      && isInside("/.git", path + strlen(wish->workspace));
    if ((isOwn || isRecorded(wish, path)) && setWritable(path, 1) != 0) return -1;
  }
  return 0;
}

/* WHY by no link: the box could have made it, to what another stage closes, or to a guide. */
static int openFolders(const Wish *wish, const Paths *folders) {
  char real[PATH_MAX];
  size_t used = 0;
  for (int i = 0; i < folders->count; i++) {
    const char *path = folders->paths[i];
    size_t length = strlen(path) + 1;
    if (!isInside(wish->workspace, path) || used + length > sizeof foldNames)
      return errno = EINVAL, -1;
    if (realpath(path, real) == NULL) return -1;
    if (strcmp(real, path) != 0) return errno = ELOOP, -1;
    memcpy(foldNames + used, path, length);
    if (pinPath(foldNames + used) != 0) return -1;
    folds.paths[folds.count++] = foldNames + used;
    used += length;
  }
  /* Last of all: what opens halfway could be held open. */
  if (coverAgain(wish) != 0) return -1;
  for (int i = 0; i < folds.count; i++)
    if (setWritable(folds.paths[i], 1) != 0) return -1;
  return openRecord(wish);
}

static int openAs(const Wish *wish, const char *mode, const Paths *folders) {
  if (strcmp(mode, "read") == 0) return 0;
  if (strcmp(mode, "scratch") == 0) return layOver(wish);
  if (strcmp(mode, "write") != 0) return errno = EINVAL, -1;
  return folders->count == 0 ? setAll(wish, 1) : openFolders(wish, folders);
}

/* WHY no fault: `openFolders` has had the same names in the same space. */
static void keepFolders(const char *mode, const Paths *folders) {
  size_t used = 0;
  kept.count = 0;
  for (int i = 0; strcmp(mode, "write") == 0 && i < folders->count; i++) {
    size_t length = strlen(folders->paths[i]) + 1;
    memcpy(keptNames + used, folders->paths[i], length);
    kept.paths[kept.count++] = keptNames + used;
    used += length;
  }
}

/* 0: the files are open in this way; -1 with EBUSY: somebody writes, and all is as it was or less. */
int switchFiles(const Wish *wish, const char *mode, const Paths *folders) {
  if (closeAll(wish) != 0) return -1;
  isClosed = 1;
  if (openAs(wish, mode, folders) != 0) return -1;
  isClosed = 0;
  keepFolders(mode, folders);
  return 0;
}

/* As it was before a change that came halfway; -1: that failed, and nothing can be written. */
int reopenFiles(const Wish *wish, const char *mode) {
  if (isClosed) {
    isClosed = 0;
    if (closeAll(wish) == 0 && openAs(wish, mode, &kept) == 0) return 0;
    closeAll(wish);
    kept.count = 0;
    return -1;
  }
  for (int i = 0; i < folds.count; i++) setWritable(folds.paths[i], 1);
  if (folds.count > 0) openRecord(wish);
  if (hasLayer) setWritable(wish->workspace, 1);
  if (strcmp(mode, "write") == 0 && kept.count == 0) setAll(wish, 1);
  return 0;
}

/* ── who writes ── */

static void readName(const char *pid, char *name, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%.16s/comm", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? 0 : read(fd, name, size - 1);
  if (fd >= 0) close(fd);
  name[got > 0 ? got : 0] = '\0';
  name[strcspn(name, "\n")] = '\0';
}

/* INVARIANT: all lines together are far shorter than a reply (`replyBytesMax`). */
enum { holdersMax = 40, nameBytesMax = 64, pathBytesMax = 400 };

/* Names are chosen by the box: one must not look like the end of a line, or of the reply. */
void printName(FILE *out, const char *name, int bytesMax) {
  int used = 0;
  for (; *name != '\0' && used + 4 <= bytesMax - 3; name++) {
    unsigned char byte = (unsigned char)*name;
    int isPlain = byte >= ' ' && byte != 0x7f && byte != '\\';
    used += fprintf(out, isPlain ? "%c" : "\\x%02x", byte);
  }
  if (*name != '\0') fputs("...", out);
}

static void printHolder(FILE *out, const char *pid, const char *path) {
  char name[64];
  readName(pid, name, sizeof name);
  fprintf(out, "%.16s\t", pid);
  printName(out, name, nameBytesMax);
  fputc('\t', out);
  printName(out, path, pathBytesMax);
  fputc('\n', out);
}

static int isOpenForWriting(const char *pid, const char *number) {
  char path[128], line[128];
  int flags = 0;
  snprintf(path, sizeof path, "/proc/%.16s/fdinfo/%.16s", pid, number);
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "flags: %o", (unsigned *)&flags) == 1) break;
  if (file != NULL) fclose(file);
  return (flags & O_ACCMODE) != O_RDONLY;
}

static int listFiles(const Wish *wish, const char *pid, FILE *out, int linesMax) {
  char path[64];
  int count = 0;
  snprintf(path, sizeof path, "/proc/%.16s/fd", pid);
  DIR *folder = opendir(path);
  if (folder == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL && count < linesMax;) {
    char target[PATH_MAX];
    ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
    if (length <= 0) continue;
    target[length] = '\0';
    if (!followsMode(wish, target) || !isOpenForWriting(pid, entry->d_name)) continue;
    printHolder(out, pid, target), count++;
  }
  closedir(folder);
  return count;
}

/* A file that is closed and still mapped can be written to. */
static int listMaps(const Wish *wish, const char *pid, FILE *out, int linesMax) {
  char path[64], line[PATH_MAX + 128];
  int count = 0;
  snprintf(path, sizeof path, "/proc/%.16s/maps", pid);
  FILE *file = fopen(path, "re");
  while (file != NULL && count < linesMax && fgets(line, sizeof line, file) != NULL) {
    char *target = strchr(line, '/'), form[8] = "";
    if (target == NULL || sscanf(line, "%*s %7s", form) != 1) continue;
    target[strcspn(target, "\n")] = '\0';
    if (form[1] == 'w' && form[3] == 's' && followsMode(wish, target))
      printHolder(out, pid, target), count++;
  }
  if (file != NULL) fclose(file);
  return count;
}

/* Says who has a file of the workspace open for writing: number, name and file. */
int listHolders(const Wish *wish, FILE *out) {
  int count = 0;
  DIR *folder = opendir("/proc");
  if (folder == NULL) return -1;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL && count < holdersMax;) {
    if (atoi(entry->d_name) <= 1) continue;
    count += listFiles(wish, entry->d_name, out, holdersMax - count);
    count += listMaps(wish, entry->d_name, out, holdersMax - count);
  }
  closedir(folder);
  return count;
}

#else

int reopenFiles(const Wish *wish, const char *mode) { return (void)wish, (void)mode, 0; }
int switchFiles(const Wish *wish, const char *mode, const Paths *folders) {
  return (void)wish, (void)mode, (void)folders, errno = ENOSYS, -1;
}
int listHolders(const Wish *wish, FILE *out) { return (void)wish, (void)out, 0; }

#endif
