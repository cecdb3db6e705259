/*
 * Load for a box whose files are switched: `switch-load FOLDER` starts processes that write without
 * a pause, each in its own way. What they could write is in FOLDER; lines of `lines.log` have
 * numbers, of which none may be missing, and `tried.log` says which ways of keeping files open
 * were refused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void rest(long micros) { usleep((useconds_t)micros); }

/* A line counts when it was written, and comes again when it was not. */
static void appendLines(void) {
  char line[32];
  for (long number = 0;;) {
    int fd = open("lines.log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    int length = snprintf(line, sizeof line, "%ld\n", number);
    if (fd >= 0 && write(fd, line, (size_t)length) == length) number++;
    if (fd >= 0) close(fd);
    rest(200);
  }
}

/* The descriptor is gone, and the file can still be written to. */
static void mapFiles(void) {
  for (unsigned count = 1;; count++) {
    int fd = open("mapped.dat", O_RDWR | O_CREAT, 0644);
    if (fd >= 0 && ftruncate(fd, 4096) == 0) {
      unsigned *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      close(fd);
      if (page != MAP_FAILED) *page = count, rest(100), munmap(page, 4096);
    } else if (fd >= 0) close(fd);
    rest(300);
  }
}

/* Children write with what they have inherited, when their parent is gone. */
static void forkAndWrite(void) {
  for (;;) {
    int fd = open("forked.log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    pid_t child = fd < 0 ? -1 : fork();
    if (child == 0) {
      if (fork() == 0) rest(100), _exit(write(fd, "f\n", 2) == 2 ? 0 : 1);
      _exit(0);
    }
    if (fd >= 0) close(fd);
    if (child > 0) waitpid(child, NULL, 0);
    rest(500);
  }
}

/* Ways to keep old mounts, or to write past the file descriptors of a process. */
static void tryToKeep(const char *folder) {
  FILE *out = fopen("tried.log", "w");
  if (out == NULL) return;
  unsigned char parameters[256] = {0};
  int tree = (int)syscall(428, AT_FDCWD, folder, 1 | O_CLOEXEC);
  fprintf(out, "%s unshare\n", unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 ? "DONE" : "refused");
  fprintf(out, "%s open_tree\n", tree >= 0 ? "DONE" : "refused");
  int ring = (int)syscall(425, 8, parameters);
  fprintf(out, "%s io_uring\n", ring >= 0 ? "DONE" : "refused");
  fclose(out);
}

int main(int count, char **words) {
  if (count != 2 || chdir(words[1]) != 0) return 2;
  tryToKeep(words[1]);
  void (*const works[])(void) = {appendLines, mapFiles, forkAndWrite};
  for (size_t i = 0; i < sizeof works / sizeof *works; i++)
    if (fork() == 0) works[i](), _exit(0);
  for (;;) if (wait(NULL) < 0 && errno == ECHILD) return 0;
}
