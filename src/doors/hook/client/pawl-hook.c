/*
 * The client of command hooks: `pawl-hook HOST [WORKSPACE] < payload`. It carries what a host gave
 * to its hook to the daemon, prints what the daemon answered, and ends with its exit code. Where no
 * daemon listens, or it ends before it has answered, it becomes the Node client, which starts one.
 * The wire is in `../hook-wire.ts`.
 *
 * INVARIANT: whatever goes wrong, nothing is on stdout, a line is on stderr, and the code is 2:
 * the one answer that every host takes for a refusal.
 *
 * Out of reach: what LD_PRELOAD does to the shell that starts this program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HEADER_BYTES_MAX (8 * 1024)
#define PAYLOAD_BYTES_MAX (16 * 1024 * 1024)
#define ANSWER_BYTES_MAX (1024 * 1024)
/* Beats that come before an answer, and its line. */
#define BEATS_BYTES_MAX (4 * 1024)
/* Tests have less patience. */
#ifndef SILENCE_MS_MAX
#define SILENCE_MS_MAX 5000
#endif
#ifndef CLIENT_MS_MAX
#define CLIENT_MS_MAX 55000
#endif
/* Behind CLIENT_MS_MAX: for what no poll() sees, and for the Node client, which inherits it. */
#define ALARM_SECONDS 57
#define CONNECT_RETRY_MS 10

extern char **environ;

/* Static, so that there is no memory to run out of: the question, and beats with the answer. */
static char bytes[HEADER_BYTES_MAX + PAYLOAD_BYTES_MAX + 1];
static char answer[BEATS_BYTES_MAX + ANSWER_BYTES_MAX + 1];
static char conf_text[16 * 1024], token[256];
static struct { const char *socket, *token, *node, *program, *home; } conf;
static long long deadline_ms;

static void complain(const char *why, const char *detail) {
  char line[512];
  int length = snprintf(line, sizeof line, "Pawl: blocked: %s%s%s; run `pawl doctor`\n", why,
                        *detail ? ": " : "", detail);
  if (length >= (int)sizeof line) length = sizeof line - 1;
  if (write(2, line, (size_t)length) < 0) _exit(2);
}

static void block(const char *why) {
  complain(why, "");
  _exit(2);
}

static void block_errno(const char *why) {
  complain(why, strerror(errno));
  _exit(2);
}

static void on_signal(int number) {
  static const char late[] = "Pawl: blocked: the hook took too long; run `pawl doctor`\n";
  static const char told[] = "Pawl: blocked: the hook was stopped\n";
  const char *words = number == SIGALRM ? late : told;
  ssize_t done = write(2, words, strlen(words));
  (void)done;
  _exit(2);
}

static void set_signals(void (*handler)(int), void (*on_pipe)(int)) {
  static const int numbers[] = {SIGALRM, SIGTERM, SIGINT, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], handler);
  signal(SIGPIPE, on_pipe);
}

static long long now_ms(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) block_errno("there is no clock");
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* Waits until `fd` can be read or written, or blocks: silence has a limit, and so has all of it. */
static void await(int fd, short events, const char *whom) {
  long long silent_ms = now_ms() + SILENCE_MS_MAX;
  long long end_ms = silent_ms < deadline_ms ? silent_ms : deadline_ms;
  for (;;) {
    long long left_ms = end_ms - now_ms();
    if (left_ms <= 0) break;
    struct pollfd one = {fd, events, 0};
    int ready = poll(&one, 1, (int)left_ms);
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) block_errno("poll failed");
  }
  complain(whom, end_ms == deadline_ms ? "it took too long" : "no data for seconds");
  _exit(2);
}

/* The text of a small file that is ours alone to write. */
static size_t read_own(const char *path, char *text, size_t max) {
  struct stat about;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0 || fstat(fd, &about) != 0) block_errno(path);
  if (!S_ISREG(about.st_mode) || about.st_uid != geteuid() || (about.st_mode & 022) != 0) {
    complain(path, "other users can change it");
    _exit(2);
  }
  size_t length = 0;
  for (ssize_t got; length < max; length += (size_t)got) {
    got = read(fd, text + length, max - length);
    if (got < 0) block_errno(path);
    if (got == 0) break;
  }
  close(fd);
  if (length == max || memchr(text, 0, length) != NULL) {
    complain(path, "it is damaged");
    _exit(2);
  }
  text[length] = 0;
  return length;
}

/* hook.conf stands beside this program: lines of a name and a path. */
static void read_conf(const char *self) {
  static const struct { const char *name; const char **place; } fields[] = {
    {"socket ", &conf.socket}, {"token ", &conf.token}, {"node ", &conf.node},
    {"program ", &conf.program}, {"home ", &conf.home},
  };
  static const size_t count = sizeof fields / sizeof *fields;
  char path[4096];
  const char *slash = strrchr(self, '/');
  if (slash == NULL) block("the hook must be started with an absolute path");
  int length = snprintf(path, sizeof path, "%.*s/hook.conf", (int)(slash - self), self);
  if (length < 0 || length >= (int)sizeof path) block("the path of the hook is too long");
  read_own(path, conf_text, sizeof conf_text);
  for (char *line = strtok(conf_text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    for (size_t i = 0; i < count; i++) {
      size_t size = strlen(fields[i].name);
      if (strncmp(line, fields[i].name, size) == 0) *fields[i].place = line + size;
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (*fields[i].place == NULL || **fields[i].place != '/') block("hook.conf is damaged");
  }
}

static void read_token(void) {
  size_t length = read_own(conf.token, token, sizeof token);
  if (length > 0 && token[length - 1] == '\n') token[--length] = 0;
  for (size_t i = 0; i < length; i++) {
    if (token[i] < '!' || token[i] > '~') length = 0;
  }
  if (length == 0) block("the token is damaged");
}

/* Becomes the Node client, which reads the payload from stdin. */
static void hand_over(char **words) {
  static const char *const unwanted[] = {"NODE_", "LD_", "DYLD_"};
  for (char **one = environ; *one != NULL;) {
    int is_unwanted = 0;
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
      if (strncmp(*one, unwanted[i], strlen(unwanted[i])) == 0) is_unwanted = 1;
    }
    if (!is_unwanted) one++;
    else for (char **next = one; (*next = next[1]) != NULL; next++) continue;
  }
  if (setenv("PAWL_HOME", conf.home, 1) != 0) block_errno("the environment is full");
  char *args[] = {(char *)conf.node, (char *)conf.program, "hook", words[1], words[2], NULL};
  set_signals(SIG_DFL, SIG_DFL);
  execv(conf.node, args);
  block_errno("no daemon answers, and Node could not be started");
}

/* Puts what was read of stdin back, for the next program, in a file that has no name. */
static void put_back(const char *payload, size_t length) {
  char path[4096];
  int size = snprintf(path, sizeof path, "%s/hook-XXXXXX", conf.home);
  if (size < 0 || size >= (int)sizeof path) block("the path of the data directory is too long");
  int fd = mkstemp(path);
  if (fd < 0 || unlink(path) != 0) block_errno("the daemon has ended, and the payload is lost");
  for (size_t done = 0; done < length;) {
    ssize_t got = write(fd, payload + done, length - done);
    if (got >= 0) done += (size_t)got;
    else if (errno != EINTR) block_errno("the daemon has ended, and the payload is lost");
  }
  if (lseek(fd, 0, SEEK_SET) != 0 || dup2(fd, 0) != 0) block_errno("the payload is lost");
}

/* Whoever listens gets the token, so it has to be us. */
static int is_own_peer(int fd) {
#ifdef SO_PEERCRED
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
#else
  uid_t uid;
  gid_t gid;
  return getpeereid(fd, &uid, &gid) == 0 && uid == geteuid();
#endif
}

static int connect_or_hand_over(char **words) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(conf.socket) >= sizeof address.sun_path) block("the path of the socket is too long");
  strcpy(address.sun_path, conf.socket);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    block_errno("the socket could not be created");
  }
  for (long long end_ms = now_ms() + SILENCE_MS_MAX;;) {
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) break;
    if (errno != EAGAIN && errno != EINTR) hand_over(words);
    /* Its queue is full: it is there, and very busy. */
    if (now_ms() > end_ms) block("the daemon accepts no connections");
    poll(NULL, 0, CONNECT_RETRY_MS);
  }
  if (!is_own_peer(fd)) block("another user listens on the daemon's socket");
  return fd;
}

/* Appends as encodeURIComponent does it; `-` stands for nothing. */
static size_t put_field(size_t length, const char *text) {
  static const char plain[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
  if (text == NULL || *text == 0) text = "-";
  for (; *text != 0 && length < HEADER_BYTES_MAX; text++) {
    if (strchr(plain, *text) != NULL) bytes[length++] = *text;
    else length += (size_t)sprintf(bytes + length, "%%%02X", (unsigned char)*text);
  }
  return length;
}

static size_t put_header(char **words) {
  int head = snprintf(bytes, HEADER_BYTES_MAX, "PAWL-HOOK 1 %s %s ", token, words[1]);
  size_t length = put_field((size_t)head, words[2]);
  bytes[length++] = ' ';
  length = put_field(length, getenv("PAWL_RUN"));
  if (length >= HEADER_BYTES_MAX) block("the path of the workspace, or PAWL_RUN, is too long");
  bytes[length++] = '\n';
  return length;
}

static size_t put_payload(size_t begin) {
  size_t length = begin;
  for (;;) {
    await(0, POLLIN, "the host does not end its payload");
    ssize_t got = read(0, bytes + length, begin + PAYLOAD_BYTES_MAX + 1 - length);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) block_errno("the payload of the host could not be read");
    if (got == 0) return length;
    length += (size_t)got;
    if (length - begin > PAYLOAD_BYTES_MAX) block("the payload of the host is too long");
  }
}

static void send_all(int fd, size_t length) {
  for (size_t sent = 0; sent < length;) {
    ssize_t got = write(fd, bytes + sent, length - sent);
    if (got >= 0) sent += (size_t)got;
    else if (errno == EAGAIN) await(fd, POLLOUT, "the daemon does not read");
    /* It has hung up on us, and may have said why. */
    else if (errno == EPIPE || errno == ECONNRESET) return;
    else if (errno != EINTR) block_errno("the request could not be sent to the daemon");
  }
  shutdown(fd, SHUT_WR);
}

/* The length of what the daemon said; 0: it has ended before it could answer. */
static size_t hear_all(int fd) {
  size_t length = 0;
  for (;;) {
    await(fd, POLLIN, "the daemon does not answer");
    ssize_t got = read(fd, answer + length, sizeof answer - 1 - length);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0 && errno != ECONNRESET) block_errno("the daemon closed the connection");
    if (got <= 0) break;
    length += (size_t)got;
    if (length == sizeof answer - 1) block("the daemon sent an answer that is too long");
  }
  for (size_t at = 0; at < length; at++) {
    if (answer[at] != "~\n"[at % 2]) return length;
  }
  return 0;
}

/* A number as the daemon writes it, with the character behind it; -1: it is none. */
static long take_number(const char **text, char end) {
  long number = 0;
  const char *at = *text;
  for (; *at >= '0' && *at <= '9' && at - *text < 7; at++) number = number * 10 + (*at - '0');
  int is_sound = at > *text && (**text != '0' || at - *text == 1) && *at == end;
  *text = at + 1;
  return is_sound ? number : -1;
}

static void print_all(int fd, const char *text, size_t length) {
  while (length > 0) {
    ssize_t got = write(fd, text, length);
    if (got < 0 && errno == EAGAIN) await(fd, POLLOUT, "the host does not read");
    else if (got < 0 && errno != EINTR) block_errno("the answer could not be printed");
    else if (got > 0) text += got, length -= (size_t)got;
  }
}

/* Beats, one line, both outputs, the end: anything else is no answer. */
static int print_answer(size_t length) {
  const char *at = answer, *end = answer + length;
  answer[length] = 0;
  while (at[0] == '~' && at[1] == '\n') at += 2;
  int is_sound = strncmp(at, "PAWL 1 ", 7) == 0 && (at[7] == '0' || at[7] == '2') && at[8] == ' ';
  if (!is_sound) block("the daemon sent an unexpected answer");
  int code = at[7] - '0';
  at += 9;
  long out = take_number(&at, ' ');
  long err = out < 0 ? -1 : take_number(&at, '\n');
  if (err < 0 || out + err > ANSWER_BYTES_MAX || end - at != out + err) {
    block("the daemon's answer is damaged");
  }
  if (code == 2 && (out > 0 || err == 0)) block("the daemon refused without a reason");
  print_all(2, at + out, (size_t)err);
  print_all(1, at, (size_t)out);
  return code;
}

static int is_host(const char *name) {
  size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
  return name[length] == 0 && length <= 32 && name[0] >= 'a' && name[0] <= 'z';
}

int main(int count, char **words) {
  /* Else the next file that is opened would take the place of an output. */
  for (int fd = 0; fd <= 2; fd++) {
    if (fcntl(fd, F_GETFD) < 0) block("the hook was started without stdin, stdout and stderr");
  }
  set_signals(on_signal, SIG_IGN);
  alarm(ALARM_SECONDS);
  deadline_ms = now_ms() + CLIENT_MS_MAX;
  int is_sound = (count == 2 || count == 3) && is_host(words[1]) &&
                 (count == 2 || words[2][0] == '/');
  if (!is_sound) block("usage: pawl-hook HOST [WORKSPACE]");
  read_conf(words[0]);
  int fd = connect_or_hand_over(words);
  read_token();
  size_t begin = put_header(words), end = put_payload(begin);
  send_all(fd, end);
  size_t length = hear_all(fd);
  if (length > 0) return print_answer(length);
  put_back(bytes + begin, end - begin);
  hand_over(words);
  return 2;
}
