/*
 * What the parts of `pawl-job look` share: it lists the files of a workspace (list), reads what the
 * kernel knows about each (stat; hold: again), and makes one digest of it (digest). What may be
 * kept from one look to the next is decided in keep. `runtime/workspace/fingerprint.ts` does the
 * same in Node, and both must give the same fingerprint.
 */
#ifndef PAWL_JOB_LOOK_H
#define PAWL_JOB_LOOK_H

#include "pawl-job.h"

enum { namesMax = 64, roundsMax = 16, linksMax = 10000, changesMax = 20 };
enum { filesHardMax = 1 << 20, outputBytesMax = 128 << 20, gitMsMax = 8000, walkDepthMax = 64 };

typedef struct {
  const char *names[namesMax];
  int count;
} Names;

/* What the daemon asks for, and which names it leaves out. */
typedef struct {
  const char *folder;
  long long filesMax, holdMs;
  Names caches, tops, installed, built;
} LookWish;

/* All zero: there is no such file. */
typedef struct {
  int64_t mode, size, mtimeNs, ctimeNs, ino;
} StatRecord;

typedef struct Block Block;

typedef struct {
  char **paths;
  size_t count, room;
} PathList;

/* The files of a workspace, sorted. Further rounds are what is in folders that git tracks. */
typedef struct {
  Block *memory;
  PathList files;
  size_t ends[roundsMax];
  int rounds;
  PathList links, targets; /* and where each leads, or "" */
  PathList walked; /* the folders that were read here, and not by git; and their `.git` */
  int isByGit;
  int64_t begunNs;
} Listing;

enum { workersMax = 8 };
enum { nothingChanged, filesChanged, listChanged };

/* Paths that are looked at again and again: what a list of files rests on, then the files. */
typedef struct {
  char *folder;
  PathList paths;
  size_t folders; /* how many are not files of the list */
  StatRecord *records; /* of the last look */
  int asks[workersMax], workers, mounts;
} Watch;

typedef struct {
  uint64_t state[8], bytes;
  unsigned char block[128];
  size_t used;
} Digest;

typedef struct {
  char *bytes;
  size_t length;
  int status; /* 127: there is no such program */
  char said[1024];
} Output;

typedef struct {
  int out, err;
  pid_t pid;
} GitChild;

void beginDigest(Digest *digest);
void addToDigest(Digest *digest, const void *bytes, size_t length);
void endDigest(Digest *digest, char hex[65]);

int statOnAllCores(char **paths, StatRecord *records, size_t count);
int statOne(const char *path, StatRecord *record);
int statHeld(int fd, StatRecord *record);

int openRecords(Watch *watch);
void startWorkers(Watch *watch);
void stopWorkers(Watch *watch);
int lookAtWatch(Watch *watch);
void freeWatch(Watch *watch);

int runGit(const char *const *args, int input, Output *output);
int startGit(const char *const *args, int input, GitChild *child);
int endGit(const GitChild *child, Output *output);
void stopGit(const GitChild *child);
int byBytes(const void *one, const void *two);
int addPathTo(PathList *list, char *path);
char *copyText(Listing *listing, const char *text, size_t length);
char *joinPath(Listing *listing, const char *folder, const char *name);
int isCache(const LookWish *wish, const char *path);
int isFolder(const char *path, unsigned char type);
int addGit(Listing *listing, PathList *list, char *path, unsigned char type);
int listFiles(const LookWish *wish, Listing *listing);
int realTarget(const char *link, char target[PATH_MAX]);
int listRound(const LookWish *wish, Listing *listing, const StatRecord *records);
void freeListing(Listing *listing);

int64_t realtimeNs(void);
int64_t settledNs(int64_t ctimeNs);
int findWatched(const LookWish *wish, Listing *listing, PathList *watched);

#endif
