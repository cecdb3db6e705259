/*
 * Ends everything below this process. A pid space does that by itself; without one, all that is
 * found is stopped first, so that nothing forks away, and ended then.
 */
#include "pawl-job.h"

/* Whether all children have gone; those that have ended go by this. */
static int isChildless(void) {
  pid_t pid;
  do pid = waitpid(-1, NULL, WNOHANG);
  while (pid > 0);
  return pid < 0 && errno == ECHILD;
}

/* For a moment, or until a child ends: that interrupts it. */
static void rest(void) {
  struct timespec moment = {0, 2000000};
  nanosleep(&moment, NULL);
}

#ifdef __linux__
#include <dirent.h>
#include <sys/syscall.h>

typedef struct {
  pid_t pid, parent;
  unsigned long long born;
  char state;
  int isOurs;
} Process;

enum { processesMax = 65536, roundsMax = 2000 };
static Process found[processesMax];

/* 0: it is there. The name of a program may hold anything, so the last bracket counts. */
static int readProcess(pid_t pid, Process *process) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return -1;
  text[length] = '\0';
  char *end = strrchr(text, ')');
  int parent = 0;
  if (end == NULL) return -1;
  const char *form = " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu";
  if (sscanf(end + 1, form, &process->state, &parent, &process->born) != 3) return -1;
  process->pid = pid;
  process->parent = (pid_t)parent;
  process->isOurs = 0;
  return 0;
}

static int listProcesses(void) {
  int count = 0;
  DIR *folder = opendir("/proc");
  if (folder == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL && count < processesMax;) {
    pid_t pid = (pid_t)atoi(entry->d_name);
    if (pid > 0 && readProcess(pid, &found[count]) == 0) count++;
  }
  closedir(folder);
  return count;
}

static int compareProcesses(const void *one, const void *two) {
  pid_t a = ((const Process *)one)->pid, b = ((const Process *)two)->pid;
  return a < b ? -1 : a > b;
}

static Process *findProcess(pid_t pid, int count) {
  Process key = {pid, 0, 0, 0, 0};
  return bsearch(&key, found, (size_t)count, sizeof *found, compareProcesses);
}

/* Marks our descendants and the members of the job's groups. */
static void markOurs(const Wish *wish, int count) {
  pid_t self = getpid();
  qsort(found, (size_t)count, sizeof *found, compareProcesses);
  for (int g = 0; g < wish->cgroups.count; g++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cgroup.procs", wish->cgroups.paths[g]);
    FILE *file = fopen(path, "re");
    int pid;
    while (file != NULL && fscanf(file, "%d", &pid) == 1) {
      Process *process = findProcess((pid_t)pid, count);
      if (process != NULL && pid != self) process->isOurs = 1;
    }
    if (file != NULL) fclose(file);
  }
  for (int grew = 1; grew;) {
    grew = 0;
    for (int i = 0; i < count; i++) {
      Process *process = &found[i];
      if (process->isOurs || process->pid == self) continue;
      Process *parent = process->parent == self ? NULL : findProcess(process->parent, count);
      if (process->parent != self && (parent == NULL || !parent->isOurs)) continue;
      process->isOurs = grew = 1;
    }
  }
}

/* Whoever has the number by now is signalled only if it is who was found. */
static void signalProcess(const Process *process, int number) {
  Process now;
  int fd = (int)syscall(434, process->pid, 0);
  if (fd < 0) {
    if (errno == ENOSYS && readProcess(process->pid, &now) == 0 && now.born == process->born)
      kill(process->pid, number);
    return;
  }
  if (readProcess(process->pid, &now) == 0 && now.born == process->born)
    syscall(424, fd, number, NULL, 0);
  close(fd);
}

/* Signals all that is ours; how many of them were neither stopped nor dead. */
static int signalOurs(const Wish *wish, int number) {
  int count = listProcesses(), active = 0;
  markOurs(wish, count);
  for (int i = 0; i < count; i++) {
    if (!found[i].isOurs || found[i].state == 'Z' || found[i].state == 'X') continue;
    if (found[i].state != 'T') active++;
    signalProcess(&found[i], number);
  }
  return active;
}

static void killGroups(const Wish *wish) {
  for (int i = 0; i < wish->cgroups.count; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cgroup.kill", wish->cgroups.paths[i]);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ssize_t ignored = write(fd, "1", 1);
    (void)ignored;
    close(fd);
  }
}

void killTree(const Wish *wish, pid_t box, long long msMax) {
  long long end = nowMs() + msMax;
  if (box > 0) kill(box, SIGKILL);
  killGroups(wish);
  /* The first of a pid space comes to us when its parent is gone, and dies by its own order. */
  for (long long soon = nowMs() + 200; wish->hasPidSpace && nowMs() < soon; rest())
    if (isChildless()) return;
  for (int round = 0; round < roundsMax && nowMs() < end && !isChildless(); round++) {
    for (int stops = 0; stops < 100 && nowMs() < end; stops++)
      if (signalOurs(wish, SIGSTOP) == 0) break;
    signalOurs(wish, SIGKILL);
    rest();
  }
}

#else

void killTree(const Wish *wish, pid_t box, long long msMax) {
  (void)wish;
  long long end = nowMs() + msMax;
  if (box > 0) kill(box, SIGKILL);
  /* The program leads a session of its own; what left it is not found on this system. */
  while (nowMs() < end && !isChildless()) rest();
}

#endif
