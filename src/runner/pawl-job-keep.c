/*
 * What has to stay as it is for a list of files to stay true: the folders that git reads, what
 * `.gitignore` files say, and the index. A file is added, removed or renamed in no folder without
 * a new time of that folder. Folders that no rule ignores are watched even where they are empty;
 * to watch too many costs time, to watch too few would be a hole.
 */
#include "pawl-job-look.h"

#include <dirent.h>

enum { askedBytesMax = 60000, nanosecondsPerMs = 1000000 };

int64_t realtimeNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* From this moment on, a later write has a later time. Some file systems count whole seconds. */
int64_t settledNs(int64_t ctimeNs) {
  return ctimeNs + (ctimeNs % 1000000000 == 0 ? 1050 : 20) * (int64_t)nanosecondsPerMs;
}

typedef struct {
  const LookWish *wish;
  Listing *listing;
  PathList *watched, known, asked;
  size_t askedBytes;
} Search;

static int isKnown(const Search *search, char *path) {
  const PathList *known = &search->known;
  return bsearch(&path, known->paths, known->count, sizeof path, byBytes) != NULL;
}

/* All folders above the files. Sorted files of one folder are beside each other. */
static int addFoldersAbove(Search *search) {
  const PathList *files = &search->listing->files;
  const char *last = "";
  if (addPathTo(search->watched, copyText(search->listing, "", 0)) != 0) return -1;
  for (size_t i = 0; i < files->count; last = files->paths[i++]) {
    const char *path = files->paths[i];
    size_t same = 0;
    /* Where links lead: the links are followed again at each look. */
    if (*path == '/') continue;
    while (path[same] != '\0' && path[same] == last[same]) same++;
    for (const char *end = strchr(path + same, '/'); end != NULL; end = strchr(end + 1, '/')) {
      char *folder = copyText(search->listing, path, (size_t)(end - path));
      if (addPathTo(search->watched, folder) != 0) return -1;
    }
  }
  return 0;
}

static int addEntry(Search *search, char *folder, const struct dirent *entry) {
  const char *name = entry->d_name;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return 0;
  int isRules = strcmp(name, ".gitignore") == 0, isGit = strcmp(name, ".git") == 0;
  if (!isRules && !isGit && entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) return 0;
  char *path = joinPath(search->listing, folder, name);
  if (path == NULL) return -1;
  if (isRules) return addPathTo(search->watched, path);
  if (isGit) return addGit(search->listing, search->watched, path, entry->d_type);
  if (isCache(search->wish, path) || isKnown(search, path)) return 0;
  if (!isFolder(path, entry->d_type)) return 0;
  search->askedBytes += strlen(path) + 1;
  return addPathTo(&search->asked, path);
}

/* The rules in a folder, and the folders in it of which git lists nothing. */
static int readWatched(Search *search, char *folder) {
  DIR *open = opendir(*folder == '\0' ? "." : folder);
  /* Gone, or no folder: its record says so. Else it cannot be told what is in it. */
  if (open == NULL) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  int failed = 0;
  for (struct dirent *entry; !failed && (errno = 0, entry = readdir(open)) != NULL;)
    failed = addEntry(search, folder, entry) != 0;
  failed |= errno != 0;
  closedir(open);
  return failed ? -1 : 0;
}

/* A pipe that holds all the paths. -1: they do not fit. */
static int openQuestion(const Search *search) {
  int ends[2];
  if (search->askedBytes > askedBytesMax || pipe(ends) != 0) return -1;
  closeOnExec(ends[0]);
  int failed = fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0;
  for (size_t i = 0; i < search->asked.count && !failed; i++) {
    size_t length = strlen(search->asked.paths[i]) + 1;
    failed = write(ends[1], search->asked.paths[i], length) != (ssize_t)length;
  }
  close(ends[1]);
  return failed ? close(ends[0]), -1 : ends[0];
}

static char *nextField(Output *output, size_t *at) {
  char *field = output->bytes + *at;
  char *end = memchr(field, '\0', output->length - *at);
  if (end == NULL) return NULL;
  *at = (size_t)(end + 1 - output->bytes);
  return field;
}

/*
 * Keeps of the asked folders those that no `.gitignore` ignores. Excludes of the user do not
 * count when files are listed, so they do not count here.
 */
static int dropIgnored(Search *search, Output *output) {
  size_t at = 0, kept = 0;
  for (size_t i = 0; i < search->asked.count; i++) {
    char *fields[4];
    for (int j = 0; j < 4; j++)
      if ((fields[j] = nextField(output, &at)) == NULL) return -1;
    if (strcmp(fields[3], search->asked.paths[i]) != 0) return -1;
    const char *file = strrchr(fields[0], '/');
    int isRule = strcmp(file == NULL ? fields[0] : file + 1, ".gitignore") == 0;
    if (isRule && fields[2][0] != '!') continue;
    search->asked.paths[kept++] = search->asked.paths[i];
  }
  search->asked.count = kept;
  return 0;
}

static int askGit(Search *search) {
  static const char *const args[] = {
    "git", "-c", "core.excludesFile=/dev/null", "-c", "core.fsmonitor=false",
    "-c", "safe.directory=*", "check-ignore", "-z", "-v", "-n", "--stdin", NULL,
  };
  Output output;
  if (search->asked.count == 0) return 0;
  int question = openQuestion(search);
  if (question < 0) return -1;
  int result = runGit(args, question, &output);
  close(question);
  if (result == 0 && (output.status > 1 || output.status < 0)) result = -1;
  if (result == 0) result = dropIgnored(search, &output);
  free(output.bytes);
  return result;
}

/* The index, and what says how to read it. */
static int addIndex(Search *search) {
  static const char *const args[] = {
    "git", "-c", "safe.directory=*", "rev-parse", "--git-path", "index", "--git-path", "config",
    "--git-path", "config.worktree", NULL,
  };
  Output output;
  StatRecord own;
  if (statOne(".git", &own) != 0 || own.mode == 0) return -1;
  if (!S_ISDIR((mode_t)own.mode) &&
      addPathTo(search->watched, copyText(search->listing, ".git", 4)) != 0)
    return -1;
  int failed = runGit(args, -1, &output) != 0 || output.status != 0, count = 0;
  for (size_t at = 0; !failed && at < output.length; count++) {
    char *end = memchr(output.bytes + at, '\n', output.length - at);
    size_t length = end == NULL ? 0 : (size_t)(end - output.bytes) - at;
    failed = length == 0 ||
             addPathTo(search->watched, copyText(search->listing, output.bytes + at, length)) != 0;
    at += length + 1;
  }
  free(output.bytes);
  return failed || count != 3 ? -1 : 0;
}

/* What was walked here was listed without rules: only its own times count. */
static int readAbove(Search *search, size_t above) {
  PathList *known = &search->known, *walked = &search->listing->walked, unread = {0};
  int failed = 0;
  for (size_t i = 0; i < walked->count && !failed; i++)
    failed = addPathTo(known, walked->paths[i]) != 0;
  if (known->count > 0) qsort(known->paths, known->count, sizeof *known->paths, byBytes);
  for (size_t i = 0; i < above && !failed; i++)
    if (!isKnown(search, search->watched->paths[i]))
      failed = addPathTo(&unread, search->watched->paths[i]) != 0;
  for (size_t i = 0; i < above && !failed; i++)
    failed = addPathTo(known, search->watched->paths[i]) != 0;
  for (size_t i = 0; i < walked->count && !failed; i++)
    failed = addPathTo(search->watched, walked->paths[i]) != 0;
  if (known->count > 0) qsort(known->paths, known->count, sizeof *known->paths, byBytes);
  for (size_t i = 0; i < unread.count && !failed; i++)
    failed = readWatched(search, unread.paths[i]) != 0;
  free(unread.paths);
  return failed ? -1 : 0;
}

static int search(Search *search) {
  if (addFoldersAbove(search) != 0 || readAbove(search, search->watched->count) != 0) return -1;
  if (askGit(search) != 0 || addIndex(search) != 0) return -1;
  /* What is below a folder that is not ignored is watched without asking again. */
  for (size_t i = 0; i < search->asked.count; i++) {
    if (search->watched->count > (size_t)search->wish->filesMax) return -1;
    if (addPathTo(search->watched, search->asked.paths[i]) != 0) return -1;
    if (readWatched(search, search->asked.paths[i]) != 0) return -1;
  }
  return 0;
}

/* What has to be watched. -1: the list cannot be kept, and is made anew by the next look. */
int findWatched(const LookWish *wish, Listing *listing, PathList *watched) {
  Search all = {.wish = wish, .listing = listing, .watched = watched};
  int result = listing->isByGit ? search(&all) : -1;
  free(all.known.paths);
  free(all.asked.paths);
  return result;
}
