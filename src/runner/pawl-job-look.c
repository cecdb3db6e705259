/*
 * `pawl-job look`: fingerprints of workspaces, one after another, for as long as its input is open.
 * A request is words: `folder=…`, the most files, and the names that do not count. The answer is
 * words too: the fingerprint and the files that changed last, newest first; or `none`.
 * Every look reads the times of every file. Only the list of names is kept, while what it was made
 * of stays as it was (keep). `runtime/workspace/look-by-helper.ts` is the caller.
 */
#include "pawl-job-look.h"

enum { keptMax = 4, triesMax = 4, keptFilesMax = 200000 };

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
  char *folder;
  Listing listing;
  PathList watched; /* and behind those, the files: they are read together */
  size_t watchedCount;
  StatRecord *records;
  Seen seen;
  unsigned long long used;
} Kept;

static Kept kept[keptMax];
static unsigned long long looks;

static void forget(Kept *one) {
  freeListing(&one->listing);
  free(one->watched.paths);
  free(one->records);
  free(one->folder);
  *one = (Kept){0};
}

static Kept *findKept(const char *folder) {
  for (int i = 0; i < keptMax; i++)
    if (kept[i].folder != NULL && strcmp(kept[i].folder, folder) == 0) return &kept[i];
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
  size_t count = one->watched.count, watched = one->watchedCount;
  StatRecord *records = malloc(count * sizeof *records);
  int result = records == NULL ? -1 : statOnAllCores(one->watched.paths, records, count);
  if (result == 0) result = memcmp(records, one->records, watched * sizeof *records) == 0 ? 0 : -1;
  for (size_t i = watched; i < count && result == 0; i++)
    if ((records[i].mode & S_IFMT) != (one->records[i].mode & S_IFMT)) result = -1;
  for (size_t i = 0; i < one->listing.links.count && result == 0; i++) {
    char target[PATH_MAX];
    result = realTarget(one->listing.links.paths[i], target);
    if (result == 0 && strcmp(target, one->listing.targets.paths[i]) != 0) result = -1;
  }
  if (result == 0 && memcmp(records, one->records, count * sizeof *records) != 0) {
    digestFiles(&one->listing, records + watched, &one->seen);
    free(one->records);
    one->records = records;
    return 0;
  }
  free(records);
  return result;
}

/* Keeps the list for the next look, if nothing that it rests on has changed since it was begun. */
static void keep(const LookWish *wish, Kept *one) {
  StatRecord *records = one->records;
  size_t files = one->listing.files.count;
  one->records = NULL;
  int failed = findWatched(wish, &one->listing, &one->watched) != 0;
  size_t watched = one->watchedCount = one->watched.count;
  for (size_t i = 0; i < watched; i++)
    if (*one->watched.paths[i] == '\0') one->watched.paths[i] = ".";
  for (size_t i = 0; i < files && !failed; i++)
    failed = addPathTo(&one->watched, one->listing.files.paths[i]) != 0;
  if (!failed) one->records = malloc((watched + files) * sizeof *records);
  failed |= one->records == NULL || files > keptFilesMax ||
            statOnAllCores(one->watched.paths, one->records, watched) != 0;
  for (size_t i = 0; i < watched && !failed; i++)
    failed = settledNs(one->records[i].ctimeNs) > one->listing.begunNs;
  if (!failed) memcpy(one->records + watched, records, files * sizeof *records);
  free(records);
  one->folder = failed ? NULL : strdup(wish->folder);
  if (one->folder == NULL) forget(one);
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
  return one;
}

/* WHY the list is kept after the answer: nobody has to wait for it. */
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
    if (strcmp(key, "folder") == 0) wish->folder = value;
    else if (strcmp(key, "filesMax") == 0) {
      if (readNumber(value, &wish->filesMax) != 0 || wish->filesMax >= filesHardMax) return -1;
    } else {
      while (at < 4 && strcmp(key, lists[at].key) != 0) at++;
      if (at == 4 || lists[at].place->count == namesMax) return -1;
      lists[at].place->names[lists[at].place->count++] = value;
    }
  }
  return wish->folder == NULL || wish->filesMax < 1 ? -1 : 0;
}

int lookAtWorkspaces(void) {
  for (;;) {
    Words words = {0};
    LookWish wish = {0};
    if (takeWords(0, &words) != 0) return 0;
    int failed = readLookWish(&words, &wish) != 0 || look(&wish) != 0;
    free(words.words);
    free(words.bytes);
    /* The folder can be removed, and what it is on unmounted. */
    if (failed || chdir("/") != 0) return 1;
  }
}
