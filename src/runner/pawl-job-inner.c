/*
 * Makes the box, holds the limits, starts the program, and tells how it ended. In a pid space of
 * its own this is process 1: when it ends, the kernel ends everything in there.
 */
#include "pawl-job.h"

static int wakeFds[2];

static void onChild(int signal) {
  (void)signal;
  int kept = errno;
  ssize_t ignored = write(wakeFds[1], "", 1);
  (void)ignored;
  errno = kept;
}

void report(const char *form, long long one, long long two) {
  char line[128];
  int length = snprintf(line, sizeof line, form, one, two);
  ssize_t ignored = write(statusFd, line, (size_t)length);
  (void)ignored;
}

static void limit(int what, long long soft, long long hard) {
  struct rlimit now;
  if (soft <= 0 || getrlimit(what, &now) != 0) return;
  struct rlimit next = {(rlim_t)soft, (rlim_t)hard};
  if (now.rlim_max != RLIM_INFINITY && next.rlim_max > now.rlim_max) next.rlim_max = now.rlim_max;
  if (next.rlim_cur > next.rlim_max) next.rlim_cur = next.rlim_max;
  setrlimit(what, &next);
}

static void holdLimits(const Wish *wish) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  /* Two seconds between the soft and the hard limit: the end then tells which limit it was. */
  limit(RLIMIT_CPU, wish->cpuSeconds, wish->cpuSeconds + 2);
  limit(RLIMIT_DATA, wish->dataBytes, wish->dataBytes);
  limit(RLIMIT_FSIZE, wish->fileBytes, wish->fileBytes);
  limit(RLIMIT_NPROC, wish->processes, wish->processes);
}

/* Why a program did not start: a number of the system, and what that means for a program. */
typedef struct {
  int error;
  const char *step;
} Failure;

/* Where `execvp` would have found it; 0: it is there. */
static int findProgram(const char *name, char *path, struct stat *stats) {
  const char *places = strchr(name, '/') != NULL ? "" : getenv("PATH");
  for (const char *next = places; next != NULL;) {
    int length = (int)strcspn(next, ":");
    snprintf(path, PATH_MAX, "%.*s%s%s", length, next, length > 0 ? "/" : "", name);
    if (stat(path, stats) == 0) return 0;
    next = next[length] == '\0' ? NULL : next + length + 1;
  }
  return -1;
}

/* Says on the job's own stderr which program a script is for. */
static void sayInterpreter(const char *path) {
  char line[256] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  ssize_t got = read(fd, line, sizeof line - 1);
  close(fd);
  if (got < 3 || memcmp(line, "#!", 2) != 0) return;
  char *name = line + 2 + strspn(line + 2, " \t");
  name[strcspn(name, " \t\r\n")] = '\0';
  dprintf(STDERR_FILENO, "%s\n", name);
}

/* The system says the same of a script without its interpreter as of no script at all. */
static Failure explain(const char *name, int error) {
  char path[PATH_MAX];
  struct stat stats;
  int isThere = findProgram(name, path, &stats) == 0;
  if (isThere && S_ISDIR(stats.st_mode)) return (Failure){error, "folder"};
  if (isThere && error == ENOENT) return sayInterpreter(path), (Failure){error, "interpreter"};
  return (Failure){error, "exec"};
}

/* Hands out what hears of every program that starts, before the first one does. */
static int filterSession(void) {
  int listener;
  if (filterCalls(&listener) != 0) return -1;
#ifdef __linux__
  /* WHY: the look at the first program reads this memory. Nobody else is in the box yet. */
  prctl(PR_SET_DUMPABLE, 1);
#endif
  int done = sendFile(programsFd, listener), wrong = errno;
  /* INVARIANT: with the record the last listener goes, and nothing waits for it for ever. */
  close(listener), close(programsFd);
  return errno = wrong, done;
}

static void becomeProgram(const Wish *wish, int tellFd) {
  closeOnExec(statusFd);
  closeOnExec(orderFd);
  closeOnExec(selfFd);
  int wrong = 0;
  /* WHY not for a session: its terminal is that of whoever started it. */
  if (!wish->session) setsid();
  for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const char *home = getenv("HOME");
  if (home != NULL) mkdir(home, 0700);
  if (!wish->session && wish->cwd != NULL && chdir(wish->cwd) != 0) wrong = errno;
  dropPowers();
  if (wrong == 0 && wish->landlock && restrictFiles(wish) != 0) wrong = errno;
  if (wrong == 0 && wish->filter && restrictScope() != 0) wrong = errno;
  holdLimits(wish);
  umask(022);
  if (wrong == 0 && wish->session) wrong = filterSession() != 0 ? errno : 0;
  else if (wrong == 0 && wish->filter && filterCalls(NULL) != 0) wrong = errno;
  /* Of a session only the filter is left that can fail, which is none of the program's. */
  Failure failure = {wrong, wish->session ? "box" : "exec"};
  if (wrong == 0) {
    execvp(wish->program[0], wish->program);
    failure = explain(wish->program[0], errno);
  }
  /* The same program reads it, so a pointer to its own text means the same there. */
  ssize_t ignored = write(tellFd, &failure, sizeof failure);
  (void)ignored;
  _exit(127);
}

/* Starts the program; -1 when it did not become one, which has been told then. */
static pid_t start(const Wish *wish) {
  int tell[2];
  Failure failure = {0, ""};
  if (pipe(tell) != 0) return report("E %lld exec\n", errno, 0), -1;
  closeOnExec(tell[0]);
  closeOnExec(tell[1]);
  pid_t leader = fork();
  if (leader == 0) becomeProgram(wish, tell[1]);
  if (leader < 0) return report("E %lld exec\n", errno, 0), -1;
  close(tell[1]);
  ssize_t got;
  do got = read(tell[0], &failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  close(tell[0]);
  if (got <= 0) return report("S\n", 0, 0), leader;
  waitpid(leader, NULL, 0);
  dprintf(statusFd, "E %d %s\n", failure.error, failure.step);
  return -1;
}

/* Passes orders on and reaps, until the program has ended. */
static int watch(pid_t leader, int isSession) {
  for (;;) {
    struct pollfd fds[2] = {{orderFd, POLLIN, 0}, {wakeFds[0], POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return 1;
    char bytes[64];
    if (fds[1].revents != 0) {
      ssize_t ignored = read(wakeFds[0], bytes, sizeof bytes);
      (void)ignored;
    }
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid != leader) continue;
      if (WIFEXITED(status)) report("X %lld 0\n", WEXITSTATUS(status), 0);
      else report("X -1 %lld\n", WTERMSIG(status), 0);
      return 0;
    }
    if (fds[0].revents == 0) continue;
    ssize_t got = read(orderFd, bytes, sizeof bytes);
    if (got == 0) {
      /* The supervisor is gone, and nobody else would end this. */
      kill(-leader, SIGKILL);
      kill(leader, SIGKILL);
      return 1;
    }
    /* The program has not been reaped, so its number is still its own. */
    for (ssize_t i = 0; i < got; i++)
      if (bytes[i] == freezeOrder || bytes[i] == thawOrder) {
        /* All but this one, which is the first of its space. */
        kill(-1, bytes[i] == freezeOrder ? SIGSTOP : SIGCONT);
        report("F\n", 0, 0);
      } else if (isSession || kill(-leader, bytes[i]) != 0) kill(leader, bytes[i]);
  }
}

static int startAndWatch(const Wish *wish) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = onChild;
  action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  if (pipe(wakeFds) != 0) return 1;
  for (int i = 0; i < 2; i++) {
    closeOnExec(wakeFds[i]);
    fcntl(wakeFds[i], F_SETFL, O_NONBLOCK);
  }
  sigaction(SIGCHLD, &action, NULL);
  if (wish->relay && openWayOut() != 0) return report("E %lld box\n", errno, 0), 126;
  pid_t leader = start(wish);
  return leader < 0 ? 127 : watch(leader, wish->session);
}

/* The box is there; how its files are open is set from outside before the program begins. */
static int waitToGo(void) {
  char byte = 0;
  report("B\n", 0, 0);
  ssize_t got;
  do got = read(orderFd, &byte, 1);
  while (got < 0 && errno == EINTR);
  return got == 1 && byte == goOrder ? 0 : -1;
}

int inner(const Wish *wish) {
  signal(SIGPIPE, SIG_IGN);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* As the same user, the job could else read our memory and hold us still. */
  prctl(PR_SET_DUMPABLE, 0);
#endif
  if (!wish->ownBox) return startAndWatch(wish);
  if (enterSpaces(wish) != 0 || enterNumbers() != 0) {
    report("E %lld spaces\n", errno, 0);
    return 126;
  }
  pid_t first = fork();
  if (first < 0) return report("E %lld spaces\n", errno, 0), 126;
  if (first > 0) {
    int status;
    while (waitpid(first, &status, 0) < 0 && errno == EINTR) continue;
    return 0;
  }
  return startFirst(wish);
}

/* The first process of the box: makes it, and starts the program in it. */
int startFirst(const Wish *wish) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const char *step = "";
  if (makeBox(wish, &step) != 0) {
    int wrong = errno;
    dprintf(STDERR_FILENO, "pawl: the box could not be made: %s: %s\n", step, strerror(wrong));
    report("E %lld box\n", wrong, 0);
    return 126;
  }
  /* WHY before: whoever stands in a layer would go with it. */
  if (wish->session && (chdir(wish->cwd) != 0 || waitToGo() != 0)) return 126;
  return startAndWatch(wish);
}
