import { expect, test } from 'vitest'
import { peerText } from './decision-peer.ts'

const peer = { uid: 1000, pid: 123, executable: '/usr/bin/node', script: null }

const cases = [
  { peer, text: 'sent by /usr/bin/node (pid 123, user 1000)' },
  {
    peer: { ...peer, script: '/opt/pawl/pawl.js' },
    text: 'sent by /usr/bin/node /opt/pawl/pawl.js (pid 123, user 1000)',
  },
  {
    peer: { ...peer, pid: null, executable: null },
    text: 'sent by an unknown program (user 1000)',
  },
  {
    peer: { ...peer, executable: '/tmp/\u001b[2J\nx\u202e' },
    text: 'sent by /tmp/\\u001b[2J\\u000ax\\u202e (pid 123, user 1000)',
  },
]

test.each(cases)('who sent a decision is told in words: $text', ({ peer: one, text }) => {
  expect(peerText(one)).toBe(text)
})
