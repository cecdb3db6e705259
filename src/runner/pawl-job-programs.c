/*
 * Programs of a session: every one that starts is noted, and what the stage forbids does not start.
 * The filter of calls stops each `execve` until this process has looked at it. If this process ends,
 * the kernel lets nothing start any more.
 *
 * INVARIANT: what is forbidden is held by mounts over the files, not by the look at their names: a
 * program could change a name after the look. The look refuses files of that name elsewhere.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { ranMax = 4096, ranBytesMax = 192, shownMax = 40, namesMax = 64, nameBytesMax = 65 };
enum { coversMax = 256, pageBytes = 4096 };

/* The last programs that started, in a ring; `total` is the number of all of them. */
static struct {
  char path[ranBytesMax];
  int isDenied;
} ran[ranMax];
static long long total;

/* Names that the stage forbids, and the files that are covered for it. */
static char names[namesMax][nameBytesMax];
static int namesCount;
static char *covers[coversMax];
static int coversCount;

/*
 * What lies over the files. WHY a script of a program that is nowhere, and executable: the kernel
 * starts nothing, and whoever looks for a program first finds one, tries it, and is on record.
 */
static const char cover[] = "/run/pawl/denied";

/* `/proc` as it is outside of the box, where the numbers of notifications mean something. */
static int proc = -1, listener = -1;

int openProgramsLook(void) {
  int low = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (low < 0) return -1;
  proc = fcntl(low, F_DUPFD_CLOEXEC, 60);
  close(low);
  return proc < 0 ? -1 : 0;
}

static const char *nameOf(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static int isForbidden(const char *path) {
  for (int i = 0; i < namesCount; i++)
    if (strcmp(names[i], nameOf(path)) == 0) return 1;
  return 0;
}

/* ── what starts ── */

/* Page by page, because the next one may not be there. 0: the whole text has been read. */
static int readText(pid_t pid, uint64_t address, char *text) {
  size_t used = 0;
  while (used < PATH_MAX) {
    size_t part = pageBytes - (address + used) % pageBytes;
    if (part > PATH_MAX - used) part = PATH_MAX - used;
    struct iovec here = {text + used, part};
    struct iovec there = {(void *)(uintptr_t)(address + used), part};
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)part) return -1;
    if (memchr(text + used, '\0', part) != NULL) return 0;
    used += part;
  }
  return -1;
}

static int isByFolder(const struct seccomp_notif *asked) {
  return asked->data.nr == SYS_execveat;
}

/* The folder that a path is seen from; -1: from none. */
static int openBase(const struct seccomp_notif *asked, const char *text) {
  char path[64];
  int from = isByFolder(asked) ? (int)asked->data.args[0] : AT_FDCWD;
  if (*text == '/') return -1;
  if (from == AT_FDCWD) snprintf(path, sizeof path, "%u/cwd", asked->pid);
  else snprintf(path, sizeof path, "%u/fd/%d", asked->pid, from);
  return openat(proc, path, O_PATH | O_CLOEXEC);
}

/*
 * Whether a link on the way leads nowhere from here. To the process that asks it may lead somewhere:
 * `/proc/self` is another folder for everybody, and is none for us.
 */
static int hasLostLink(int base, const char *text) {
  char path[PATH_MAX + 1];
  struct stat stats;
  for (size_t i = 1; text[i - 1] != '\0'; i++) {
    if (text[i] != '/' && text[i] != '\0') continue;
    memcpy(path, text, i);
    path[i] = '\0';
    if (fstatat(base, path, &stats, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    if (S_ISLNK(stats.st_mode) && fstatat(base, path, &stats, 0) != 0) return 1;
  }
  return 0;
}

/* The file that a path means to the process that asks; -1: none, or none that can be told. */
static int openMeant(const struct seccomp_notif *asked, const char *text, int *isLost) {
  static const char own[] = "/proc/self/";
  char path[PATH_MAX + 32];
  if (strncmp(text, own, sizeof own - 1) == 0) {
    snprintf(path, sizeof path, "%u/%s", asked->pid, text + sizeof own - 1);
    return openat(proc, path, O_PATH | O_CLOEXEC);
  }
  int base = openBase(asked, text);
  if (*text == '\0' || (base < 0 && *text != '/')) return base;
  int file = openat(base, text, O_PATH | O_CLOEXEC);
  *isLost = file < 0 && hasLostLink(base, text);
  if (base >= 0) close(base);
  return file;
}

/* Whether it is the file that lies over forbidden programs. */
static int isCover(int file) {
  struct stat one, other;
  return coversCount > 0 && fstat(file, &one) == 0 && stat(cover, &other) == 0
    && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static void note(const char *path, int isDenied) {
  int at = (int)(total++ % ranMax);
  snprintf(ran[at].path, sizeof ran[at].path, "%.*s", ranBytesMax - 1, path);
  ran[at].isDenied = isDenied;
}

typedef struct {
  int isThere, isDenied;
  char shown[PATH_MAX];
} Look;

static Look lookAt(const struct seccomp_notif *asked) {
  Look look = {1, 0, ""};
  char text[PATH_MAX + 1] = "", link[64], real[PATH_MAX] = "";
  int isRead = readText((pid_t)asked->pid, asked->data.args[isByFolder(asked)], text) == 0;
  int isLost = 0, file = isRead ? openMeant(asked, text, &isLost) : -1;
  struct stat stats;
  if (!isRead || isLost) {
    /* WHY denied: it could be anything. */
    look.isDenied = namesCount > 0;
    snprintf(look.shown, sizeof look.shown, "%.*s", PATH_MAX - 1, isRead ? text : "?");
    return look;
  }
  if (file < 0 || fstat(file, &stats) != 0 || !S_ISREG(stats.st_mode)) {
    look.isThere = 0;
    if (file >= 0) close(file);
    return look;
  }
  snprintf(link, sizeof link, "self/fd/%d", file);
  ssize_t length = readlinkat(proc, link, real, sizeof real - 1);
  real[length > 0 ? length : 0] = '\0';
  look.isDenied = isForbidden(text) || isForbidden(real) || isCover(file);
  close(file);
  int isOwn = *text == '\0' || strncmp(text, "/proc/", 6) == 0;
  snprintf(look.shown, sizeof look.shown, "%.*s", PATH_MAX - 1, isOwn ? real : text);
  return look;
}

/* One program that wants to start; it waits until it is answered. */
static void answerProgram(void) {
  struct seccomp_notif asked;
  memset(&asked, 0, sizeof asked);
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return;
  Look look = lookAt(&asked);
  /* WHY: its number may have gone to another process while we looked. */
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked.id) != 0) return;
  int isRefused = look.isThere && look.isDenied;
  struct seccomp_notif_resp answer = {asked.id, 0, isRefused ? -EACCES : 0,
                                      isRefused ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0) return;
  /* The client of hooks and the like is Pawl's own. */
  if (look.isThere && !isInside("/run/pawl", look.shown)) note(look.shown, look.isDenied);
}

/* First comes the listener itself, over the socket; -1: nothing comes any more. */
int hearProgram(int *fd) {
  if (listener >= 0) return answerProgram(), 0;
  int low = -1;
  int done = receiveFile(*fd, &low);
  close(*fd);
  *fd = listener = done == 0 ? fcntl(low, F_DUPFD_CLOEXEC, 60) : -1;
  if (low >= 0) close(low);
  return listener < 0 ? -1 : 0;
}

/* Those that started after the first `since`: how often, whether they were denied, and the path. */
void tellPrograms(long long since, FILE *out) {
  struct { int at, count; } shown[shownMax];
  int shownCount = 0;
  long long first = since < total - ranMax ? total - ranMax : since;
  fprintf(out, "ran %lld\n", total);
  for (long long i = first < 0 ? 0 : first; i < total; i++) {
    int at = (int)(i % ranMax), same = 0;
    while (same < shownCount && (ran[shown[same].at].isDenied != ran[at].isDenied
                                 || strcmp(ran[shown[same].at].path, ran[at].path) != 0)) same++;
    if (same == shownMax) continue;
    if (same == shownCount) shown[shownCount].at = at, shown[shownCount++].count = 0;
    shown[same].count++;
  }
  for (int i = 0; i < shownCount; i++) {
    fprintf(out, "%d\t%d\t", shown[i].count, ran[shown[i].at].isDenied);
    printName(out, ran[shown[i].at].path, ranBytesMax);
    fputc('\n', out);
  }
}

/* ── what is forbidden ── */

static int addFile(const Wish *wish, const char *folder, const char *name, Paths *files) {
  char path[PATH_MAX], real[PATH_MAX];
  struct stat stats;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
  if (realpath(path, real) == NULL || stat(real, &stats) != 0 || !S_ISREG(stats.st_mode)) return 0;
  /* One file that is many programs (busybox) is refused by its name alone: the others may start. */
  if (strncmp(nameOf(real), name, strlen(name)) != 0) return 0;
  /* What lies over a file there would keep the agent from removing it. */
  if (isInside(wish->workspace, real)) return 0;
  for (int i = 0; i < files->count; i++)
    if (strcmp(files->paths[i], real) == 0) return 0;
  if (files->count >= coversMax) return errno = E2BIG, -1;
  files->paths[files->count] = strdup(real);
  return files->paths[files->count++] == NULL ? -1 : 0;
}

/* The files that are started by a name: along the path of the session, and where systems have them. */
static int findFiles(const Wish *wish, const char *name, Paths *files) {
  static const char usual[] =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const char *places[2] = {getenv("PATH"), usual};
  char folder[PATH_MAX];
  for (int i = 0; i < 2; i++)
    for (const char *next = places[i]; next != NULL && *next != '\0';) {
      int length = (int)strcspn(next, ":");
      snprintf(folder, sizeof folder, "%.*s", length, next);
      if (*folder == '/' && addFile(wish, folder, name, files) != 0) return -1;
      next += length + (next[length] == ':');
    }
  return 0;
}

static int indexOf(char *const *paths, int count, const char *path) {
  for (int i = 0; i < count; i++)
    if (strcmp(paths[i], path) == 0) return i;
  return -1;
}

/* First what is new, then what is over: nothing that stays forbidden is open in between. */
static int layCovers(const Paths *files) {
  for (int i = 0; i < files->count; i++) {
    if (indexOf(covers, coversCount, files->paths[i]) >= 0) continue;
    if (coversCount >= coversMax) return errno = E2BIG, -1;
    if (coverBy(files->paths[i], cover) != 0) return -1;
    covers[coversCount++] = strdup(files->paths[i]);
  }
  for (int i = coversCount - 1; i >= 0; i--) {
    if (indexOf((char *const *)files->paths, files->count, covers[i]) >= 0) continue;
    if (umount2(covers[i], MNT_DETACH | UMOUNT_NOFOLLOW) != 0) return -1;
    free(covers[i]);
    covers[i] = covers[--coversCount];
  }
  return 0;
}

/* 0: none of these programs can be started; -1: that is not sure. */
int forbidPrograms(const Wish *wish, const Paths *wanted) {
  static Paths files;
  int done = 0;
  if (wanted->count > namesMax) return errno = E2BIG, -1;
  for (int i = 0; i < wanted->count; i++)
    if (*wanted->paths[i] == '\0' || strchr(wanted->paths[i], '/') != NULL
        || strlen(wanted->paths[i]) >= nameBytesMax) return errno = EINVAL, -1;
  files.count = 0;
  for (int i = 0; done == 0 && i < wanted->count; i++)
    done = findFiles(wish, wanted->paths[i], &files);
  if (done == 0) done = layCovers(&files);
  int wrong = errno;
  for (int i = 0; i < files.count; i++) free((void *)files.paths[i]);
  if (done != 0) return errno = wrong, -1;
  for (namesCount = 0; namesCount < wanted->count; namesCount++)
    strcpy(names[namesCount], wanted->paths[namesCount]);
  return 0;
}

#else

int openProgramsLook(void) { return errno = ENOSYS, -1; }
int hearProgram(int *fd) { return (void)fd, -1; }
void tellPrograms(long long since, FILE *out) { (void)since, (void)out; }
int forbidPrograms(const Wish *wish, const Paths *wanted) {
  return (void)wish, (void)wanted, errno = ENOSYS, -1;
}

#endif
