/*
 * A session of a host in a box, in the terminal of whoever started it. This process has the box's
 * space of mounts and power over it, and no process of the box can see it. It changes how files are
 * open when the daemon says so over the socket `control`, passes signals on, and ends as the
 * program did.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <sys/socket.h>
#include <sys/un.h>

enum { wordsFd = 3, clientsMax = 8, replyBytesMax = 32768, startsCount = 5 };
/* A quarter of a second in all: the first tries come quickly, because most writers are done soon. */
enum { calmTries = 10, triesMax = 240, soonNs = 200000, laterNs = 1000000 };

typedef struct {
  const Wish *wish;
  int status, order, door, clients[clientsMax];
  pid_t first, record;
  char mode[16];
  int code, isOver;
} Session;

static int wakeFds[2];

static void onSignal(int number) {
  char byte = (char)number;
  int kept = errno;
  ssize_t ignored = write(wakeFds[1], &byte, 1);
  (void)ignored;
  errno = kept;
}

/* `X CODE SIGNAL` as the exit code of a shell. */
static void hearEnd(const char *line, int *code) {
  int one = 0, two = 0;
  if (sscanf(line, "X %d %d", &one, &two) == 2) *code = two > 0 ? 128 + two : one;
}

/* ── the mode ── */

static int isMode(const char *text) {
  return strcmp(text, "read") == 0 || strcmp(text, "scratch") == 0 || strcmp(text, "write") == 0;
}

/* `mode MODE FOLDER… -- PROGRAM…`: where it can be written, and what cannot be started. */
static int partsOf(const Words *words, Paths *folders, Paths *denied) {
  folders->count = 0;
  denied->count = 0;
  Paths *paths = folders;
  for (int i = 2; i < words->count; i++) {
    if (strcmp(words->words[i], "--") == 0) paths = denied;
    else if (paths->count >= pathsMax) return -1;
    else paths->paths[paths->count++] = words->words[i];
  }
  return 0;
}

/* All processes of the box stand still, or go on; told by the first of them. */
static void freeze(Session *session, int isFrozen) {
  char byte = isFrozen ? freezeOrder : thawOrder, answer[64];
  if (write(session->order, &byte, 1) != 1) return;
  struct pollfd one = {session->status, POLLIN, 0};
  if (poll(&one, 1, 200) <= 0) return;
  ssize_t got = read(session->status, answer, sizeof answer - 1);
  answer[got > 0 ? got : 0] = '\0';
  /* It may have ended meanwhile, which must not be lost. */
  char *end = strstr(answer, "X ");
  if (end != NULL) hearEnd(end, &session->code), session->isOver = 1;
}

static void rest(int tries) {
  struct timespec moment = {0, tries < calmTries ? soonNs : laterNs};
  nanosleep(&moment, NULL);
}

/* As it was, where a change has come halfway. */
static void goBack(Session *session) {
  if (reopenFiles(session->wish, session->mode) != 0)
    snprintf(session->mode, sizeof session->mode, "read");
}

/* Who keeps a mode from changing, and how many milliseconds it took to find out. */
static void tellHolders(Session *session, FILE *out) {
  static char lines[replyBytesMax - 64];
  memset(lines, 0, sizeof lines);
  long long begun = nowMs();
  FILE *list = fmemopen(lines, sizeof lines - 1, "w");
  if (list != NULL) listHolders(session->wish, list), fclose(list);
  fprintf(out, "busy %lld\n%s", nowMs() - begun, lines);
}

static int change(Session *session, Words *words, FILE *out) {
  static Paths folders, denied;
  if (words->count < 2 || !isMode(words->words[1]) || partsOf(words, &folders, &denied) != 0)
    return fputs("fault not understood\n", out), -1;
  int done = -1, wrong = 0;
  const char *why = NULL;
  if (denyPrograms(session->wish, &denied, &why) != 0) {
    fprintf(out, "fault %s\n", why != NULL ? why : strerror(errno));
    return settlePrograms(0), -1;
  }
  for (int i = 0; i < triesMax && done != 0; i++) {
    /* Most who write do so for a moment; whoever forks and writes all the time is held still. */
    int isHeld = i >= calmTries && i % calmTries == 0;
    if (isHeld) freeze(session, 1);
    done = switchFiles(session->wish, words->words[1], &folders);
    wrong = errno;
    if (isHeld) freeze(session, 0);
    if (done != 0 && wrong != EBUSY) break;
    if (done != 0) rest(i);
  }
  settlePrograms(done == 0);
  if (done == 0) {
    snprintf(session->mode, sizeof session->mode, "%s", words->words[1]);
    fputs("ok\n", out);
    return 0;
  }
  goBack(session);
  if (wrong == EBUSY) tellHolders(session, out);
  else fprintf(out, "fault %s\n", strerror(wrong));
  return -1;
}

/* ── who asks ── */

static void closeClient(Session *session, int at) {
  close(session->clients[at]);
  session->clients[at] = -1;
}

static void hearClient(Session *session, int at) {
  static char reply[replyBytesMax];
  Words words = {0};
  if (takeWords(session->clients[at], &words) != 0) return closeClient(session, at);
  memset(reply, 0, sizeof reply);
  FILE *out = fmemopen(reply, sizeof reply - 2, "w");
  if (out == NULL) return closeClient(session, at);
  if (words.count > 0 && strcmp(words.words[0], "mode") == 0) change(session, &words, out);
  else if (words.count > 0 && strcmp(words.words[0], "tell") == 0)
    fprintf(out, "ok %s\n", session->mode);
  else if (words.count == 2 && strcmp(words.words[0], "programs") == 0)
    tellPrograms(atoll(words.words[1]), out);
  else fputs("fault not understood\n", out);
  fclose(out);
  strcat(reply, "\n");
  if (send(session->clients[at], reply, strlen(reply), MSG_NOSIGNAL) < 0) closeClient(session, at);
}

static void acceptClient(Session *session) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  int fd = accept4(session->door, NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0) return;
  struct timeval soon = {2, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
  /* Who is of the box has no number out here. */
  int isOurs = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid != 0;
  for (int i = 0; isOurs && i < clientsMax; i++)
    if (session->clients[i] < 0) return (void)(session->clients[i] = fd);
  close(fd);
}

/* ── the life of it ── */

static void hearSignals(Session *session) {
  char bytes[64];
  ssize_t got = read(wakeFds[0], bytes, sizeof bytes);
  for (ssize_t i = 0; i < got; i++) {
    int status;
    if (bytes[i] != SIGCHLD) {
      ssize_t ignored = write(session->order, &bytes[i], 1);
      (void)ignored;
      continue;
    }
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
      if (pid == session->first) session->first = -1;
      else if (pid == session->record) {
        /* Nothing can start any more, and what started last may not be known. */
        fputs("pawl: the record of programs has ended, and the session with it\n", stderr);
        session->isOver = 1;
      }
  }
}

static void hearStatus(Session *session) {
  char text[256];
  ssize_t got = read(session->status, text, sizeof text - 1);
  if (got <= 0) {
    session->isOver = 1;
    return;
  }
  text[got] = '\0';
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    if (*line == 'X') hearEnd(line, &session->code), session->isOver = 1;
    if (*line == 'E') {
      int error = atoi(line + 2);
      int isProgram = strstr(line, "exec") != NULL || strstr(line, "interpreter") != NULL;
      const char *what = isProgram ? session->wish->program[0] : "the box";
      dprintf(STDERR_FILENO, "pawl: %s could not be started: %s\n", what, strerror(error));
      session->code = isProgram ? 127 : 126, session->isOver = 1;
    }
  }
}

static void work(Session *session) {
  while (!session->isOver) {
    struct pollfd fds[3 + clientsMax] = {
      {session->status, POLLIN, 0}, {wakeFds[0], POLLIN, 0}, {session->door, POLLIN, 0},
    };
    for (int i = 0; i < clientsMax; i++)
      fds[3 + i] = (struct pollfd){session->clients[i], POLLIN, 0};
    if (poll(fds, 3 + clientsMax, -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) hearSignals(session);
    if (fds[0].revents != 0) hearStatus(session);
    if (fds[2].revents != 0) acceptClient(session);
    for (int i = 0; i < clientsMax; i++)
      if (fds[3 + i].revents != 0 && session->clients[i] >= 0) hearClient(session, i);
  }
}

static int openControl(const Wish *wish) {
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "control"};
  if (wish->folder == NULL || chdir(wish->folder) != 0) return -1;
  unlink("control");
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  mode_t kept = umask(077);
  if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof name) != 0 || listen(fd, 8) != 0)
    return -1;
  umask(kept);
  return fcntl(fd, F_DUPFD_CLOEXEC, 20);
}

static int prepare(void) {
  const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};
  /* The terminal sends these to the program as well, which has them from there. */
  const int ignored[] = {SIGINT, SIGQUIT, SIGPIPE, SIGTTOU};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (pipe2(wakeFds, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  for (int i = 0; i < 2; i++)
    if ((wakeFds[i] = fcntl(wakeFds[i], F_DUPFD_CLOEXEC, 20)) < 0) return -1;
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) sigaction(passed[i], &action, NULL);
  return 0;
}

/* Starts the first process of the box, with its ends where it expects them. */
static int startBox(Session *session) {
  int status[2], order[2], way[2], programs;
  if (pipe2(status, O_CLOEXEC) != 0 || pipe2(order, O_CLOEXEC) != 0) return -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, way) != 0) return -1;
  if (session->wish->relay) {
    pid_t beside = fork();
    if (beside < 0) return -1;
    if (beside == 0) {
      for (size_t i = 1; i < 32; i++) signal((int)i, SIG_DFL);
      for (int i = SIGINT; i <= SIGQUIT; i++) signal(i, SIG_IGN);
      relay(way[0]);
    }
  }
  joinGroups(session->wish);
  prctl(PR_SET_DUMPABLE, 0);
  if (enterSpaces(session->wish) != 0 || (session->record = recordStarts(&programs)) < 0
      || enterNumbers() != 0) return -1;
  const int from[startsCount] = {status[1], order[0], order[0], way[1], programs};
  const int to[startsCount] = {statusFd, orderFd, selfFd, relayFd, programsFd};
  int high[startsCount];
  for (int i = 0; i < startsCount; i++) high[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 40);
  session->first = fork();
  if (session->first < 0) return -1;
  if (session->first == 0) {
    for (int i = 0; i < startsCount; i++) dup2(high[i], to[i]);
    for (int fd = programsFd + 1; fd < openMax; fd++) close(fd);
    if (!session->wish->relay) close(relayFd);
    _exit(startFirst(session->wish));
  }
  for (int i = 0; i < startsCount; i++) close(high[i]);
  close(status[1]), close(order[0]), close(way[0]), close(way[1]), close(programs);
  session->status = fcntl(status[0], F_DUPFD_CLOEXEC, 20);
  session->order = fcntl(order[1], F_DUPFD_CLOEXEC, 20);
  close(status[0]), close(order[1]);
  return 0;
}

/* The box is made, and waits: its files are open as they should be before the program begins. */
static int openFiles(Session *session) {
  char text[64], byte = goOrder;
  struct pollfd one = {session->status, POLLIN, 0};
  if (poll(&one, 1, 20000) <= 0) return -1;
  ssize_t got = read(session->status, text, sizeof text - 1);
  text[got > 0 ? got : 0] = '\0';
  if (*text != 'B') return errno = ECANCELED, -1;
  const char *why = NULL;
  if (denyPrograms(session->wish, &session->wish->denied, &why) != 0) {
    if (why == NULL) return -1;
    return fprintf(stderr, "pawl: %s\n", why), errno = ECANCELED, -1;
  }
  if (switchFiles(session->wish, session->wish->mode, &session->wish->writes) != 0) return -1;
  return write(session->order, &byte, 1) == 1 ? 0 : -1;
}

extern char **environ;

int session(void) {
  static Wish wish;
  static Words words;
  static Session session = {.status = -1, .order = -1, .door = -1, .code = 126};
  session.wish = &wish;
  for (int i = 0; i < clientsMax; i++) session.clients[i] = -1;
  if (takeWords(wordsFd, &words) != 0 || readWish(words.count, words.words, &wish) != 0
      || wish.program == NULL || wish.mode == NULL || !isMode(wish.mode) || prepare() != 0)
    return fputs("pawl-job: not understood; it is started by pawl\n", stderr), 2;
  close(wordsFd);
  environ = (char **)wish.variables.paths;
  wish.session = 1, wish.ownBox = 1;
  session.door = openControl(&wish);
  if (session.door < 0 || startBox(&session) != 0 || openFiles(&session) != 0) {
    int wrong = errno;
    if (wrong != ECANCELED)
      fprintf(stderr, "pawl: the box could not be made: %s\n", strerror(wrong));
    return 126;
  }
  snprintf(session.mode, sizeof session.mode, "%s", wish.mode);
  work(&session);
  /* With its first process the kernel ends all of the box. WHY no other: they end after us. */
  if (session.first > 0) {
    kill(session.first, SIGKILL);
    while (waitpid(session.first, NULL, 0) < 0 && errno == EINTR) continue;
  }
  return session.code;
}

#else

int session(void) { return fputs("pawl-job: there are no boxes on this system\n", stderr), 2; }

#endif
