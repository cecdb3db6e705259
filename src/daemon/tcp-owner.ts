/**
 * Finds the other end of a connection in the text of `/proc/net/tcp` or `/proc/net/tcp6`. Knows
 * that table, and reads no file.
 */

/** A connection as we see it: `remote` is the other end. */
export type TcpEnds = {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly localAddress: string
  readonly localPort: number
}

export type TcpOwner = { readonly uid: number; readonly inode: string }

/** Null: it is not in the table, or nobody has it open any more. */
export function findTcpOwner(table: string, ends: TcpEnds): TcpOwner | null {
  const theirs = placesOf(ends.remoteAddress, ends.remotePort)
  const ours = placesOf(ends.localAddress, ends.localPort)
  for (const line of table.split('\n')) {
    const [, from = '', to = '', , , , , uid = '', , inode = '0'] = line.trim().split(/ +/)
    if (!theirs.includes(from) || !ours.includes(to)) continue
    return inode === '0' || !/^\d+$/.test(uid) ? null : { uid: Number(uid), inode }
  }
  return null
}

/** How the table may write an address: its words in the order of the machine's bytes. */
function placesOf(address: string, port: number): readonly string[] {
  const end = `:${hexOf(port, 4)}`
  if (address === '::1') return [`${'0'.repeat(24)}01000000${end}`]
  const four = address
    .replace(/^::ffff:/, '')
    .split('.')
    .map((part) => hexOf(Number(part), 2))
    .toReversed()
    .join('')
  // A program may have opened a socket of version 6 for an address of version 4.
  return [`${four}${end}`, `${'0'.repeat(16)}FFFF0000${four}${end}`]
}

function hexOf(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0')
}
