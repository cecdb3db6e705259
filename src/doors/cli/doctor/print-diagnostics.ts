/**
 * The diagnostics, for people.
 */
import type { Isolation } from '../../../runtime/jobs/jobs-port.ts'
import type { Io } from '../io.ts'
import { printLines, type StyledLine, styledSpan } from '../play/styled-text.ts'
import { displayWidth, row } from '../play/view-lines.ts'
import type { Diagnostics, HostState } from './diagnostics.ts'

/** The whole of it. */
export function diagnosticsText(around: Diagnostics, io: Io): string {
  const width = displayWidth(io)
  const { version, node, workspace, folder, daemon, problems } = around
  const running =
    daemon === null ? 'not running; hooks start it' : `pid ${daemon.pid}, version ${daemon.version}`
  const lines: StyledLine[] = [
    [styledSpan(`pawl ${version}`, 'strong'), styledSpan(`, Node ${node}`)],
    ...row('folder', workspace, { width }),
    ...row('data', folder, { width }),
    ...row('daemon', running, { width }),
    ...jobsLines(around, width),
    ...problems.flatMap((one) => row('problem', one, { width, tone: 'bad' })),
    ...around.noticed.flatMap((one) => row('noticed', one, { width, tone: 'warn' })),
    ...around.hosts.flatMap((one) => hostLines(one, width)),
  ]
  return printLines(lines, io)
}

function jobsLines({ jobs }: Diagnostics, width: number): readonly StyledLine[] {
  if (typeof jobs === 'string') return row('jobs', jobs, { width })
  const { level, filesystem, network, pids, memory, cpu, notes } = jobs
  const isGood = level === 'full' || level === 'isolated'
  const tone = isGood ? 'good' : level === 'none' ? 'bad' : 'warn'
  const what = `files: ${filesystem}; network: ${network}; processes: ${pids}`
  return [
    ...row('jobs', `isolation: ${level}`, { width, tone }),
    ...row('', `${what}; memory: ${memory}; cpu: ${cpu}`, { width }),
    ...notes.flatMap((note) => row('', note, { width, tone: 'warn' })),
    ...boxLines(jobs, width),
  ]
}

/** Sessions need what only namespaces of Pawl's own can do: files that follow the stage. */
function boxLines({ level, filesystem }: Isolation, width: number): readonly StyledLine[] {
  const isThere = (level === 'full' || level === 'isolated') && filesystem.includes('namespaces')
  return isThere
    ? row('box', 'available: `pawl run -- HOST`', { width, tone: 'good' })
    : row('box', 'not available: it needs user namespaces', { width, tone: 'warn' })
}

function hostLines(state: HostState, width: number): readonly StyledLine[] {
  const { host, program, version, wire, problems, limits } = state
  const isHere = program !== null || wire !== null
  const head: StyledLine = [
    styledSpan(host.padEnd(10), 'strong'),
    styledSpan(
      program === null ? 'not found' : (version ?? 'unknown version'),
      isHere ? 'plain' : 'dim',
    ),
  ]
  if (!isHere) return [head]
  const isActive = wire !== null && problems.length === 0
  const guard =
    wire === null
      ? `not guarded in this folder: run \`pawl init ${host}\``
      : isActive
        ? `active: every tool call is judged before it runs`
        : 'NOT working, see the problems below'
  const tone = isActive ? 'good' : wire === null ? 'warn' : 'bad'
  return [
    [],
    head,
    ...row('  guard', guard, { width, tone }),
    ...(wire === null ? [] : everywhereLines(state, width)),
    ...problems.flatMap((one) => row('  problem', one, { width, tone: 'bad' })),
    ...(wire === null ? [] : limits.flatMap((one) => row('  limit', one, { width, tone: 'dim' }))),
  ]
}

/** What the hooks of this folder do not reach. */
function everywhereLines({ host, user }: HostState, width: number): readonly StyledLine[] {
  const where = 'other work trees, subfolders, and after the hooks were removed'
  if (user === 'active') return row('  also in', where, { width, tone: 'good' })
  if (user === 'broken') return []
  const how = `run \`pawl init --user ${host}\``
  return row('  not in', `${where}: ${how}`, { width, tone: 'warn' })
}
