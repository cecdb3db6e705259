/*
 * Words over a pipe: their number of bytes in a line, then each with a zero byte behind it.
 * WHY not arguments: `/proc/1/cmdline` would tell a job what is hidden from it, and where.
 */
#include "pawl-job.h"

enum { headBytesMax = 12 };

static int readAll(int fd, char *bytes, size_t count) {
  while (count > 0) {
    ssize_t got = read(fd, bytes, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    bytes += got;
    count -= (size_t)got;
  }
  return 0;
}

static int writeAll(int fd, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t done = write(fd, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return -1;
    bytes += done;
    count -= (size_t)done;
  }
  return 0;
}

static int takeHead(int fd, long long *bytes) {
  char head[headBytesMax + 1] = {0};
  for (int i = 0; i < headBytesMax; i++) {
    if (readAll(fd, &head[i], 1) != 0) return -1;
    if (head[i] != '\n') continue;
    head[i] = '\0';
    return readNumber(head, bytes);
  }
  return -1;
}

static int splitWords(Words *words) {
  for (size_t i = 0; i < words->length; i++) words->count += words->bytes[i] == '\0';
  words->words = calloc((size_t)words->count + 1, sizeof *words->words);
  if (words->words == NULL) return -1;
  char *next = words->bytes;
  for (int i = 0; i < words->count; i++, next += strlen(next) + 1) words->words[i] = next;
  return 0;
}

/* Waits for words; -1: whoever should have sent them has gone, or has sent something else. */
int takeWords(int fd, Words *words) {
  long long bytes;
  if (takeHead(fd, &bytes) != 0 || bytes > wordsBytesMax) return -1;
  words->length = (size_t)bytes;
  words->bytes = malloc(words->length + 1);
  if (words->bytes == NULL || readAll(fd, words->bytes, words->length) != 0) return -1;
  if (words->length > 0 && words->bytes[words->length - 1] != '\0') return -1;
  return splitWords(words);
}

int passWords(int fd, const Words *words) {
  char head[headBytesMax + 1];
  int length = snprintf(head, sizeof head, "%zu\n", words->length);
  if (writeAll(fd, head, (size_t)length) != 0) return -1;
  return writeAll(fd, words->bytes, words->length);
}
