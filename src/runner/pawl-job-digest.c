/*
 * BLAKE2b (RFC 7693), as Node's `blake2b512`, and of that the first half. WHY not SHA-256: that
 * is fast only with instructions that not every processor has.
 */
#include "pawl-job-look.h"

static const uint64_t start[8] = {
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static const unsigned char order[10][16] = {
  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
  {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
  {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
  {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
  {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
  {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
  {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
  {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
  {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
  {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static uint64_t turn(uint64_t word, int by) { return (word >> by) | (word << (64 - by)); }

typedef struct {
  int a, b, c, d;
} Places;

static inline void mix(uint64_t v[16], Places at, uint64_t one, uint64_t two) {
  v[at.a] += v[at.b] + one;
  v[at.d] = turn(v[at.d] ^ v[at.a], 32);
  v[at.c] += v[at.d];
  v[at.b] = turn(v[at.b] ^ v[at.c], 24);
  v[at.a] += v[at.b] + two;
  v[at.d] = turn(v[at.d] ^ v[at.a], 16);
  v[at.c] += v[at.d];
  v[at.b] = turn(v[at.b] ^ v[at.c], 63);
}

static void addBlock(Digest *digest, int isLast) {
  uint64_t v[16], words[16];
  memcpy(words, digest->block, sizeof words);
  memcpy(v, digest->state, sizeof digest->state);
  memcpy(v + 8, start, sizeof start);
  v[12] ^= digest->bytes;
  if (isLast) v[14] = ~v[14];
  for (int round = 0; round < 12; round++) {
    const unsigned char *now = order[round % 10];
    /* WHY not a loop: the places are known when this is compiled. */
    mix(v, (Places){0, 4, 8, 12}, words[now[0]], words[now[1]]);
    mix(v, (Places){1, 5, 9, 13}, words[now[2]], words[now[3]]);
    mix(v, (Places){2, 6, 10, 14}, words[now[4]], words[now[5]]);
    mix(v, (Places){3, 7, 11, 15}, words[now[6]], words[now[7]]);
    mix(v, (Places){0, 5, 10, 15}, words[now[8]], words[now[9]]);
    mix(v, (Places){1, 6, 11, 12}, words[now[10]], words[now[11]]);
    mix(v, (Places){2, 7, 8, 13}, words[now[12]], words[now[13]]);
    mix(v, (Places){3, 4, 9, 14}, words[now[14]], words[now[15]]);
  }
  for (int i = 0; i < 8; i++) digest->state[i] ^= v[i] ^ v[i + 8];
}

void beginDigest(Digest *digest) {
  *digest = (Digest){.bytes = 0};
  memcpy(digest->state, start, sizeof start);
  /* No key, 64 bytes long. */
  digest->state[0] ^= 0x01010040;
}

void addToDigest(Digest *digest, const void *bytes, size_t length) {
  const unsigned char *from = bytes;
  while (length > 0) {
    /* The last block is another one, so a full one waits until more follows. */
    if (digest->used == sizeof digest->block) {
      digest->bytes += digest->used;
      digest->used = 0;
      addBlock(digest, 0);
    }
    size_t room = sizeof digest->block - digest->used;
    size_t part = length < room ? length : room;
    memcpy(digest->block + digest->used, from, part);
    digest->used += part;
    from += part;
    length -= part;
  }
}

void endDigest(Digest *digest, char hex[65]) {
  digest->bytes += digest->used;
  memset(digest->block + digest->used, 0, sizeof digest->block - digest->used);
  addBlock(digest, 1);
  for (int i = 0; i < 32; i++)
    snprintf(hex + 2 * i, 3, "%02x", (unsigned)(digest->state[i / 8] >> (8 * (i % 8))) & 0xff);
}
