/*
 * Pawl's helper for jobs: one per job, small enough for hundreds of them.
 * It knows files, pipes and processes of the system, and nothing of runs or rules.
 *
 *   pawl-job supervise                        hears of its groups, and later of its job:
 *     folder=DIR KEY=VALUE… -- inner KEY=VALUE… -- PROGRAM ARGS…
 *     folder=DIR KEY=VALUE… -- BOX… /proc/self/fd/5 inner KEY=VALUE… -- PROGRAM…
 *   pawl-job inner KEY=VALUE… -- PROGRAM ARGS…
 *   pawl-job session                          hears of its session over descriptor 3; the terminal is
 *                                             that of its caller
 *   pawl-job look                             hears of workspaces, and says their fingerprints
 *   pawl-job peer                             says who is at the other end of descriptor 3
 *   pawl-job probe                            says what it is and what it can
 */
#include "pawl-job.h"

static int addPath(Paths *paths, const char *path) {
  /* The last place stays empty: a list of variables ends with it. */
  if (paths->count >= pathsMax - 1) return -1;
  paths->paths[paths->count++] = path;
  return 0;
}

int readNumber(const char *text, long long *number) {
  char *end = NULL;
  errno = 0;
  *number = strtoll(text, &end, 10);
  return errno != 0 || end == text || *end != '\0' || *number < 0 ? -1 : 0;
}

static int readPart(Wish *wish, const char *key, const char *value) {
  const struct { const char *key; long long *place; } numbers[] = {
    {"timeout", &wish->timeoutMs}, {"grace", &wish->graceMs}, {"lease", &wish->leaseMs},
    {"output", &wish->outputMax}, {"segment", &wish->segmentBytes}, {"cpu", &wish->cpuSeconds},
    {"data", &wish->dataBytes}, {"file", &wish->fileBytes}, {"processes", &wish->processes},
    {"tmp", &wish->tmpBytes}, {"home", &wish->homeBytes},
  };
  const struct { const char *key; int *place; } flags[] = {
    {"box", &wish->ownBox}, {"network", &wish->network}, {"relay", &wish->relay},
    {"landlock", &wish->landlock}, {"pidspace", &wish->hasPidSpace},
    {"filter", &wish->filter}, {"session", &wish->session},
  };
  const struct { const char *key; const char **place; } texts[] = {
    {"folder", &wish->folder}, {"cwd", &wish->cwd}, {"workspace", &wish->workspace},
    {"input", &wish->input}, {"door", &wish->door}, {"mode", &wish->mode},
  };
  const struct { const char *key; Paths *place; } lists[] = {
    {"cgroup", &wish->cgroups}, {"covered", &wish->covered}, {"kept", &wish->kept},
    {"state", &wish->state}, {"instead", &wish->instead},
    {"record", &wish->record},
    {"pinned", &wish->pinned}, {"readonly", &wish->readOnly},
    {"hidden", &wish->hidden}, {"reads", &wish->reads}, {"writes", &wish->writes},
    {"variable", &wish->variables}, {"boxword", &wish->boxWords}, {"denied", &wish->denied},
    {"needed", &wish->needed},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(key, numbers[i].key) == 0) return readNumber(value, numbers[i].place);
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(key, flags[i].key) == 0) return *flags[i].place = strcmp(value, "1") == 0, 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(key, texts[i].key) == 0) return *texts[i].place = value, 0;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (strcmp(key, lists[i].key) == 0) return addPath(lists[i].place, value);
  return -1;
}

/*
 * Adds to what is known of a job. What is not understood is refused: a limit that was misspelt
 * would be no limit.
 */
int readWish(int count, char **words, Wish *wish) {
  if (wish->segmentBytes == 0) wish->segmentBytes = 1 << 20;
  if (wish->outputMax == 0) wish->outputMax = 10 << 20;
  for (int i = 0; i < count; i++) {
    if (strcmp(words[i], "--") == 0) {
      wish->program = words + i + 1;
      return *wish->program == NULL ? -1 : 0;
    }
    char *equals = strchr(words[i], '=');
    if (equals == NULL) return -1;
    *equals = '\0';
    int bad = readPart(wish, words[i], equals + 1);
    *equals = '=';
    if (bad) return -1;
  }
  return 0;
}

long long nowMs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void closeOnExec(int fd) {
  int flags = fcntl(fd, F_GETFD);
  if (flags >= 0) fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
}

int main(int argc, char **argv) {
  static Wish wish;
  const char *mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "probe") == 0) {
    printf("pawl-job 1 landlock=%d\n", landlockVersion());
    return 0;
  }
  if (strcmp(mode, "supervise") == 0) return supervise();
  if (strcmp(mode, "session") == 0) return session();
  if (strcmp(mode, "look") == 0) return lookAtWorkspaces();
  if (strcmp(mode, "peer") == 0) return tellPeer();
  int isInner = strcmp(mode, "inner") == 0 && readWish(argc - 2, argv + 2, &wish) == 0;
  if (isInner && wish.program != NULL) return inner(&wish);
  fputs("pawl-job: not understood; it is started by pawl\n", stderr);
  return 2;
}
