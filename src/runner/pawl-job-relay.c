/*
 * The way out of a job that may connect to some places: a port of its own network space, which has
 * nothing else, from where every byte is carried to the socket in the folder of the job. Who
 * listens there decides. This knows no names and no rules, and works outside of the box.
 */
#include "pawl-job.h"

#ifdef __linux__
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { pairsMax = 64, flowBytesMax = 16384, idleMsMax = 600000, lookMs = 10000 };
enum { restMs = 200, waitingMax = 1024 };

typedef struct {
  size_t start, count;
  int isEnded;
  char bytes[flowBytesMax];
} Flow;

/* `ends[0]` is the job's, `ends[1]` the daemon's; `flows[i]` comes from `ends[i]`. */
typedef struct {
  int isOpen, ends[2];
  Flow flows[2];
  long long movedMs;
} Pair;

static Pair pairs[pairsMax];

/* One open file over a socket: `*fd` goes out, or is what came in. */
static int passFile(int way, int *fd, ssize_t (*pass)(int, struct msghdr *)) {
  union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control;
  char byte = 0;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  memset(&control, 0, sizeof control);
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  *head = (struct cmsghdr){CMSG_LEN(sizeof *fd), SOL_SOCKET, SCM_RIGHTS};
  memcpy(CMSG_DATA(head), fd, sizeof *fd);
  if (pass(way, &message) != 1) return -1;
  head = CMSG_FIRSTHDR(&message);
  if (head == NULL || head->cmsg_len != CMSG_LEN(sizeof *fd)) return errno = EPROTO, -1;
  memcpy(fd, CMSG_DATA(head), sizeof *fd);
  return 0;
}

static ssize_t give(int way, struct msghdr *message) { return sendmsg(way, message, MSG_NOSIGNAL); }
static ssize_t get(int way, struct msghdr *message) { return recvmsg(way, message, 0); }

int sendFile(int way, int fd) { return passFile(way, &fd, give); }
int receiveFile(int way, int *fd) { return passFile(way, fd, get); }

/* Inside of the box: opens the port, hands it out, and tells the program to come from there. */
int openWayOut(void) {
  const char *names[] = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy",
                         "all_proxy"};
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  char url[64];
  int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (door < 0 || bind(door, (struct sockaddr *)&here, size) != 0 || listen(door, waitingMax) != 0
      || getsockname(door, (struct sockaddr *)&here, &size) != 0
      || sendFile(relayFd, door) != 0) return -1;
  close(door);
  close(relayFd);
  snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(here.sin_port));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (setenv(names[i], url, 1) != 0) return -1;
  const char *past = getenv("NO_PROXY") != NULL ? getenv("NO_PROXY") : getenv("no_proxy");
  if (past == NULL) past = "";
  if (setenv("NO_PROXY", past, 0) != 0 || setenv("no_proxy", past, 0) != 0) return -1;
  /* Node looks at the others only where it is told to. */
  return setenv("NODE_USE_ENV_PROXY", "1", 0);
}

static void closePair(Pair *pair) {
  for (int i = 0; i < 2; i++) close(pair->ends[i]);
  pair->isOpen = 0;
}

static void acceptOne(int door, Pair *pair) {
  static const char alone[] = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n"
    "pawl: no daemon is there to connect for this job; try again soon\n";
  struct sockaddr_un daemon = {.sun_family = AF_UNIX, .sun_path = "network"};
  int job = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (job < 0) return;
  int out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (out >= 0 && connect(out, (struct sockaddr *)&daemon, sizeof daemon) == 0) {
    for (int i = 0; i < 2; i++) pair->flows[i].count = 0, pair->flows[i].isEnded = 0;
    pair->ends[0] = job, pair->ends[1] = out, pair->isOpen = 1, pair->movedMs = nowMs();
    return;
  }
  if (out >= 0) close(out);
  send(job, alone, sizeof alone - 1, MSG_NOSIGNAL);
  shutdown(job, SHUT_WR);
  /* What was sent and not read would take the answer back. */
  struct pollfd rest = {job, POLLIN, 0};
  for (int i = 0; i < pairsMax && poll(&rest, 1, restMs) > 0; i++)
    if (read(job, pair->flows[0].bytes, flowBytesMax) <= 0) break;
  close(job);
}

/* Reads what there is and passes on what goes; -1: one of the ends is broken. */
static int carry(Pair *pair, int from, int isReady) {
  Flow *flow = &pair->flows[from];
  int to = pair->ends[1 - from];
  if (isReady && flow->count == 0 && !flow->isEnded) {
    ssize_t got = read(pair->ends[from], flow->bytes, sizeof flow->bytes);
    if (got < 0 && errno != EAGAIN && errno != EINTR) return -1;
    if (got == 0) flow->isEnded = 1, shutdown(to, SHUT_WR);
    if (got > 0) flow->start = 0, flow->count = (size_t)got;
  }
  if (flow->count == 0) return 0;
  ssize_t done = send(to, flow->bytes + flow->start, flow->count, MSG_NOSIGNAL);
  if (done < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  flow->start += (size_t)done, flow->count -= (size_t)done;
  pair->movedMs = nowMs();
  return 0;
}

static short wanted(const Pair *pair, int end) {
  const Flow *in = &pair->flows[end], *out = &pair->flows[1 - end];
  return (in->count == 0 && !in->isEnded ? POLLIN : 0) | (out->count > 0 ? POLLOUT : 0);
}

void relay(int way) {
  int door = -1;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* WHY: a pipe of the job that we hold open would hide that somebody has gone. */
  for (int fd = 0; fd < openMax; fd++) if (fd != way) close(fd);
  if (receiveFile(way, &door) != 0) _exit(1);
  close(way);
  for (;;) {
    struct pollfd fds[1 + 2 * pairsMax];
    Pair *unused = NULL;
    for (int i = 0; i < pairsMax; i++) {
      if (!pairs[i].isOpen) unused = &pairs[i];
      for (int end = 0; end < 2; end++) {
        short events = pairs[i].isOpen ? wanted(&pairs[i], end) : 0;
        /* What nothing is wanted of is not looked at: an end that hung up would always be ready. */
        int isLooked = events != 0 || (pairs[i].isOpen && end == 1 && pairs[i].flows[1].isEnded);
        fds[1 + 2 * i + end] = (struct pollfd){isLooked ? pairs[i].ends[end] : -1, events, 0};
      }
    }
    fds[0] = (struct pollfd){unused == NULL ? -1 : door, POLLIN, 0};
    if (poll(fds, 1 + 2 * pairsMax, lookMs) < 0 && errno != EINTR) _exit(1);
    for (int i = 0; i < pairsMax; i++) {
      Pair *pair = &pairs[i];
      if (!pair->isOpen) continue;
      int isBroken = nowMs() - pair->movedMs > idleMsMax;
      for (int end = 0; end < 2; end++) isBroken |= carry(pair, end, fds[1 + 2 * i + end].revents);
      /* A daemon that has hung up takes nothing any more, whatever the job still holds open. */
      int isHungUp = (fds[2 + 2 * i].revents & POLLHUP) != 0;
      int isDone = pair->flows[1].isEnded && (pair->flows[0].isEnded || isHungUp)
        && pair->flows[0].count + pair->flows[1].count == 0;
      if (isBroken || isDone) closePair(pair);
    }
    if (fds[0].revents != 0) acceptOne(door, unused);
  }
}

#else

int sendFile(int way, int fd) { return (void)way, (void)fd, errno = ENOSYS, -1; }
int openWayOut(void) { return errno = ENOSYS, -1; }
void relay(int way) { (void)way, _exit(1); }

#endif
