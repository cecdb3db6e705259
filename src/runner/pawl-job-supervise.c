/*
 * Lives as long as the job. Keeps its output in files, ends it when its time is over, when it is
 * told to, or when no daemon has been there for too long; and writes down how it ended.
 * Everything is in the folder of the job, so that any later daemon finds it.
 */
#include "pawl-job.h"
#include <sys/socket.h>

enum { killMsMax = 5000, drainReadsMax = 64, connectMs = 5000, lookMs = 100, chunkBytes = 1 << 18 };

typedef struct {
  const char *name;
  int fd, file;
  long long total, lost;
} Stream;

typedef struct {
  const Wish *wish;
  Stream streams[2];
  int status, order, control, ready, way;
  pid_t box, relay;
  char statusLine[256];
  size_t statusLength;
  int hasDaemon, isStarted, isOver;
  long long begun, timeOver, force, alone; /* moments; 0: never */
  int killedBy;                            /* the strongest signal that was asked for */
  const char *why, *step;
  char failedStep[16];
  int code, signal, error;
} Job;

static int wakeFds[2];

static void onChild(int number) {
  (void)number;
  int kept = errno;
  ssize_t ignored = write(wakeFds[1], "", 1);
  (void)ignored;
  errno = kept;
}

/* ── output ── */

static void segmentName(char *name, size_t size, const Stream *stream, long long start) {
  snprintf(name, size, "%s.%020lld", stream->name, start);
}

/* A stream is cut into files of one size, named after the byte they begin with. */
static int openSegment(Stream *stream, const Wish *wish) {
  char name[64];
  if (stream->file >= 0) close(stream->file);
  segmentName(name, sizeof name, stream, stream->total);
  stream->file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  long long old = stream->total - wish->outputMax - wish->segmentBytes;
  if (old >= 0) {
    segmentName(name, sizeof name, stream, old / wish->segmentBytes * wish->segmentBytes);
    unlink(name);
  }
  return stream->file;
}

static void keep(Stream *stream, const Wish *wish, const char *bytes, ssize_t count) {
  while (count > 0) {
    long long used = stream->total % wish->segmentBytes;
    if (stream->file < 0 || (used == 0 && stream->total > 0)) openSegment(stream, wish);
    long long room = wish->segmentBytes - used;
    ssize_t part = count < room ? count : (ssize_t)room;
    ssize_t done = stream->file < 0 ? -1 : write(stream->file, bytes, (size_t)part);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      /* WHY not wait: a full disk must not hold the job still for ever. What is lost is told. */
      stream->lost += count;
      return;
    }
    stream->total += done;
    bytes += done;
    count -= done;
  }
}

/* 1: there was something; 0: not now; -1: there will be nothing more. */
static int take(Stream *stream, const Wish *wish) {
  static char bytes[chunkBytes];
  if (stream->fd < 0) return -1;
  ssize_t got = read(stream->fd, bytes, sizeof bytes);
  if (got > 0) return keep(stream, wish, bytes, got), 1;
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  close(stream->fd);
  stream->fd = -1;
  return -1;
}

/*
 * What is still in the pipes. WHY counted and not timed: nobody writes any more, so a pipe holds no
 * more than its size; and on a busy machine we may not run for longer than any time we would set.
 */
static void drain(Job *job) {
  for (int i = 0; i < 2; i++)
    for (int reads = 0; reads < drainReadsMax; reads++)
      if (take(&job->streams[i], job->wish) != 1) break;
}

/* ── the end ── */

static long long readFigure(const Wish *wish, const char *name, const char *key) {
  char path[PATH_MAX], line[256];
  long long figure = -1;
  for (int i = 0; i < wish->cgroups.count && figure < 0; i++) {
    snprintf(path, sizeof path, "%s/%s", wish->cgroups.paths[i], name);
    FILE *file = fopen(path, "re");
    while (file != NULL && figure < 0 && fgets(line, sizeof line, file) != NULL) {
      if (*key == '\0') figure = atoll(line);
      else if (strncmp(line, key, strlen(key)) == 0) figure = atoll(line + strlen(key));
    }
    if (file != NULL) fclose(file);
  }
  return figure;
}

static long long readIo(const char *path, const char *key) {
  char line[256];
  long long figure = -1;
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, key, strlen(key)) == 0) figure = atoll(line + strlen(key));
  if (file != NULL) fclose(file);
  return figure;
}

/* What ended children have read and written: ours with theirs, less ours alone. */
static long long ioOfChildren(const char *key) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/io", (int)getpid());
  long long all = readIo("/proc/self/io", key), own = readIo(path, key);
  return all < 0 || own < 0 ? -1 : all - own;
}

static void printFigure(FILE *file, const char *name, long long figure) {
  if (figure < 0) fprintf(file, ",\"%s\":null", name);
  else fprintf(file, ",\"%s\":%lld", name, figure);
}

static const char *limitOf(const Job *job) {
  long long ooms = readFigure(job->wish, "memory.oom_control", "oom_kill ");
  if (ooms < 0) ooms = readFigure(job->wish, "memory.events", "oom_kill ");
  if (ooms > 0) return "memory";
  if (job->signal == SIGXCPU) return "cpu";
  if (job->signal == SIGXFSZ) return "file";
  return NULL;
}

static void writeEnd(const Job *job) {
  const Wish *wish = job->wish;
  struct rusage usage;
  struct timeval now;
  getrusage(RUSAGE_CHILDREN, &usage);
#ifdef __linux__
  /* Our own figures are root's while we are not dumpable; of the job nobody is left to look. */
  prctl(PR_SET_DUMPABLE, 1);
#endif
  gettimeofday(&now, NULL);
  long long cpuMs = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000LL
    + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
  long long figure = readFigure(wish, "cpuacct.usage", "");
  if (figure >= 0) cpuMs = figure / 1000000;
  else if ((figure = readFigure(wish, "cpu.stat", "usage_usec ")) >= 0) cpuMs = figure / 1000;
  long long peak = readFigure(wish, "memory.max_usage_in_bytes", "");
  if (peak < 0) peak = readFigure(wish, "memory.peak", "");
#ifdef __linux__
  long long largest = usage.ru_maxrss * 1024LL;
#else
  long long largest = usage.ru_maxrss;
#endif
  const char *limit = limitOf(job);
  FILE *file = fopen("end.part", "we");
  if (file == NULL) return;
  fprintf(file, "{\"why\":\"%s\",\"endedAt\":%lld", job->why,
          now.tv_sec * 1000LL + now.tv_usec / 1000);
  printFigure(file, "code", job->code);
  printFigure(file, "signal", job->signal > 0 ? job->signal : -1);
  printFigure(file, "killedBy", job->killedBy > 0 ? job->killedBy : -1);
  printFigure(file, "error", job->error > 0 ? job->error : -1);
  fprintf(file, ",\"step\":\"%s\"", job->step);
  fprintf(file, limit == NULL ? ",\"limit\":null" : ",\"limit\":\"%s\"", limit);
  printFigure(file, "durationMs", nowMs() - job->begun);
  printFigure(file, "cpuMs", cpuMs);
  printFigure(file, "memoryPeakBytes", peak);
  printFigure(file, "memoryLargestBytes", largest);
  printFigure(file, "ioReadBytes", ioOfChildren("read_bytes: "));
  printFigure(file, "ioWriteBytes", ioOfChildren("write_bytes: "));
  for (int i = 0; i < 2; i++) {
    char name[32];
    printFigure(file, job->streams[i].name, job->streams[i].total);
    snprintf(name, sizeof name, "%sLost", job->streams[i].name);
    printFigure(file, name, job->streams[i].lost);
  }
  fputs("}\n", file);
  fclose(file);
  rename("end.part", "end.json");
}

static void tellReady(Job *job, const char *line) {
  if (job->ready < 0) return;
  ssize_t ignored = write(job->ready, line, strlen(line));
  (void)ignored;
  close(job->ready);
  job->ready = -1;
}

static int end(Job *job) {
  if (job->relay > 0) kill(job->relay, SIGKILL);
  killTree(job->wish, job->box, killMsMax);
  drain(job);
  writeEnd(job);
  unlink("control");
  tellReady(job, job->error > 0 ? "failed\n" : "started\n");
  /* A group takes its time to go: a daemon removes it when the end has been told. */
  for (int i = 0; !job->hasDaemon && i < job->wish->cgroups.count; i++)
    rmdir(job->wish->cgroups.paths[i]);
  return 0;
}

/* ── what is heard ── */

static void over(Job *job, const char *why) {
  if (job->isOver) return;
  job->why = why;
  job->isOver = 1;
}

static void hearLine(Job *job, const char *line) {
  long long one = 0, two = 0;
  if (*line == 'S') {
    job->isStarted = 1;
    tellReady(job, "started\n");
  } else if (sscanf(line, "E %lld %15[a-z]", &one, job->failedStep) == 2) {
    job->error = (int)one;
    job->step = job->failedStep;
    over(job, "failed");
  } else if (sscanf(line, "X %lld %lld", &one, &two) == 2) {
    job->code = (int)one;
    job->signal = (int)two;
    /* Asked politely and nothing more, it went on and came to an end of its own. */
    if (job->force == 0 && job->signal == 0) job->killedBy = 0;
    over(job, job->timeOver < 0 ? "timeout" : job->killedBy > 0 ? "kill" : "exit");
  }
}

static void hearStatus(Job *job) {
  char *line = job->statusLine;
  ssize_t got = read(job->status, line + job->statusLength,
                     sizeof job->statusLine - 1 - job->statusLength);
  if (got <= 0) {
    if (got == 0) close(job->status), job->status = -1;
    return;
  }
  job->statusLength += (size_t)got;
  line[job->statusLength] = '\0';
  for (char *stop; (stop = strchr(line, '\n')) != NULL;) {
    *stop = '\0';
    hearLine(job, line);
    job->statusLength -= (size_t)(stop + 1 - line);
    memmove(line, stop + 1, job->statusLength + 1);
  }
}

static void order(Job *job, int number) {
  char byte = (char)number;
  ssize_t ignored = write(job->order, &byte, 1);
  (void)ignored;
}

/* Of two hard ends the earlier counts. */
static void forceBy(Job *job, long long moment) {
  if (job->force == 0 || moment < job->force) job->force = moment;
}

static void askToEnd(Job *job, int number, long long forceMs) {
  if (number == SIGKILL) {
    job->killedBy = SIGKILL;
    over(job, "kill");
    return;
  }
  order(job, number);
  if (number != SIGTERM) return;
  if (job->killedBy == 0) job->killedBy = SIGTERM;
  if (forceMs > 0) forceBy(job, nowMs() + forceMs);
}

/* Orders of a daemon: `hello`, `kill SIGNAL FORCE_MS`, one in a line. */
static void hearDaemon(Job *job) {
  char text[512];
  ssize_t got = read(job->control, text, sizeof text - 1);
  if (got < 0) {
    if (errno == EAGAIN) job->hasDaemon = 1, job->alone = 0;
    return;
  }
  if (got == 0) {
    if (job->hasDaemon) job->alone = nowMs() + job->wish->leaseMs;
    job->hasDaemon = 0;
    return;
  }
  job->hasDaemon = 1;
  job->alone = 0;
  text[got] = '\0';
  int number;
  long long forceMs;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
    if (sscanf(line, "kill %d %lld", &number, &forceMs) == 2) askToEnd(job, number, forceMs);
}

/* The box has ended without a word of the program: something outside has ended it. */
static void hearBox(Job *job) {
  char bytes[64];
  int status;
  ssize_t ignored = read(wakeFds[0], bytes, sizeof bytes);
  (void)ignored;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == job->relay) job->relay = -1;
    if (pid != job->box) continue;
    job->box = -1;
    if (job->status >= 0) hearStatus(job);
    if (job->isOver) continue;
    if (WIFSIGNALED(status)) job->signal = WTERMSIG(status);
    if (!job->isStarted) job->error = EPERM, job->step = "box", over(job, "failed");
    else over(job, job->killedBy > 0 ? "kill" : "exit");
  }
}

static void lookAtClock(Job *job) {
  long long now = nowMs();
  if (job->timeOver > 0 && now >= job->timeOver) {
    job->timeOver = -1;
    order(job, SIGTERM);
    forceBy(job, now + job->wish->graceMs);
  }
  if (job->force > 0 && now >= job->force) {
    if (job->timeOver >= 0) job->killedBy = SIGKILL;
    over(job, job->timeOver < 0 ? "timeout" : "kill");
  }
  if (job->alone > 0 && now >= job->alone) over(job, "alone");
}

static int waitMs(const Job *job) {
  long long next = nowMs() + 3600000;
  const long long moments[] = {job->timeOver, job->force, job->alone};
  for (int i = 0; i < 3; i++)
    if (moments[i] > 0 && moments[i] < next) next = moments[i];
  long long left = next - nowMs();
  /* A pipe without a writer is always ready, so it is looked at now and then. */
  if (!job->hasDaemon && left > lookMs) left = lookMs;
  return left < 0 ? 0 : (int)left;
}

static void work(Job *job) {
  while (!job->isOver) {
    struct pollfd fds[5] = {
      {job->streams[0].fd, POLLIN, 0}, {job->streams[1].fd, POLLIN, 0}, {job->status, POLLIN, 0},
      {job->hasDaemon ? job->control : -1, POLLIN, 0}, {wakeFds[0], POLLIN, 0},
    };
    if (poll(fds, 5, waitMs(job)) < 0 && errno != EINTR) return over(job, "failed");
    for (int i = 0; i < 2; i++)
      if (fds[i].revents != 0) take(&job->streams[i], job->wish);
    if (fds[2].revents != 0) hearStatus(job);
    if (fds[4].revents != 0) hearBox(job);
    if (!job->isOver) hearDaemon(job);
    lookAtClock(job);
  }
}

/* ── the beginning ── */

/* Above every place that the chain has, so that none is overwritten. */
static int raiseEnds(const int low[2], int ends[2]) {
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 20);
    close(low[i]);
    if (ends[i] < 0) return -1;
  }
  return 0;
}

static int openPipe(int ends[2]) {
  int low[2];
  return pipe(low) != 0 ? -1 : raiseEnds(low, ends);
}

static int openWay(int ends[2]) {
  int low[2];
  return socketpair(AF_UNIX, SOCK_STREAM, 0, low) != 0 ? -1 : raiseEnds(low, ends);
}

/* Beside the box: whoever is in there neither sees nor reaches it. */
static int startRelay(Job *job) {
  job->relay = job->wish->relay ? fork() : 0;
  if (job->wish->relay && job->relay == 0) relay(job->way);
  close(job->way);
  return job->relay < 0 ? -1 : 0;
}

/* Starts what will become the job, and waits for it in the groups that the job will be in. */
static int startChain(Job *job) {
  int ends[4][2], way[2];
  for (int i = 0; i < 4; i++)
    if (openPipe(ends[i]) != 0) return -1;
  if (openWay(way) != 0) return -1;
#ifdef __linux__
  int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int own = fcntl(self, F_DUPFD_CLOEXEC, 20);
  close(self);
  for (int i = 0; i < 2; i++) fcntl(ends[i][0], F_SETPIPE_SZ, chunkBytes);
#else
  int own = ends[2][1];
#endif
  const int from[endsCount] = {ends[0][1], ends[1][1], ends[2][1], ends[3][0], own, way[1]};
  job->box = fork();
  if (job->box == 0) becomeChain(job->wish, from);
  if (job->box < 0) return -1;
  for (int i = 0; i < 3; i++) close(ends[i][1]);
  close(ends[3][0]);
  close(way[1]);
  for (int i = 0; i < 2; i++) {
    job->streams[i].fd = ends[i][0];
    fcntl(ends[i][0], F_SETFL, O_NONBLOCK);
  }
  job->status = ends[2][0];
  fcntl(job->status, F_SETFL, O_NONBLOCK);
  job->order = ends[3][1];
  job->way = way[0];
  return 0;
}

static int openFolder(Job *job) {
  const Wish *wish = job->wish;
  if (wish->folder == NULL || chdir(wish->folder) != 0) return -1;
  if (mkfifo("control", 0600) != 0) return -1;
  job->control = open("control", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  return job->control < 0 ? -1 : 0;
}

static int prepare(Job *job) {
  const int ignored[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTTOU, SIGTTIN};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_DUMPABLE, 0);
#endif
  umask(077);
  job->ready = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 20);
  if (chdir("/") != 0 || job->ready < 0 || pipe(wakeFds) != 0) return -1;
  for (int i = 0; i < 2; i++) closeOnExec(wakeFds[i]), fcntl(wakeFds[i], F_SETFL, O_NONBLOCK);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = onChild;
  action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  return sigaction(SIGCHLD, &action, NULL);
}

/* The daemon has gone, or has no job for us: there is nothing to be written down. */
static int giveUp(Job *job) {
  /* It hears of this as well: no wait here may depend on a signal alone. */
  close(job->order);
  if (job->box > 0) kill(job->box, SIGKILL), waitpid(job->box, NULL, 0);
  for (int i = 0; i < job->wish->cgroups.count; i++) rmdir(job->wish->cgroups.paths[i]);
  return 1;
}

int supervise(void) {
  static Wish wish;
  static Words groups, words;
  Job job = {.wish = &wish, .status = -1, .order = -1, .way = -1, .code = -1, .why = "", .step = ""};
  const char *names[2] = {"stdout", "stderr"};
  for (int i = 0; i < 2; i++) job.streams[i] = (Stream){.name = names[i], .fd = -1, .file = -1};
  if (prepare(&job) != 0 || takeWords(STDIN_FILENO, &groups) != 0
      || readWish(groups.count, groups.words, &wish) != 0) return 1;
  int wrong = startChain(&job) != 0 ? errno : 0;
  /* To join a group can take longer than all the rest, so it is done before a job is there. */
  if (takeWords(STDIN_FILENO, &words) != 0 || readWish(words.count, words.words, &wish) != 0
      || wish.program == NULL || openFolder(&job) != 0) return giveUp(&job);
  job.begun = nowMs();
  job.alone = job.begun + (wish.leaseMs > connectMs ? wish.leaseMs : connectMs);
  if (wish.timeoutMs > 0) job.timeOver = job.begun + wish.timeoutMs;
  if (wrong == 0 && startRelay(&job) != 0) wrong = errno;
  if (wrong != 0) {
    job.error = wrong;
    job.step = "box";
    over(&job, "failed");
  } else passWords(job.order, &words);
  /* The end of the daemon's own pipe must not be held by the job's life. */
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3; i++) dup2(nowhere, i);
  work(&job);
  return end(&job);
}
