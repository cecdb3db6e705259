/*
 * `pawl-job peer`: process and user at the other end of the connection on descriptor 3, as they
 * were when it was made. Node cannot ask for them. `daemon/find-peer.ts` is its caller.
 */
#include "pawl-job.h"

#include <sys/socket.h>

int tellPeer(void) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(3, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 1;
  return printf("%d %u\n", (int)peer.pid, (unsigned)peer.uid) > 0 ? 0 : 1;
}
