/* Runs git in the current folder, with a limit on its time and on what it says. */
#include "pawl-job-look.h"

static int openPipe(int ends[2]) {
  if (pipe(ends) != 0) return -1;
  closeOnExec(ends[0]);
  closeOnExec(ends[1]);
  return 0;
}

static void becomeGit(const char *const *args, int input, const int out[2], const int err[2]) {
  if (input < 0) input = open("/dev/null", O_RDONLY);
  if (input < 0 || dup2(input, 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0) _exit(126);
  execvp(args[0], (char *const *)args);
  _exit(errno == ENOENT ? 127 : 126);
}

/* `input`: a descriptor; -1: nothing. Whoever starts one ends or stops it. */
int startGit(const char *const *args, int input, GitChild *child) {
  int out[2], err[2];
  if (openPipe(out) != 0) return -1;
  if (openPipe(err) != 0) return close(out[0]), close(out[1]), -1;
  pid_t pid = fork();
  if (pid == 0) becomeGit(args, input, out, err);
  close(out[1]);
  close(err[1]);
  *child = (GitChild){out[0], err[0], pid};
  return pid < 0 ? close(out[0]), close(err[0]), -1 : 0;
}

/* The bytes that were read; 0: no more; -1: no room, or an error. */
static ssize_t readOutput(int fd, Output *output, size_t *room) {
  if (*room - output->length < 65536) {
    size_t more = *room == 0 ? 1 << 20 : *room * 2;
    if (more > 2 * (size_t)outputBytesMax) return -1;
    char *bytes = realloc(output->bytes, more);
    if (bytes == NULL) return -1;
    output->bytes = bytes;
    *room = more;
  }
  ssize_t got = read(fd, output->bytes + output->length, *room - output->length);
  if (got > 0) output->length += (size_t)got;
  return output->length > outputBytesMax ? -1 : got;
}

static ssize_t readSaid(int fd, Output *output) {
  char more[1024];
  size_t used = strlen(output->said), room = sizeof output->said - used - 1;
  ssize_t got = read(fd, more, sizeof more);
  if (got > 0) memcpy(output->said + used, more, (size_t)got < room ? (size_t)got : room);
  return got;
}

static int readGit(const GitChild *child, Output *output) {
  struct pollfd ends[2] = {{child->out, POLLIN, 0}, {child->err, POLLIN, 0}};
  long long until = nowMs() + gitMsMax;
  size_t room = 0;
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    long long left = until - nowMs();
    int ready = left <= 0 ? 0 : poll(ends, 2, (int)left);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return -1;
    for (int i = 0; i < 2; i++) {
      if (ends[i].revents == 0) continue;
      ssize_t got = i == 0 ? readOutput(child->out, output, &room) : readSaid(child->err, output);
      if (got < 0) return -1;
      if (got == 0) ends[i].fd = -1;
    }
  }
  return 0;
}

/* -1: it did not end by itself within the limits. */
int endGit(const GitChild *child, Output *output) {
  *output = (Output){0};
  int result = readGit(child, output), status = 0;
  if (result != 0) kill(child->pid, SIGKILL);
  close(child->out);
  close(child->err);
  while (waitpid(child->pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  output->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

void stopGit(const GitChild *child) {
  kill(child->pid, SIGKILL);
  close(child->out);
  close(child->err);
  while (waitpid(child->pid, NULL, 0) < 0)
    if (errno != EINTR) return;
}

/* `input`: a descriptor; -1: nothing. -1: it did not end by itself within the limits. */
int runGit(const char *const *args, int input, Output *output) {
  GitChild child;
  *output = (Output){0};
  return startGit(args, input, &child) != 0 ? -1 : endGit(&child, output);
}
