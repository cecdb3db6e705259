/** Programs whose plain arguments are the risk: a second address, a command inside a query. */
import { alternationPattern } from './alternation-pattern.ts'
import type { CommandArguments } from './command-arguments.ts'
import { leavesFrom } from './leaves-workspace.ts'

const curlWithValue = alternationPattern(
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

const curlElsewhere = alternationPattern(
  '^',
  [
    '-K -x --config --proxy --preproxy --socks\\w* --connect-to --resolve --doh-url --url',
    '--next -: --interface --unix-socket --abstract-unix-socket',
  ],
  '',
)

/** An address beyond the listed one, a way round it, or a file outside of the workspace. */
export function curlTrouble(tail: CommandArguments): string | null {
  const listed = tail.words.slice(0, tail.listedCount).some((word) => /^\w+:\/\//.test(word ?? ''))
  for (let i = tail.listedCount; i < tail.starts.length; i += 1) {
    const start = tail.starts[i] as string
    const next = tail.words[i + 1] ?? null
    const file = fileOf(start, next) ?? sentFile(start, next)
    if (file !== null && leavesFrom(tail, file)) return start
    if (/^(-K|--config)/.test(start)) return start
    if (listed && curlElsewhere.test(start)) return start
    if (curlWithValue.test(start)) i += 1
    else if (listed && !start.startsWith('-')) return start
  }
  return null
}

const fileOption = alternationPattern(
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

const sending =
  /^(-[dFT]|--(?:data(?:-binary|-ascii|-urlencode)?|json|form|upload-file))(?:=?(.*))$/

/** A file whose contents are sent: `-T file`, `-d @file`, `-F name=@file`. */
function sentFile(start: string, next: string | null): string | null {
  const found = sending.exec(start)
  if (found === null) return null
  const value = found[2] || next
  if (value === null || /^(-T|--upload-file)$/.test(found[1] ?? '')) return value
  return /^(?:[\w.[\]-]*=?[@<])([^;]*)/.exec(value)?.[1] || null
}

/** Letters of `ssh`, `scp` and `sftp` that take a value. */
const sshValues = /^-[46AaCfGgKkMNnqsTtVvXxYyrp3]*[BbcDEeFIiJLlmOoPQRSWwX]$/
const sshSettings = alternationPattern(
  '^(?:',
  [
    'proxycommand localcommand permitlocalcommand knownhostscommand pkcs11provider',
    'securitykeyprovider xauthlocation include',
  ],
  ')\\s*[\\s=](?!\\s*(?:none|no)$)',
)

/** A setting of `ssh` that runs a program here, or a file of settings from elsewhere. */
export function sshTrouble(tail: CommandArguments): string | null {
  let operandsCount = 0
  for (let i = 1; i < tail.starts.length; i += 1) {
    const start = tail.starts[i] as string
    if (start === '--') return null
    if (!start.startsWith('-')) {
      // Behind the host and its options stands what runs over there.
      operandsCount += 1
      if (operandsCount > 1 && tail.name.endsWith('ssh')) return null
      continue
    }
    const isGlued = !sshValues.test(start)
    const value = isGlued ? start.replace(/^-\w*?[oFEI]/, '') : (tail.words[i + 1] ?? '')
    if (i >= tail.listedCount && isSshTrouble(tail, start, value)) return start
    if (!isGlued) i += 1
  }
  return null
}

function isSshTrouble(tail: CommandArguments, option: string, value: string): boolean {
  if (/^-[a-zA-Z0-9]*?o/.test(option) && sshSettings.test(value.toLowerCase())) return true
  return /^-[a-zA-Z0-9]*?[FEI]/.test(option) && leavesFrom(tail, value)
}

/** A client of a database: what it is told can be meant for the shell. */
export function sqlTrouble(pattern: RegExp): (tail: CommandArguments) => string | null {
  return (tail) => {
    const words = tail.words.slice(tail.listedCount)
    return words.find((word) => word !== null && pattern.test(word)) ?? null
  }
}
