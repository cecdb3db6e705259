/**
 * Finds out how jobs can be isolated on this machine, by isolating one: version numbers and files
 * promise what a container or a security module may then deny.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type Isolation, type IsolationLevel, isolationLevels } from '../runtime/jobs/jobs-port.ts'
import { findGroups, type Groups } from './cgroups.ts'
import { destinationsText, type Network } from './destinations.ts'
import { isBoxed, type Mechanism } from './launch-argv.ts'

export type IsolationMeans = {
  /** Null: there is no helper, so nothing can be held. */
  readonly mechanism: Mechanism | null
  readonly groups: Groups | null
  /** Why something stronger is not used. */
  readonly notes: readonly string[]
}

/** Why a mechanism does not work; null: it does. */
export type Try = (mechanism: Mechanism) => Promise<string | null>

/** WHY not PATH: it may lead into a workspace, and the agent would choose its own box. */
const bubblewrapPlaces = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].concat(
  '/run/current-system/sw/bin/bwrap',
)

/** What is left out, so that weaker means can be tested. */
export type Without = {
  readonly strongest?: IsolationLevel
  readonly leaveOut?: readonly Mechanism['kind'][]
}

/** The strongest that works. */
export async function findIsolation(attempt: Try, without: Without = {}): Promise<IsolationMeans> {
  const { strongest: from = 'full', leaveOut = [] } = without
  const notes: string[] = []
  const allowed = (level: IsolationLevel): boolean => rank(from) <= rank(level)
  const groups = allowed('full') ? findGroups(`pawl-try-${randomBytes(4).toString('hex')}`) : null
  if (groups === null && process.platform === 'linux') {
    notes.push('no control group is writable: limits apply to each process, not to the whole tree')
  }
  for (const mechanism of mechanisms().filter(({ kind }) => !leaveOut.includes(kind))) {
    if (!allowed(levelOf({ mechanism, groups: null, notes }))) continue
    const why = await attempt(mechanism)
    if (why === null) return { mechanism, groups, notes }
    notes.push(`${nameOf(mechanism)} does not work here: ${why}`)
  }
  return { mechanism: null, groups: null, notes }
}

function mechanisms(): readonly Mechanism[] {
  const plain: Mechanism = { kind: 'plain' }
  if (process.platform !== 'linux') return [plain]
  const path = bubblewrapPlaces.find((one) => existsSync(one))
  const bubblewrap: Mechanism[] = path === undefined ? [] : [{ kind: 'bubblewrap', path }]
  // WHY bubblewrap second: it holds as well and takes longer; some systems let only it.
  return [{ kind: 'spaces' }, ...bubblewrap, { kind: 'landlock' }, plain]
}

function nameOf({ kind }: Mechanism): string {
  const names = {
    bubblewrap: 'bubblewrap',
    spaces: 'own namespaces',
    landlock: 'Landlock',
    plain: 'the helper',
  }
  return names[kind]
}

/** How strong: 0 is the strongest. */
export function rank(level: IsolationLevel): number {
  return isolationLevels.indexOf(level)
}

export function levelOf({ mechanism, groups }: IsolationMeans): IsolationLevel {
  if (mechanism === null) return 'none'
  if (isBoxed(mechanism)) return groups === null ? 'isolated' : 'full'
  return mechanism.kind === 'landlock' ? 'restricted' : 'contained'
}

/** What holds a job, in words. */
export function describe(means: IsolationMeans, network: Network): Isolation {
  const { mechanism, groups } = means
  if (mechanism === null) return describeNone(means.notes)
  const boxed = isBoxed(mechanism)
  const by = nameOf(mechanism)
  const isLandlock = mechanism.kind === 'landlock'
  const group = groups === null ? null : `control group, version ${groups.version}`
  const offline = boxed
    ? 'none'
    : isLandlock
      ? 'no TCP; UDP is not blocked'
      : 'not blocked: nothing on this machine can'
  return {
    level: levelOf(means),
    filesystem:
      boxed || isLandlock
        ? `system read-only, workspace writable, secrets hidden (${by})`
        : 'not isolated: everything this user can access',
    network:
      typeof network !== 'string'
        ? `only ${destinationsText(network)}`
        : network === 'all'
          ? 'all'
          : offline,
    pids: boxed ? 'own PID namespace' : 'found by walking the process tree',
    memory: group ?? 'limited per process',
    cpu: groups?.has.cpu === true ? (group ?? '') : 'not limited',
    notes: [...means.notes, ...notesOf(means)],
  }
}

/** What there is to say where no job is started. */
export function describeNone(notes: readonly string[]): Isolation {
  const none = 'no jobs are started'
  return {
    ...{ level: 'none', filesystem: none, network: none, pids: none, memory: none, cpu: none },
    notes,
  }
}

function notesOf({ groups }: IsolationMeans): readonly string[] {
  const notes: string[] = []
  if (process.platform === 'darwin') {
    notes.push('on macOS only time, output and files are limited; this is not tested there')
  }
  if (groups === null) {
    notes.push('memory_peak_bytes is that of the largest process; running jobs are not measured')
  }
  return notes
}
