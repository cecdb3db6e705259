/*
 * What the parts of the helper share. Each part is one process of the chain that a job is:
 *
 *   supervise   lives as long as the job; keeps its output, its time and its end
 *   chain       is in the groups of the job before the job is known, and becomes what follows
 *   inner       makes the box, holds the limits, starts the program and waits for it
 *   relay       carries what a job sends out to the daemon, where it may connect to some places
 *   record      of a session: notes each program before it starts
 */
#ifndef PAWL_JOB_H
#define PAWL_JOB_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Which end of which pipe stands where, from `supervise` to `inner`. */
/* A session has no bubblewrap, and `programsFd` in its place. */
enum { statusFd = 3, orderFd = 4, selfFd = 5, relayFd = 6, boxFd = 7, programsFd = 7 };
enum { endsCount = 6 };

/* Orders to the first process of a session that are no signals. */
enum { freezeOrder = 100, thawOrder = 101, goOrder = 102 };

/* More than `visiblePaths` ever names. */
enum { pathsMax = 24576 };
enum { wordsBytesMax = 8 << 20 };

/* Files that a process of the chain can have open: its own few, and what it was started with. */
enum { openMax = 256 };

/* Words as they come over a pipe. They are no arguments: those can be read by everybody. */
typedef struct {
  char *bytes, **words;
  size_t length;
  int count;
} Words;

typedef struct {
  const char *paths[pathsMax];
  int count;
} Paths;

/* What was said of a job: `key=value` words up to `--`, then the program. */
typedef struct {
  const char *folder; /* of the job; supervise works in it */
  long long timeoutMs, graceMs, leaseMs, outputMax, segmentBytes;
  long long cpuSeconds, dataBytes, fileBytes, processes, tmpBytes;
  long long homeBytes; /* of the covered homes; 0: they stay empty */
  int ownBox, network, relay, landlock, hasPidSpace, filter, session;
  const char *cwd, *workspace, *input;
  const char *door, *mode; /* of a session: the folder with its sockets, and how files begin */
  Paths cgroups, covered, kept, state, pinned, readOnly, instead, record, hidden, reads, writes;
  Paths variables, denied, needed;
  Paths boxWords;
  char **program; /* NULL: none was named */
} Wish;

int readWish(int count, char **words, Wish *wish);
int readNumber(const char *text, long long *number);
int takeWords(int fd, Words *words);
int passWords(int fd, const Words *words);
long long nowMs(void);
void closeOnExec(int fd);
void report(const char *form, long long one, long long two);

int supervise(void);
int session(void);
int lookAtWorkspaces(void);
int tellPeer(void);
void joinGroups(const Wish *wish);
int startFirst(const Wish *wish);
void becomeChain(const Wish *groups, const int from[endsCount]);
int inner(const Wish *wish);
void relay(int way);

/* Linux only: how the files of a session are open, and who keeps it from changing. */
int switchFiles(const Wish *wish, const char *mode, const Paths *folders);
int reopenFiles(const Wish *wish, const char *mode);
int listHolders(const Wish *wish, FILE *out);
int isInside(const char *base, const char *path);
int followsMode(const Wish *wish, const char *path);
void printName(FILE *out, const char *name, int bytesMax);
int pinPath(const char *path);
int closePath(const char *path);
int coverPath(const char *path, int number);
int coverBy(const char *path, const char *source);
int hidePath(const char *path, int nothing);
int setWritable(const char *path, int isWritable);

/* Linux only: the programs of a session, those that start and those that must not. */
int isDeniedCover(const struct stat *stats);
pid_t recordStarts(int *way);
void tellPrograms(long long since, FILE *out);
int denyPrograms(const Wish *wish, const Paths *names, const char **why);
void settlePrograms(int isChanged);

/* A few harmless devices: all that a job has. */
enum { devicesCount = 6 };
extern const char *const devices[devicesCount];

/* Linux only; elsewhere they do nothing, and the levels say so. */
int enterSpaces(const Wish *wish);
int enterNumbers(void);
int openWayOut(void);
int makeBox(const Wish *wish, const char **step);
int restrictFiles(const Wish *wish);
void dropPowers(void);
int filterCalls(int *listener);
int sendFile(int way, int fd);
int receiveFile(int way, int *fd);
int restrictScope(void);
int landlockVersion(void);

/* Ends everything below this process; returns when nothing is left or the time is over. */
void killTree(const Wish *wish, pid_t box, long long msMax);

#endif
