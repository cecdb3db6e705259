/**
 * Programs whose plain arguments carry the trouble: a second address, a command inside a query.
 */
import { anyOf } from './any-of.ts'
import type { Tail } from './tail.ts'
import { isOutside } from './where.ts'

const curlWithValue = anyOf(
  '^',
  [
    '-[AbCdDeEFhHJKmMoPQrtTuUvwxXyYz] --data --data-raw --data-binary --data-urlencode --json',
    '--header --user --user-agent --referer --cookie --cookie-jar --form --output --output-dir',
    '--request --max-time --connect-timeout --retry --retry-delay --write-out --cacert --cert',
    '--key --upload-file --range --dump-header --proto --limit-rate --url --proxy --config',
    '--resolve --connect-to --interface',
  ],
  '$',
)

const curlElsewhere = anyOf(
  '^',
  [
    '-K -x --config --proxy --preproxy --socks\\w* --connect-to --resolve --doh-url --url',
    '--next -: --interface --unix-socket --abstract-unix-socket',
  ],
  '',
)

/** An address beyond the listed one, a way round it, or a file outside of the workspace. */
export function curlTrouble(tail: Tail): string | null {
  const listed = tail.words.slice(0, tail.listedCount).some((word) => /^\w+:\/\//.test(word ?? ''))
  for (let i = tail.listedCount; i < tail.starts.length; i += 1) {
    const start = tail.starts[i] as string
    const next = tail.words[i + 1] ?? null
    const file = fileOf(start, next)
    if (file !== null && isOutside(file, tail.workspace)) return start
    if (/^(-K|--config)/.test(start)) return start
    if (listed && curlElsewhere.test(start)) return start
    if (curlWithValue.test(start)) i += 1
    else if (listed && !start.startsWith('-')) return start
  }
  return null
}

const fileOption = anyOf(
  '^',
  [
    '-[a-zA-Z]*[oDc] --output --output-dir --dump-header --cookie-jar --trace --trace-ascii',
    '--stderr --hsts --alt-svc --etag-save',
  ],
  '(?:=(.*))?$',
)

function fileOf(start: string, next: string | null): string | null {
  const found = fileOption.exec(start)
  if (found !== null) return found[1] ?? next
  return /^-o./.test(start) ? start.slice(2) : null
}

/** A client of a database: what it is told can be meant for the shell. */
export function sqlTrouble(pattern: RegExp): (tail: Tail) => string | null {
  return (tail) => {
    const words = tail.words.slice(tail.listedCount)
    return words.find((word) => word !== null && pattern.test(word)) ?? null
  }
}
