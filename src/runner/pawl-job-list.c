/*
 * The files of the current folder that evidence is about: in a git repository, those that git
 * tracks and new ones that are not ignored; elsewhere, those that a bounded walk finds. The same
 * as `runtime/workspace/list-files.ts`, which says why.
 */
#include "pawl-job-look.h"

#include <dirent.h>

struct Block {
  Block *next;
  size_t used, size;
  char bytes[];
};

enum { blockBytes = 1 << 20 };

char *copyText(Listing *listing, const char *text, size_t length) {
  Block *block = listing->memory;
  if (block == NULL || block->size - block->used < length + 1) {
    size_t size = length + 1 > blockBytes ? length + 1 : blockBytes;
    block = malloc(sizeof *block + size);
    if (block == NULL) return NULL;
    *block = (Block){.next = listing->memory, .size = size};
    listing->memory = block;
  }
  char *copy = block->bytes + block->used;
  memcpy(copy, text, length);
  copy[length] = '\0';
  block->used += length + 1;
  return copy;
}

char *joinPath(Listing *listing, const char *folder, const char *name) {
  char path[PATH_MAX + NAME_MAX + 2];
  int length = snprintf(path, sizeof path, "%s%s%s", folder, *folder == '\0' ? "" : "/", name);
  if (length < 0 || (size_t)length >= sizeof path) return NULL;
  return copyText(listing, path, (size_t)length);
}

void freeListing(Listing *listing) {
  for (Block *block = listing->memory; block != NULL;) {
    Block *next = block->next;
    free(block);
    block = next;
  }
  free(listing->files.paths);
  free(listing->links.paths);
  free(listing->targets.paths);
  free(listing->walked.paths);
  *listing = (Listing){0};
}

int addPathTo(PathList *list, char *path) {
  if (path == NULL || list->count >= filesHardMax) return -1;
  if (list->count == list->room) {
    size_t room = list->room == 0 ? 1024 : list->room * 2;
    char **paths = realloc(list->paths, room * sizeof *paths);
    if (paths == NULL) return -1;
    list->paths = paths;
    list->room = room;
  }
  list->paths[list->count++] = path;
  return 0;
}

static int holds(const Names *names, const char *name, size_t length) {
  for (int i = 0; i < names->count; i++)
    if (strlen(names->names[i]) == length && memcmp(names->names[i], name, length) == 0) return 1;
  return 0;
}

int isCache(const LookWish *wish, const char *path) {
  const char *part = path;
  for (;;) {
    size_t length = strcspn(part, "/");
    if (holds(&wish->caches, part, length)) return 1;
    if (part == path && holds(&wish->tops, part, length)) return 1;
    if (part[length] == '\0') return 0;
    part += length + 1;
  }
}

static int hasPart(const Names *names, const char *path) {
  for (;;) {
    size_t length = strcspn(path, "/");
    if (holds(names, path, length)) return 1;
    if (path[length] == '\0') return 0;
    path += length + 1;
  }
}

int isFolder(const char *path, unsigned char type) {
  if (type != DT_UNKNOWN) return type == DT_DIR;
  StatRecord record;
  return statOne(path, &record) == 0 && S_ISDIR((mode_t)record.mode);
}

typedef struct {
  const LookWish *wish;
  const Names *without;
  Listing *listing;
} Walk;

/*
 * What says whether the folder that it is in is a repository, of which git lists nothing. The one of
 * the workspace itself changes all the time, and what of it counts is watched anyway.
 */
int addGit(Listing *listing, PathList *list, char *path, unsigned char type) {
  if (strcmp(path, ".git") == 0) return 0;
  if (addPathTo(list, path) != 0) return -1;
  return isFolder(path, type) ? addPathTo(list, joinPath(listing, path, "HEAD")) : 0;
}

/* Every file below a folder. -1: too many, or one that cannot be read: it could change unseen. */
static int walk(const Walk *how, char *folder, int depth) {
  Listing *listing = how->listing;
  if (depth > walkDepthMax || addPathTo(&listing->walked, folder) != 0) return -1;
  if (listing->walked.count > (size_t)how->wish->filesMax) return -1;
  DIR *open = opendir(*folder == '\0' ? "." : folder);
  if (open == NULL) return -1;
  int failed = 0;
  for (struct dirent *entry; !failed && (errno = 0, entry = readdir(open)) != NULL;) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    char *path = joinPath(listing, folder, name);
    if (path == NULL) failed = 1;
    else if (strcmp(name, ".git") == 0)
      failed = addGit(listing, &listing->walked, path, entry->d_type) != 0;
    else if (holds(how->without, name, strlen(name)) || isCache(how->wish, path)) continue;
    else if (isFolder(path, entry->d_type)) failed = walk(how, path, depth + 1) != 0;
    else failed = addPathTo(&listing->files, path) != 0;
    failed |= listing->files.count > (size_t)how->wish->filesMax;
  }
  failed |= errno != 0;
  closedir(open);
  return failed ? -1 : 0;
}

int byBytes(const void *one, const void *two) {
  return strcmp(*(char *const *)one, *(char *const *)two);
}

/* Git sorts what it lists, so mostly there is nothing to do. */
static void sortFrom(PathList *list, size_t from) {
  for (size_t i = from + 1; i < list->count; i++)
    if (strcmp(list->paths[i - 1], list->paths[i]) > 0) {
      qsort(list->paths + from, list->count - from, sizeof *list->paths, byBytes);
      return;
    }
}

static void removeTwins(PathList *list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++)
    if (kept == 0 || strcmp(list->paths[kept - 1], list->paths[i]) != 0)
      list->paths[kept++] = list->paths[i];
  list->count = kept;
}

/* Entries are `H path` where git tracks the file, and `? path` where it is new. */
static int takeEntries(const LookWish *wish, Listing *listing, char *output, size_t length) {
  Walk inner = {wish, &wish->installed, listing};
  for (char *entry = output; entry < output + length;) {
    char *end = memchr(entry, '\0', (size_t)(output + length - entry));
    if (end == NULL) return -1;
    char *path = entry + 2;
    size_t bytes = end > path ? (size_t)(end - path) : 0;
    int isNew = *entry == '?';
    entry = end + 1;
    if (bytes == 0) continue;
    if (isNew && path[bytes - 1] == '/') {
      /* A repository inside this one: git does not look into it. */
      path[bytes - 1] = '\0';
      if (walk(&inner, path, 0) != 0) return -1;
    } else if ((!isNew || !isCache(wish, path)) && addPathTo(&listing->files, path) != 0) {
      return -1;
    }
    if (listing->files.count > (size_t)wish->filesMax) return -1;
  }
  return 0;
}

/* How many folders the workspace is below the top of its repository; -1: it cannot be told. */
static int levelsBelowTop(void) {
  static const char *const args[] = {
    "git", "-c", "safe.directory=*", "rev-parse", "--show-cdup", NULL,
  };
  Output output = {0};
  int levels = 0, failed = runGit(args, -1, &output) != 0 || output.status != 0;
  size_t at = 0;
  for (; !failed && at + 3 <= output.length && memcmp(output.bytes + at, "../", 3) == 0; at += 3)
    levels++;
  failed = failed || at + 1 != output.length || output.bytes[at] != '\n';
  free(output.bytes);
  return failed || levels > walkDepthMax ? -1 : levels;
}

static const char ignoreName[] = ".gitignore";

/* Lists the files of rules that hide themselves. -1: it cannot be started. */
static int startHidden(GitChild *child) {
  const char *args[16 + walkDepthMax] = {
    "git", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
    "-c", "safe.directory=*", "ls-files", "-z", "--others", "--ignored",
    "--exclude-per-directory=.gitignore", "--directory", "--", ":(glob)**/.gitignore",
  };
  size_t given = 15;
  char above[3 * walkDepthMax + sizeof ignoreName];
  int levels = levelsBelowTop();
  if (levels < 0) return -1;
  for (int i = 0; i < levels; i++) memcpy(above + 3 * i, "../", 3);
  memcpy(above + 3 * levels, ignoreName, sizeof ignoreName);
  for (int i = 0; i < levels; i++) args[given++] = above + 3 * i;
  return startGit(args, -1, child);
}

/* Rules that hide themselves do not count: all that is in their folders is listed. */
static int takeHidden(const LookWish *wish, Listing *listing, const GitChild *child) {
  Walk inner = {wish, &wish->installed, listing};
  Output output = {0};
  int failed = endGit(child, &output) != 0 || output.status != 0;
  for (size_t at = 0; !failed && at < output.length;) {
    const char *entry = output.bytes + at, *end = memchr(entry, '\0', output.length - at);
    if (end == NULL) {
      failed = 1;
      break;
    }
    size_t length = (size_t)(end - entry), own = sizeof ignoreName - 1;
    at += length + 1;
    if (length < own || strcmp(end - own, ignoreName) != 0) continue;
    if (length > own && end[-(long)own - 1] != '/') continue;
    if (isCache(wish, entry) || hasPart(&wish->installed, entry)) continue;
    /* Of rules above the workspace, all of the workspace may be hidden. */
    int isAbove = strncmp(entry, "../", 3) == 0;
    char *folder = copyText(listing, entry, !isAbove && length > own ? length - own - 1 : 0);
    failed = folder == NULL || walk(&inner, folder, 0) != 0;
  }
  free(output.bytes);
  return failed ? -1 : 0;
}

/* Of a folder that a repository around it ignores, git lists nothing. */
static int isIgnoredFolder(void) {
  static const char *const args[] = {
    "git", "-c", "safe.directory=*", "check-ignore", "-q", ".", NULL,
  };
  Output output = {0};
  int isIgnored = runGit(args, -1, &output) == 0 && output.status == 0;
  free(output.bytes);
  return isIgnored;
}

/* 1: git says what there is; 0: there is no repository; -1: it cannot be told. */
static int listByGit(const LookWish *wish, Listing *listing) {
  static const char *const args[] = {
    "git", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
    "-c", "safe.directory=*", "ls-files", "-z", "-t",
    "--cached", "--others", "--exclude-per-directory=.gitignore", NULL,
  };
  GitChild hidden;
  Output output = {0};
  /* WHY at the same time: each walks through all folders, which takes most of a look. */
  int isStarted = startHidden(&hidden) == 0, result = runGit(args, -1, &output);
  if (result == 0 && output.status == 127) result = 0;
  else if (result == 0 && output.status == 128)
    result = strstr(output.said, "not a git repository") == NULL ? -1 : 0;
  else if (result == 0) result = output.status != 0 ? -1 : isIgnoredFolder() ? 0 : 1;
  char *kept = result != 1 || output.length == 0 ? NULL
                                                 : copyText(listing, output.bytes, output.length);
  if (result == 1 && output.length > 0)
    result = kept != NULL && takeEntries(wish, listing, kept, output.length) == 0 ? 1 : -1;
  free(output.bytes);
  if (result == 1) return isStarted && takeHidden(wish, listing, &hidden) == 0 ? 1 : -1;
  if (isStarted) stopGit(&hidden);
  return result;
}

/* The first round: what is in the current folder. */
int listFiles(const LookWish *wish, Listing *listing) {
  *listing = (Listing){.begunNs = realtimeNs()};
  int byGit = listByGit(wish, listing);
  Walk all = {wish, &wish->built, listing};
  if (byGit < 0) return -1;
  listing->isByGit = byGit;
  if (!byGit && walk(&all, copyText(listing, "", 0), 0) != 0) return -1;
  sortFrom(&listing->files, 0);
  removeTwins(&listing->files);
  listing->ends[listing->rounds++] = listing->files.count;
  return 0;
}

/* Where a link leads in the end; "": nowhere. -1: it cannot be told. */
int realTarget(const char *link, char target[PATH_MAX]) {
  if (realpath(link, target) != NULL) return 0;
  *target = '\0';
  return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -1;
}

/* Whether the first round has files below a folder. */
static int isListed(const Listing *listing, const char *folder) {
  size_t low = 0, high = listing->ends[0], length = strlen(folder);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *path = listing->files.paths[middle];
    int order = strncmp(path, folder, length);
    if (order == 0) order = (unsigned char)path[length] - '/';
    if (order == 0) return 1;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return 0;
}

/* Whether a folder is looked at that a link leads to. -1: it has the workspace in it. */
static int countsAsTarget(const Walk *how, const char *target) {
  char root[PATH_MAX];
  size_t length = strlen(target);
  if (realpath(".", root) == NULL || strcmp(target, "/") == 0) return -1;
  size_t own = strlen(root);
  if (strcmp(root, target) == 0) return 0;
  if (strncmp(root, target, length) == 0 && root[length] == '/') return -1;
  if (strncmp(target, root, own) != 0 || target[own] != '/') return 1;
  const char *inside = target + own + 1;
  if (isCache(how->wish, inside) || hasPart(&how->wish->installed, inside)) return 0;
  return !isListed(how->listing, inside);
}

/* What a link leads to is looked at too: it is what programs read. */
static int followLink(const Walk *how, char *link) {
  Listing *listing = how->listing;
  char target[PATH_MAX];
  StatRecord record;
  if (listing->links.count >= linksMax || realTarget(link, target) != 0) return -1;
  int isNew = *target != '\0';
  for (size_t i = 0; i < listing->targets.count && isNew; i++)
    isNew = strcmp(listing->targets.paths[i], target) != 0;
  char *kept = copyText(listing, target, strlen(target));
  if (addPathTo(&listing->links, link) != 0 || addPathTo(&listing->targets, kept) != 0) return -1;
  if (!isNew) return 0;
  if (statOne(target, &record) != 0) return -1;
  int counts = S_ISDIR((mode_t)record.mode) ? countsAsTarget(how, target)
                                            : S_ISREG((mode_t)record.mode);
  return counts == 1 ? addPathTo(&listing->files, kept) : counts;
}

/* The next round: what is in the folders of the last one, and where its links lead. */
int listRound(const LookWish *wish, Listing *listing, const StatRecord *records) {
  static const Names none = {.count = 0};
  Walk all = {wish, &none, listing}, outside = {wish, &wish->installed, listing};
  size_t to = listing->files.count;
  size_t from = listing->rounds < 2 ? 0 : listing->ends[listing->rounds - 2];
  for (size_t i = from; i < to; i++)
    if (S_ISDIR((mode_t)records[i].mode)) {
      char *path = listing->files.paths[i];
      if (walk(*path == '/' ? &outside : &all, path, 0) != 0) return -1;
    } else if (S_ISLNK((mode_t)records[i].mode)) {
      if (followLink(&all, listing->files.paths[i]) != 0) return -1;
    }
  if (listing->files.count == to) return 0;
  if (listing->rounds == roundsMax) return -1;
  sortFrom(&listing->files, to);
  listing->ends[listing->rounds++] = listing->files.count;
  return 0;
}
