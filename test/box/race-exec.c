/*
 * Starts a program whose path another thread changes all the time: `race-exec ROUNDS ONE OTHER`.
 * Both paths are of one length. Whoever looks at the path sees one, and the kernel perhaps the other.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[256];
static volatile int isOver;

static void *change(void *paths) {
  char **both = paths;
  size_t length = strlen(both[0]);
  for (int i = 0; !isOver; i++) {
    for (size_t at = 0; at < length; at++) ((volatile char *)path)[at] = both[i % 2][at];
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t thread;
  if (argc != 4 || strlen(argv[2]) != strlen(argv[3]) || strlen(argv[2]) >= sizeof path) return 2;
  strcpy(path, argv[2]);
  if (pthread_create(&thread, NULL, change, argv + 2) != 0) return 2;
  for (int i = atoi(argv[1]); i > 0; i--) {
    /* WHY vfork: the child has the memory that the other thread changes. */
    pid_t child = vfork();
    if (child == 0) {
      execl(path, path, "-u", (char *)NULL);
      _exit(127);
    }
    waitpid(child, NULL, 0);
  }
  isOver = 1;
  return 0;
}
