/*
 * The first of a job, while there is none: joins the groups, and waits. A group of the first version
 * is joined in ten milliseconds or more, for the kernel waits until nobody looks; so that no job
 * waits for it, this is done before. Told of a job, it becomes the next of the chain.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

extern char **environ;

static void fail(void) {
  report("E %lld box\n", errno, 0);
  _exit(126);
}

void joinGroups(const Wish *wish) {
  for (int i = 0; i < wish->cgroups.count; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cgroup.procs", wish->cgroups.paths[i]);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    /* WHY not go on: the limits that were promised would not hold. */
    if (fd < 0 || write(fd, "0", 1) != 1) fail();
    close(fd);
  }
}

/* What comes in: a file that nobody else can open any more, or nothing. */
static void openInput(const char *path) {
  int fd = open(path == NULL ? "/dev/null" : path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || dup2(fd, STDIN_FILENO) < 0) fail();
  close(fd);
  if (path != NULL) unlink(path);
}

/* What bubblewrap is told, where no other process can read it. */
static void openBoxWords(const Paths *words) {
#ifdef __linux__
  if (words->count == 0) return;
  int fd = memfd_create("box", 0);
  if (fd < 0) fail();
  for (int i = 0; i < words->count; i++) {
    size_t length = strlen(words->paths[i]) + 1;
    if (write(fd, words->paths[i], length) != (ssize_t)length) fail();
  }
  if (lseek(fd, 0, SEEK_SET) != 0 || (fd != boxFd && dup2(fd, boxFd) < 0)) fail();
  if (fd != boxFd) close(fd);
#else
  (void)words;
#endif
}

/* Where nothing stands between, we are the next of the chain already. */
static void becomeInner(char **words) {
  static Wish next;
  int count = 0;
  while (words[count] != NULL) count++;
  if (readWish(count, words, &next) != 0 || next.program == NULL) _exit(2);
  _exit(inner(&next));
}

/* Puts every end where the chain expects it; all of them are above those places before. */
void becomeChain(const Wish *groups, const int from[endsCount]) {
  static Wish wish;
  static Words words;
  const int to[endsCount] = {STDOUT_FILENO, STDERR_FILENO, statusFd, orderFd, selfFd, relayFd};
  for (int i = 0; i < endsCount; i++) dup2(from[i], to[i]);
  /* WHY all: with an end of the supervisor's in our hands we would never hear that it has gone. */
  for (int fd = relayFd + 1; fd < openMax; fd++) close(fd);
  openInput(NULL);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  joinGroups(groups);
  if (takeWords(orderFd, &words) != 0 || readWish(words.count, words.words, &wish) != 0
      || wish.program == NULL) _exit(2);
  if (wish.input != NULL) openInput(wish.input);
  if (!wish.relay) close(relayFd);
  environ = (char **)wish.variables.paths;
  if (strcmp(wish.program[0], "inner") == 0) becomeInner(wish.program + 1);
  openBoxWords(&wish.boxWords);
  execvp(wish.program[0], wish.program);
  fail();
}
