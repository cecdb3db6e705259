import { expect, test } from 'vitest'
import { findTcpOwner } from './tcp-owner.ts'

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'

const queues = '00000000:00000000 00:00000000'

function tableOf(...rows: readonly (readonly [string, string, number, number])[]): string {
  const lines = rows.map(
    ([from, to, uid, inode], at) =>
      `   ${at}: ${from} ${to} 01 ${queues} 00000000 ${uid}        0 ${inode} 1 0`,
  )
  return `${[head, ...lines].join('\n')}\n`
}

// Our end is port 7180 (1C0C), theirs 50000 (C350).
const ends = {
  ...{ remoteAddress: '127.0.0.1', remotePort: 50_000 },
  ...{ localAddress: '127.0.0.1', localPort: 7_180 },
}
const ours = '0100007F:1C0C'
const theirs = '0100007F:C350'
const mapped = '0000000000000000FFFF0000'
const six = '00000000000000000000000001000000'
const endsSix = { ...ends, remoteAddress: '::1', localAddress: '::1' }

const cases = [
  { name: 'their end', table: tableOf([theirs, ours, 1000, 77]), inode: '77' },
  { name: 'not our own end', table: tableOf([ours, theirs, 1000, 77]), inode: null },
  { name: 'not another connection', table: tableOf([theirs, '0100007F:1C0D', 1, 7]), inode: null },
  { name: 'not one that nobody has open', table: tableOf([theirs, ours, 0, 0]), inode: null },
  {
    name: 'the right one of several',
    table: tableOf(['0100007F:C351', ours, 1, 7], [ours, theirs, 0, 8], [theirs, ours, 5, 9]),
    inode: '9',
  },
  {
    name: 'a socket of version 6 with an address of version 4',
    table: tableOf([`${mapped}${theirs}`, `${mapped}${ours}`, 1000, 78]),
    inode: '78',
  },
  { name: 'nothing in a table that ends early', table: `${head}\n   0: 0100007F`, inode: null },
  { name: 'nothing in no table', table: '', inode: null },
  {
    name: 'an address of version 6',
    ends: endsSix,
    table: tableOf([`${six}:C350`, `${six}:1C0C`, 1000, 79]),
    inode: '79',
  },
]

test.each(cases)('finds $name', ({ table, inode, ends: wanted = ends }) => {
  expect(findTcpOwner(table, wanted)?.inode ?? null).toBe(inode)
})
