/*
 * `pawl-job look`: fingerprints of workspaces, one after another, for as long as its input is open.
 * A request is words: `folder=…`, the most files, how long to hold them, and the names that do not
 * count. The answer is words too: the fingerprint and the files that changed last, newest first; or
 * `none`.
 * Every look reads the times of every file. Only the list of names is kept (keep), and descriptors
 * of the files (hold), while what the list was made of stays as it was.
 * `runtime/workspace/look-by-helper.ts` is the caller.
 */
#include "pawl-job-look.h"

enum { keptMax = 4, heldWorkspacesMax = 2, triesMax = 4, keptFilesMax = 200000 };

typedef struct {
  char *path;
  int64_t ctimeNs;
  double at;
} Change;

typedef struct {
  char hash[65];
  Change changes[changesMax];
  int count;
  int64_t settledNs;
} Seen;

/* A list with what it rests on, and what was seen of its files at the last look. */
typedef struct {
  Listing listing;
  StatRecord *records; /* until it is kept */
  Watch watch;
  Seen seen;
  unsigned long long used;
  long long lookedMs;
} Kept;

static Kept kept[keptMax];
static unsigned long long looks;

static void forget(Kept *one) {
  freeListing(&one->listing);
  freeWatch(&one->watch);
  free(one->records);
  *one = (Kept){0};
}

static Kept *findKept(const char *folder) {
  for (int i = 0; i < keptMax; i++)
    if (kept[i].watch.folder != NULL && strcmp(kept[i].watch.folder, folder) == 0) return &kept[i];
  return NULL;
}

static void noteChange(Seen *seen, char *path, int64_t ctimeNs) {
  /* As Node counts: in milliseconds, and not to the last nanosecond. */
  double at = (double)ctimeNs / 1e6;
  int place = seen->count;
  if (seen->count == changesMax && at <= seen->changes[changesMax - 1].at) return;
  while (place > 0 && seen->changes[place - 1].at < at) place--;
  if (seen->count < changesMax) seen->count++;
  size_t behind = (size_t)(seen->count - 1 - place);
  memmove(&seen->changes[place + 1], &seen->changes[place], behind * sizeof *seen->changes);
  seen->changes[place] = (Change){path, ctimeNs, at};
}

/* Of a folder, only the files in it count: they are the next round. */
static void digestFiles(const Listing *listing, const StatRecord *records, Seen *seen) {
  static const StatRecord nothing;
  Digest digest;
  size_t from = 0;
  *seen = (Seen){.count = 0};
  beginDigest(&digest);
  for (int round = 0; round < listing->rounds; from = listing->ends[round++]) {
    if (listing->ends[round] == from) continue;
    for (size_t i = from; i < listing->ends[round]; i++)
      addToDigest(&digest, listing->files.paths[i], strlen(listing->files.paths[i]) + 1);
    addToDigest(&digest, "", 1);
    for (size_t i = from; i < listing->ends[round]; i++) {
      const StatRecord *one = S_ISDIR((mode_t)records[i].mode) ? &nothing : &records[i];
      addToDigest(&digest, one, sizeof *one);
      if (one->ctimeNs == 0) continue;
      int64_t settled = settledNs(one->ctimeNs);
      if (settled > seen->settledNs) seen->settledNs = settled;
      noteChange(seen, listing->files.paths[i], one->ctimeNs);
    }
  }
  endDigest(&digest, seen->hash);
}

/* Lists the files and looks at them. -1: it cannot be told. */
static int lookAnew(const LookWish *wish, Listing *listing, StatRecord **records) {
  size_t done = 0;
  if (listFiles(wish, listing) != 0) return -1;
  while (done < listing->files.count) {
    size_t count = listing->files.count;
    if (count > (size_t)wish->filesMax) return -1;
    StatRecord *more = realloc(*records, count * sizeof *more);
    if (more == NULL) return -1;
    *records = more;
    if (statOnAllCores(listing->files.paths + done, more + done, count - done) != 0) return -1;
    if (listRound(wish, listing, more) != 0) return -1;
    done = count;
  }
  return 0;
}

/* 0: the list is still true, and `seen` is what is there now. -1: it has to be made anew. */
static int lookAgain(Kept *one) {
  int change = lookAtWatch(&one->watch);
  if (change == listChanged) return -1;
  for (size_t i = 0; i < one->listing.links.count; i++) {
    char target[PATH_MAX];
    if (realTarget(one->listing.links.paths[i], target) != 0) return -1;
    if (strcmp(target, one->listing.targets.paths[i]) != 0) return -1;
  }
  if (change == filesChanged)
    digestFiles(&one->listing, one->watch.records + one->watch.folders, &one->seen);
  return 0;
}

/* What the list of files rests on, and the files, as they were. -1: something has changed since. */
static int openWatch(const LookWish *wish, Kept *one) {
  PathList *paths = &one->watch.paths, *files = &one->listing.files;
  if (findWatched(wish, &one->listing, paths) != 0) return -1;
  size_t folders = one->watch.folders = paths->count;
  for (size_t i = 0; i < folders; i++)
    if (*paths->paths[i] == '\0') paths->paths[i] = ".";
  for (size_t i = 0; i < files->count; i++)
    if (addPathTo(paths, files->paths[i]) != 0) return -1;
  if (files->count > keptFilesMax || openRecords(&one->watch) != 0) return -1;
  memcpy(one->watch.records + folders, one->records, files->count * sizeof *one->records);
  if (statOnAllCores(paths->paths, one->watch.records, folders) != 0) return -1;
  for (size_t i = 0; i < folders; i++)
    if (settledNs(one->watch.records[i].ctimeNs) > one->listing.begunNs) return -1;
  return (one->watch.folder = strdup(wish->folder)) == NULL ? -1 : 0;
}

/* Keeps the list for the next look, if nothing that it rests on has changed since it was begun. */
static void keep(const LookWish *wish, Kept *one) {
  if (openWatch(wish, one) != 0) return forget(one);
  free(one->records);
  one->records = NULL;
}

/*
 * Descriptors pin what is removed or unmounted, and memory of the kernel: only the workspaces that
 * were looked at last have any, and not for long.
 */
static void letGo(long long heldMs) {
  for (int i = 0; i < keptMax; i++) {
    int later = 0;
    for (int j = 0; j < keptMax; j++) later += kept[j].used > kept[i].used;
    if (later >= heldWorkspacesMax || nowMs() - kept[i].lookedMs >= heldMs)
      stopWorkers(&kept[i].watch);
  }
}

static int addWord(Words *answer, const char *form, long long number, const char *text) {
  char word[PATH_MAX + 64];
  int length = snprintf(word, sizeof word, form, number, text);
  if (length < 0 || (size_t)length >= sizeof word) return -1;
  char *bytes = realloc(answer->bytes, answer->length + (size_t)length + 1);
  if (bytes == NULL) return -1;
  memcpy(bytes + answer->length, word, (size_t)length + 1);
  answer->bytes = bytes;
  answer->length += (size_t)length + 1;
  return 0;
}

static int tell(const Seen *seen) {
  Words answer = {0};
  int failed = addWord(&answer, "%.0lld%s", 0, seen == NULL ? "none" : seen->hash) != 0;
  for (int i = 0; seen != NULL && i < seen->count && !failed; i++)
    failed = addWord(&answer, "%lld %s", seen->changes[i].ctimeNs, seen->changes[i].path) != 0;
  if (!failed) failed = passWords(1, &answer) != 0;
  free(answer.bytes);
  return failed ? -1 : 0;
}

static Kept *lookOnce(const LookWish *wish, int *isNew) {
  Kept *one = findKept(wish->folder);
  *isNew = one == NULL || lookAgain(one) != 0;
  if (*isNew) {
    if (one != NULL) forget(one);
    one = &kept[0];
    for (int i = 1; i < keptMax; i++)
      if (kept[i].used < one->used) one = &kept[i];
    forget(one);
    if (lookAnew(wish, &one->listing, &one->records) != 0) return forget(one), NULL;
    digestFiles(&one->listing, one->records, &one->seen);
  }
  one->used = ++looks;
  one->lookedMs = nowMs();
  return one;
}

/*
 * WHY the list is kept after the answer: nobody has to wait for it. The files are held once it was
 * found true: a list that each look makes anew is not worth it.
 */
static int look(const LookWish *wish) {
  for (int tries = 0; tries < triesMax; tries++) {
    int isNew;
    int64_t begun = realtimeNs();
    Kept *one = chdir(wish->folder) == 0 ? lookOnce(wish, &isNew) : NULL;
    if (one == NULL) return tell(NULL);
    /* WHY since its beginning: what was read first could be written again while it went on. */
    if (one->seen.settledNs <= begun) {
      int result = tell(&one->seen);
      if (isNew) keep(wish, one);
      else if (wish->holdMs > 0) startWorkers(&one->watch);
      return result;
    }
    int64_t wait = one->seen.settledNs - realtimeNs();
    if (isNew) forget(one);
    /* A time in the future comes from another clock: nothing can be told from it. */
    if (wait > 1050 * (int64_t)1000000) return tell(NULL);
    if (wait > 0) nanosleep(&(struct timespec){wait / 1000000000, wait % 1000000000}, NULL);
  }
  return tell(NULL);
}

static int readLookWish(const Words *words, LookWish *wish) {
  const struct { const char *key; Names *place; } lists[] = {
    {"cache", &wish->caches}, {"top", &wish->tops},
    {"installed", &wish->installed}, {"built", &wish->built},
  };
  for (int i = 0; i < words->count; i++) {
    char *value = strchr(words->words[i], '='), *key = words->words[i];
    size_t at = 0;
    if (value == NULL) return -1;
    *value++ = '\0';
    while (at < 4 && strcmp(key, lists[at].key) != 0) at++;
    if (at < 4 && lists[at].place->count < namesMax)
      lists[at].place->names[lists[at].place->count++] = value;
    else if (strcmp(key, "folder") == 0)
      wish->folder = value;
    else if (strcmp(key, "filesMax") == 0 && readNumber(value, &wish->filesMax) == 0)
      continue;
    else if (strcmp(key, "holdMs") != 0 || readNumber(value, &wish->holdMs) != 0)
      return -1;
  }
  if (wish->filesMax < 1 || wish->filesMax >= filesHardMax || wish->holdMs > INT_MAX) return -1;
  return wish->folder == NULL ? -1 : 0;
}

int lookAtWorkspaces(void) {
  struct pollfd input = {0, POLLIN, 0};
  int holdMs = -1;
  /* Of workers that have gone, and of the daemon. */
  signal(SIGPIPE, SIG_IGN);
  for (;;) {
    Words words = {0};
    LookWish wish = {0};
    int isIdle = poll(&input, 1, holdMs) == 0;
    if (isIdle) letGo(0);
    while (waitpid(-1, NULL, isIdle ? 0 : WNOHANG) > 0) {}
    if (takeWords(0, &words) != 0) return 0;
    int failed = readLookWish(&words, &wish) != 0 || look(&wish) != 0;
    holdMs = wish.holdMs == 0 ? -1 : (int)wish.holdMs;
    letGo(wish.holdMs);
    free(words.words);
    free(words.bytes);
    /* The folder can be removed, and what it is on unmounted. */
    if (failed || chdir("/") != 0) return 1;
  }
}
