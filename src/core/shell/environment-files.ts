/**
 * Whether a text could read the environment of a process as a file: `/proc/PID/environ`, spelled
 * with patterns, variables, `/dev/fd/..`, or found by a search that goes down into `/proc`.
 */
import type { GoodReading, SimpleCommand } from './shell-reading.ts'
import { baseName } from './wrappers.ts'

/** Whether a word of the text, or a file it reads, could be such a file. */
export function couldReadEnvironment(reading: GoodReading): boolean {
  const isAssigned = reading.assignments.some(({ value }) => leadsToProc(segmentsOf(value ?? '')))
  const passesOn = reading.commands.some(({ words }) => words[0] === 'xargs' || words[0] === 'read')
  return (
    reading.commands.some((command) => {
      const { text, dirs } = command
      if (!text.includes('/') && dirs.every((dir) => dir === '')) return false
      return (
        namesEnviron(command, isAssigned ? 'in proc' : 'free') ||
        searchesProc(command, passesOn ? 'pipe' : 'alone')
      )
    }) ||
    reading.redirections.some(
      ({ kind, target, text }) => kind === 'read' && isEnviron(target ?? text.replace(/^<\s*/, '')),
    )
  )
}

function namesEnviron({ words, text, dirs }: SimpleCommand, values: 'free' | 'in proc'): boolean {
  const known = words.flatMap((word) =>
    word?.includes('/') || dirs.length > 0 ? [word ?? ''] : [],
  )
  // A word that only shows when it runs is judged as it is written.
  const open = words.includes(null) ? text.split(/\s+/).filter((part) => /[$`]/.test(part)) : []
  const parts = [...known, ...open.map((part) => part.replace(/["']/g, ''))]
  return parts.some((part) => {
    if (isEnviron(part)) return true
    const last = part.slice(part.lastIndexOf('/') + 1)
    if (/^[$`]/.test(part) && part.includes('/')) {
      return (
        couldBe(last, 'environ') &&
        (values === 'in proc' || /[a-z]/.test(last.replace(/\$\w+/g, '')))
      )
    }
    if (part.startsWith('/') || part === '') return false
    return dirs.some((dir) => {
      if (dir === null) return couldBe(last, 'environ')
      return dir.startsWith('/') && isEnviron(`${dir}/${part}`)
    })
  })
}

/** A path to the environment of a process, as far as its text tells. */
function isEnviron(path: string): boolean {
  if (!path.startsWith('/')) return false
  const segments = segmentsOf(path)
  return segments.length > 1 && leadsToProc(segments) && couldBe(segments.at(-1) ?? '', 'environ')
}

function leadsToProc([first]: readonly string[]): boolean {
  return first !== undefined && couldBe(first, 'proc')
}

/** The segments of an absolute path after its dots are resolved; descriptors are in `/proc`. */
function segmentsOf(path: string): readonly string[] {
  if (!path.startsWith('/')) return []
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const [first = '', second = ''] = parts
  const isDescriptor = couldBe(first, 'dev') && devices.some((name) => couldBe(second, name))
  const all = isDescriptor ? ['proc', 'self', 'fd', ...parts.slice(2)] : parts
  const segments: string[] = []
  for (const part of all) {
    if (part === '..') segments.pop()
    else segments.push(part)
  }
  return segments
}

const devices = ['fd', 'stdin', 'stdout', 'stderr'] as const

/** Whether a segment with patterns and variables in it could be this name. */
function couldBe(segment: string, name: string): boolean {
  if (!/[*?[$`{(]/.test(segment)) return segment === name
  const [open = ''] = /^[^*?[$`{(]*/.exec(segment) ?? []
  const last = /[^*?\][$`{}()\w]*$/.exec(segment)?.[0] ?? ''
  if (!name.startsWith(open) || !name.endsWith(last)) return false
  // With variables or brackets inside, anything may stand there.
  if (/[[$`{(]/.test(segment)) return true
  const pattern = segment
    .replace(/[^*?\w]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.')
  return new RegExp(`^${pattern}$`).test(name)
}

const recursive: ReadonlySet<string> = new Set(
  'rg ag ack tar gtar bsdtar cp rsync scp zip 7z mv ln'.split(' '),
)
const acting = /^-(exec|execdir|ok|okdir|x|X|-exec|-exec-batch)$/

/** A program that goes down into folders, begun at one that holds environments. */
function searchesProc(command: SimpleCommand, how: 'pipe' | 'alone'): boolean {
  const { starts, dirs } = command
  const name = baseName(starts[0] ?? '')
  const isRoot = starts.slice(1).some((start) => holdsEnvirons(start, dirs))
  if (!isRoot) return false
  if (recursive.has(name)) return true
  if (/^[ef]?grep$/.test(name))
    return starts.some((start) => /^-\w*[rR]|^--(recu|deref)/.test(start))
  if (!/^(g?find|fd|fdfind)$/.test(name)) return false
  const isNamed = starts.slice(1).some((start) => {
    const last = start.slice(start.lastIndexOf('/') + 1)
    return /[a-z]/.test(last) && couldBe(last, 'environ')
  })
  return how === 'pipe' || isNamed || starts.some((start) => acting.test(start))
}

/** The root, `/proc`, or the folder of a process. */
function holdsEnvirons(path: string, dirs: SimpleCommand['dirs']): boolean {
  if (!path.startsWith('/')) {
    const isBelow = dirs.some((dir) => leadsToProc(segmentsOf(dir ?? '')))
    return isBelow && !path.startsWith('-')
  }
  const segments = segmentsOf(path)
  return segments.length === 0 || (leadsToProc(segments) && segments.length < 5)
}
