/*
 * The record of a session: every program that starts is noted. The filter of calls stops each
 * `execve` until this process has noted it, and nothing else waits for this process, so that a
 * change of the files and the start of a program never wait for each other.
 *
 * INVARIANT: whatever starts was noted before. What was not there to be noted does not start; the
 * path may be another one, because a program can change it after the look.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { ranMax = 4096, ranBytesMax = 192, shownMax = 40, pageBytes = 4096 };

/* The last programs that started, in a ring; `total` is the number of all of them. */
typedef struct {
  char path[ranBytesMax];
  int isDenied;
} Ran;
static struct {
  long long total;
  Ran ran[ranMax];
} *shared;

/* `/proc` as it is outside of the box, where the numbers of notifications mean something. */
static int proc = -1, listener = -1;

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
 * Whether a link on the way leads nowhere from here. To whoever asks it may lead somewhere:
 * `/proc/self` is another folder for everybody, and is none for us. WHY part by part: the box
 * chooses how many there are, and every start waits for this.
 */
static int hasLostLink(int base, const char *text) {
  char part[NAME_MAX + 1];
  struct stat stats;
  int at = *text == '/' ? open("/", O_PATH | O_CLOEXEC) : fcntl(base, F_DUPFD_CLOEXEC, 0);
  for (text += strspn(text, "/"); at >= 0 && *text != '\0'; text += strspn(text, "/")) {
    size_t length = strcspn(text, "/");
    if (length > NAME_MAX) break;
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    int next = openat(at, part, O_PATH | O_CLOEXEC);
    int isLink = next < 0 && fstatat(at, part, &stats, AT_SYMLINK_NOFOLLOW) == 0
      && S_ISLNK(stats.st_mode);
    close(at);
    if (next < 0) return isLink;
    at = next, text += length;
  }
  if (at >= 0) close(at);
  return 0;
}

/* The file that a path means to the process that asks; -1: none, and `errno` says why. */
static int openMeant(const struct seccomp_notif *asked, const char *text) {
  static const char own[] = "/proc/self/";
  char path[PATH_MAX + 32];
  if (strncmp(text, own, sizeof own - 1) == 0) {
    snprintf(path, sizeof path, "%u/%s", asked->pid, text + sizeof own - 1);
    return openat(proc, path, O_PATH | O_CLOEXEC);
  }
  if (*text == '\0' && !isByFolder(asked)) return errno = ENOENT, -1;
  int base = openBase(asked, text);
  if (base < 0 && *text != '/') return errno = EBADF, -1;
  if (*text == '\0') return base;
  int file = openat(base, text, O_PATH | O_CLOEXEC), wrong = errno;
  if (file < 0 && wrong == ENOENT && hasLostLink(base, text)) wrong = EXDEV;
  if (base >= 0) close(base);
  return errno = wrong, file;
}

typedef struct {
  int error, isDenied; /* `error`: there is no such program */
  char shown[PATH_MAX];
} Look;

/* WHY not all: whatever else is wrong may be wrong here only, and the kernel shall say so. */
static int isNone(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
}

static Look lookAt(const struct seccomp_notif *asked) {
  Look look = {0, 0, "?"};
  char text[PATH_MAX + 1] = "", link[64], real[PATH_MAX] = "";
  struct stat stats;
  if (readText((pid_t)asked->pid, asked->data.args[isByFolder(asked)], text) != 0) return look;
  snprintf(look.shown, sizeof look.shown, "%.*s", PATH_MAX - 1, text);
  int file = openMeant(asked, text);
  if (file < 0) {
    if (isNone(errno)) look.error = errno;
    return look;
  }
  if (fstat(file, &stats) == 0) {
    int isProgram = S_ISREG(stats.st_mode) && (stats.st_mode & 0111) != 0;
    if (!isProgram) look.error = EACCES;
    look.isDenied = isDeniedCover(&stats);
  }
  snprintf(link, sizeof link, "self/fd/%d", file);
  ssize_t length = readlinkat(proc, link, real, sizeof real - 1);
  real[length > 0 ? length : 0] = '\0';
  close(file);
  int isOwn = *text == '\0' || strncmp(text, "/proc/", 6) == 0;
  if (isOwn && *real != '\0') strcpy(look.shown, real);
  return look;
}

static void note(const Look *look) {
  Ran *ran = &shared->ran[shared->total % ranMax];
  snprintf(ran->path, sizeof ran->path, "%.*s", ranBytesMax - 1, look->shown);
  ran->isDenied = look->isDenied;
  __atomic_store_n(&shared->total, shared->total + 1, __ATOMIC_RELEASE);
}

/* One program that wants to start; it waits until it is answered. */
static void answerStart(void) {
  /* Room for what a later kernel may say more. */
  static union { struct seccomp_notif asked; char room[1024]; } heard;
  memset(&heard, 0, sizeof heard);
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &heard.asked) != 0) return;
  Look look = lookAt(&heard.asked);
  /* WHY: its number may have gone to another process while we looked. */
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &heard.asked.id) != 0) return;
  if (look.error == 0) note(&look);
  struct seccomp_notif_resp answer = {heard.asked.id, 0, -look.error,
                                      look.error == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0};
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void keepRecord(int way) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* The terminal sends them to the program as well, for which they are meant. */
  for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
  for (int fd = 0; fd < openMax; fd++) if (fd != way && fd != proc) close(fd);
  if (receiveFile(way, &listener) == 0) {
    close(way);
#ifdef SECCOMP_IOCTL_NOTIF_SET_FLAGS
    /* Linux 6.6: whoever starts a program wakes this on the same processor. */
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
#endif
    struct pollfd one = {listener, POLLIN, 0};
    do {
      if (poll(&one, 1, -1) < 0 && errno != EINTR) _exit(1);
      if ((one.revents & POLLIN) != 0) answerStart();
    } while ((one.revents & (POLLIN | POLLHUP)) != POLLHUP);
  }
  /* Nobody is left who could start anything. WHY not over: that would be a fault of the record. */
  for (;;) pause();
}

/* Before the box has processes of its own; `*way` is where it hands out the listener. */
pid_t recordStarts(int *way) {
  int ends[2];
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return -1;
  pid_t pid = fork();
  if (pid == 0) keepRecord(ends[0]);
  close(ends[0]), close(proc);
  *way = ends[1];
  return pid;
}

/* Those that started after the first `since`: how often, whether they were denied, and the path. */
void tellPrograms(long long since, FILE *out) {
  static Ran seen[shownMax];
  int counts[shownMax], seenCount = 0;
  long long total = __atomic_load_n(&shared->total, __ATOMIC_ACQUIRE);
  long long first = since < total - ranMax ? total - ranMax : since;
  fprintf(out, "ran %lld\n", total);
  for (long long i = first < 0 ? 0 : first; i < total; i++) {
    Ran one = shared->ran[i % ranMax];
    one.path[ranBytesMax - 1] = '\0';
    int same = 0;
    while (same < seenCount && (seen[same].isDenied != one.isDenied
                                || strcmp(seen[same].path, one.path) != 0)) same++;
    if (same == shownMax) continue;
    if (same == seenCount) seen[seenCount] = one, counts[seenCount++] = 0;
    counts[same]++;
  }
  for (int i = 0; i < seenCount; i++) {
    fprintf(out, "%d\t%d\t", counts[i], seen[i].isDenied);
    printName(out, seen[i].path, ranBytesMax);
    fputc('\n', out);
  }
}

#else

pid_t recordStarts(int *way) { return (void)way, errno = ENOSYS, -1; }
void tellPrograms(long long since, FILE *out) { (void)since, (void)out; }

#endif
