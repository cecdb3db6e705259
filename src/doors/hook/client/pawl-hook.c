/*
 * The client of command hooks: `pawl-hook HOST [WORKSPACE] < payload`. It carries what a host gave
 * to its hook to the daemon, prints what the daemon answered, and ends with its exit code. Where no
 * daemon listens, or it ends before it has answered, it becomes the Node client, which starts one.
 * The wire is in `../hook-wire.ts`.
 *
 * `pawl-hook HOST --user FOLDER` is the hook of a user: it is started in every folder, and says
 * nothing at all where neither FOLDER nor the payload has to do with a folder in `guarded`, the
 * list beside this program. `../../../runtime/sessions/guarded-folders.ts` has the same rules.
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
#define GUARDED_BYTES_MAX (256 * 1024)
#define SECRETS_BYTES_MAX (256 * 1024)
#define PATH_BYTES_MAX 4096

extern char **environ;

/* Static, so that there is no memory to run out of: the question, and beats with the answer. */
static char header[HEADER_BYTES_MAX + 1], bytes[PAYLOAD_BYTES_MAX + 2];
static char answer[BEATS_BYTES_MAX + ANSWER_BYTES_MAX + 1];
static char conf_text[16 * 1024], guarded[GUARDED_BYTES_MAX + 1];
static char secrets[SECRETS_BYTES_MAX + 1], secret[256];
static char named_paths[64 * 1024];
static struct { const char *socket, *secrets, *node, *program, *home; } conf;
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

/* The path of a file that stands beside this program. */
static void beside(const char *self, const char *name, char *path) {
  const char *slash = strrchr(self, '/');
  if (slash == NULL) block("the hook must be started with an absolute path");
  int length = snprintf(path, PATH_BYTES_MAX, "%.*s/%s", (int)(slash - self), self, name);
  if (length < 0 || length >= PATH_BYTES_MAX) block("the path of the hook is too long");
}

/* hook.conf stands beside this program: lines of a name and a path. */
static void read_conf(const char *self) {
  static const struct { const char *name; const char **place; } fields[] = {
    {"socket ", &conf.socket}, {"secrets ", &conf.secrets}, {"node ", &conf.node},
    {"program ", &conf.program}, {"home ", &conf.home},
  };
  static const size_t count = sizeof fields / sizeof *fields;
  char path[PATH_BYTES_MAX];
  beside(self, "hook.conf", path);
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
  char *folder = words[2] == NULL ? NULL : words[3];
  char *node = (char *)conf.node, *program = (char *)conf.program;
  char *args[] = {node, program, "hook", words[1], words[2], folder, NULL};
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

/* Whoever listens gets the secret, so it has to be us. */
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

/* `read_bytes`: of the payload, which the next program has to read again. */
static int connect_or_hand_over(char **words, size_t read_bytes) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(conf.socket) >= sizeof address.sun_path) block("the path of the socket is too long");
  strcpy(address.sun_path, conf.socket);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    block_errno("the socket could not be created");
  }
  for (long long end_ms = now_ms() + SILENCE_MS_MAX;;) {
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) break;
    if (errno != EAGAIN && errno != EINTR) {
      if (read_bytes > 0) put_back(bytes, read_bytes);
      hand_over(words);
    }
    /* Its queue is full: it is there, and very busy. */
    if (now_ms() > end_ms) block("the daemon accepts no connections");
    poll(NULL, 0, CONNECT_RETRY_MS);
  }
  if (!is_own_peer(fd)) block("another user listens on the daemon's socket");
  return fd;
}

static int is_user(char **words) { return words[2] != NULL && strcmp(words[2], "--user") == 0; }

/* Appends as encodeURIComponent does it; `-` stands for nothing. */
static size_t put_field(size_t length, const char *text) {
  static const char plain[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
  if (text == NULL || *text == 0) text = "-";
  for (; *text != 0 && length < HEADER_BYTES_MAX - 3; text++) {
    if (strchr(plain, *text) != NULL) header[length++] = *text;
    else length += (size_t)sprintf(header + length, "%%%02X", (unsigned char)*text);
  }
  if (*text != 0) block("the path of the workspace, or PAWL_RUN, is too long");
  return length;
}

/* The secret for hooks of this folder: a line of its name, as the header spells it, and the secret. */
static void read_secret(char **words) {
  size_t name = is_user(words) ? (size_t)sprintf(header, "user:") : put_field(0, words[2]);
  header[name++] = ' ';
  read_own(conf.secrets, secrets, sizeof secrets);
  for (char *line = strtok(secrets, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    if (strncmp(line, header, name) != 0) continue;
    size_t length = strlen(line + name);
    if (length == 0 || length >= sizeof secret) break;
    for (size_t i = 0; i < length; i++) {
      if (line[name + i] < '!' || line[name + i] > '~') block("hook.secrets is damaged");
    }
    strcpy(secret, line + name);
    return;
  }
  block("the hooks of this folder have no secret; run `pawl init` there");
}

static size_t put_header(char **words) {
  const char *scope = is_user(words) ? "user:" : "";
  const char *folder = is_user(words) ? words[3] : words[2];
  int head = snprintf(header, HEADER_BYTES_MAX, "PAWL-HOOK 1 %s %s %s", secret, words[1], scope);
  size_t length = put_field((size_t)head, folder);
  header[length++] = ' ';
  length = put_field(length, getenv("PAWL_RUN"));
  header[length++] = '\n';
  return length;
}

static size_t read_payload(void) {
  size_t length = 0;
  for (;;) {
    await(0, POLLIN, "the host does not end its payload");
    ssize_t got = read(0, bytes + length, PAYLOAD_BYTES_MAX + 1 - length);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) block_errno("the payload of the host could not be read");
    if (got == 0) return length;
    length += (size_t)got;
    if (length > PAYLOAD_BYTES_MAX) block("the payload of the host is too long");
  }
}

static void send_all(int fd, const char *text, size_t length) {
  for (size_t sent = 0; sent < length;) {
    ssize_t got = write(fd, text + sent, length - sent);
    if (got >= 0) sent += (size_t)got;
    else if (errno == EAGAIN) await(fd, POLLOUT, "the daemon does not read");
    /* It has hung up on us, and may have said why. */
    else if (errno == EPIPE || errno == ECONNRESET) return;
    else if (errno != EINTR) block_errno("the request could not be sent to the daemon");
  }
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

/* Whether a path stands in a text: `/srv/app` does in `/srv/app/x`, and not in `/srv/app2`. */
static int mentions(const char *text, const char *path) {
  size_t length = strlen(path);
  for (const char *at = text; (at = strstr(at, path)) != NULL; at++) {
    unsigned char next = (unsigned char)at[length];
    int is_name = (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z') ||
                  (next >= 'a' && next <= 'z') || next == '_' || next == '-' || next > 127;
    if (!is_name) return 1;
  }
  return 0;
}

static int is_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  if (strcmp(folder, "/") == 0) return 1;
  return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}

/* Where the `.git` of a folder leads: itself, or what it names; empty: there is none. */
static void find_git(const char *folder, char *found) {
  char dot_git[PATH_BYTES_MAX], link[PATH_BYTES_MAX], next[2 * PATH_BYTES_MAX];
  struct stat about;
  found[0] = 0;
  int size = snprintf(dot_git, sizeof dot_git, "%s/.git", folder);
  if (size >= (int)sizeof dot_git || stat(dot_git, &about) != 0) return;
  if (S_ISDIR(about.st_mode) && realpath(dot_git, found) == NULL) found[0] = 0;
  if (!S_ISREG(about.st_mode)) return;
  int fd = open(dot_git, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  ssize_t length = fd < 0 ? 0 : read(fd, link, sizeof link - 1);
  if (fd >= 0) close(fd);
  link[length < 0 ? 0 : length] = 0;
  link[strcspn(link, "\r\n")] = 0;
  if (strncmp(link, "gitdir: ", 8) != 0) return;
  const char *target = link + 8;
  snprintf(next, sizeof next, *target == '/' ? "%s%s" : "%s/%s", *target == '/' ? "" : folder,
           target);
  if (realpath(next, found) == NULL) found[0] = 0;
}

/* Paths of a payload that are followed to where they lead; with more, the daemon decides. */
#define NAMED_PATHS_MAX 64

static int is_path_end(char one) {
  return one == 0 || strchr(" \t\r\n\v\f\"'`,;|&<>()$*?{}[]=:\\", one) != NULL;
}

/* The words that stand for the home in front of a path; how long they are, or 0. */
static size_t home_at(const char *at) {
  if (strncmp(at, "~/", 2) == 0) return 1;
  if (strncmp(at, "$HOME/", 6) == 0) return 5;
  return strncmp(at, "${HOME}/", 8) == 0 ? 7 : 0;
}

/* Where a path leads, or the nearest folder above it that is there. */
static void follow(char *path, char *found) {
  while (realpath(path, found) == NULL) {
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path) {
      strcpy(found, "/");
      return;
    }
    *slash = 0;
  }
}

/* The paths that a text names, followed to where they lead, one per line; -1: too many. */
static int follow_all(const char *text, char *out, size_t size) {
  char path[PATH_BYTES_MAX], real[PATH_BYTES_MAX];
  const char *home = getenv("HOME");
  int count = 0;
  size_t used = 0;
  out[0] = 0;
  for (const char *at = text; *at != 0; at++) {
    size_t skipped = home_at(at);
    if (skipped == 0 && *at != '/') continue;
    if (at > text && !is_path_end(at[-1])) continue;
    const char *begin = at + skipped;
    size_t length = 1;
    while (!is_path_end(begin[length])) length++;
    const char *before = skipped > 0 && home != NULL ? home : "";
    at = begin + length - 1;
    if (strlen(before) + length >= sizeof path) return -1;
    snprintf(path, sizeof path, "%s%.*s", before, (int)length, begin);
    follow(path, real);
    if (++count > NAMED_PATHS_MAX || used + strlen(real) + 2 > size) return -1;
    used += (size_t)sprintf(out + used, "%s\n", real);
  }
  return count;
}

/* Whether one of some paths, one per line, is at or below a folder. */
static int any_below(const char *paths, const char *folder) {
  char path[PATH_BYTES_MAX];
  while (*paths != 0) {
    size_t length = strcspn(paths, "\n");
    snprintf(path, sizeof path, "%.*s", (int)length, paths);
    if (is_below(path, folder)) return 1;
    paths += length + 1;
  }
  return 0;
}

/* Whether a listed folder is at, above or below FOLDER, shares its git, or is in the payload. */
static int is_concerned(const char *self, const char *folder) {
  char path[PATH_BYTES_MAX], real[PATH_BYTES_MAX], git[PATH_BYTES_MAX], at[PATH_BYTES_MAX];
  const char *run = getenv("PAWL_RUN");
  if ((run != NULL && *run != 0) || realpath(folder, real) == NULL) return 1;
  beside(self, "guarded", path);
  if (access(path, F_OK) != 0) return 1;
  read_own(path, guarded, sizeof guarded);
  strcpy(at, real);
  for (find_git(at, git); git[0] == 0 && strrchr(at, '/') > at; find_git(at, git)) {
    *strrchr(at, '/') = 0;
  }
  int named = follow_all(bytes, named_paths, sizeof named_paths);
  for (char *line = strtok(guarded, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    if (is_below(real, line) || is_below(line, real) || is_below(git, line)) return 1;
    if (named < 0 || mentions(bytes, line) || any_below(named_paths, line)) return 1;
  }
  return 0;
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
  int is_sound = count >= 2 && is_host(words[1]);
  if (count == 3) is_sound = is_sound && words[2][0] == '/';
  if (count == 4) is_sound = is_sound && is_user(words) && words[3][0] == '/';
  if (!is_sound || count > 4) block("usage: pawl-hook HOST [WORKSPACE | --user FOLDER]");
  read_conf(words[0]);
  size_t end = 0;
  if (is_user(words)) {
    end = read_payload();
    bytes[end] = 0;
    if (!is_concerned(words[0], words[3])) return 0;
  }
  int fd = connect_or_hand_over(words, end);
  read_secret(words);
  size_t begin = put_header(words);
  if (!is_user(words)) end = read_payload();
  send_all(fd, header, begin);
  send_all(fd, bytes, end);
  shutdown(fd, SHUT_WR);
  size_t length = hear_all(fd);
  if (length > 0) return print_answer(length);
  put_back(bytes, end);
  hand_over(words);
  return 2;
}
