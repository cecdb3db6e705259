/**
 * Resolves the run that a tool call is about. If a hook marks the call, it is the run of that
 * mark. Otherwise it is the run started here, the one named in the environment, or the only open
 * run in the workspace.
 */
import type { OperationAnswer } from '../api/contract.ts'
import { PawlProblem, type ProblemDocument, problem } from '../api/problem.ts'
import type { ToolCaller } from './caller-mark.ts'
import type { ClientRequest } from './reconnecting-client.ts'
import { fullName, type ToolSpeech } from './tool-names.ts'

export type RunReadings = OperationAnswer<'runs.read'>

/** A run, and the branch of it that is meant; null: the one that is open now. */
export type RunPlace = { readonly runId: string; readonly branch: string | null }

export type RunResolver = {
  /** The run that belongs to the caller; null: none is known to. */
  readonly own: (who: ToolCaller) => RunPlace | null
  /** The same, else the only open run here. Problem `RUN_UNKNOWN`. */
  readonly find: (who: ToolCaller) => Promise<RunPlace>
  /** From now on the caller means this, if nothing else is said. */
  readonly keep: (who: ToolCaller, place: RunPlace) => void
  /** Who had begun a run has seen it end: the workspace may have another one. */
  readonly leave: (runId: string) => void
}

type PlacesOptions = {
  readonly ask: ClientRequest
  readonly workspace: string
  /** What `PAWL_RUN` says. */
  readonly runId: string | null
  readonly speech: ToolSpeech
}

/** Callers that are remembered; whoever came first is forgotten. */
const callersMax = 1_000

export function openRunResolver({ ask, workspace, runId, speech }: PlacesOptions): RunResolver {
  const nothingLoaded = nothingLoadedBy(speech)
  const kept = new Map<string, RunPlace>()
  const ended = new Set<string>()
  const keptBy = (who: ToolCaller): RunPlace | undefined =>
    kept.get(keyOf(who)) ?? kept.get(sessionOf(who))
  const own = (who: ToolCaller): RunPlace | null => {
    const mine = keptBy(who)
    // WHY nothing but the hook's word: calls are judged by that run, so it is the one to move.
    const id = who.session === null ? (who.run ?? mine?.runId ?? runId) : who.run
    if (id === null) return null
    return { runId: id, branch: who.branch ?? (mine?.runId === id ? mine.branch : null) }
  }
  return {
    own,
    find: async (who) => {
      const mine = own(who)
      if (mine !== null && !ended.has(mine.runId)) return mine
      // WHY not for a session that a hook names: the run of another session is not its own.
      if (who.session !== null) return mine ?? fail(nothingLoaded)
      const located = await ask('runs.locate', { workspace })
      if (located.kind === 'run') return located
      return mine ?? fail(located.kind === 'none' ? nothingLoaded : severalOpen(located.reason))
    },
    keep: (who, place) => {
      const oldest = kept.keys().next().value
      if (kept.size >= callersMax && oldest !== undefined) kept.delete(oldest)
      kept.set(keyOf(who), place)
    },
    leave: (id) => {
      if (ended.size >= callersMax) ended.clear()
      ended.add(id)
    },
  }
}

function keyOf({ session, agent }: ToolCaller): string {
  return JSON.stringify([session, agent])
}

function sessionOf({ session }: ToolCaller): string {
  return JSON.stringify([session, null])
}

function nothingLoadedBy(speech: ToolSpeech): ProblemDocument {
  const isBare = speech.prefix === ''
  const hint = isBare
    ? 'ask a person to run `pawl start NAME`'
    : `call \`${fullName('load_workflow', speech)}\`; ` +
      `\`${fullName('list_workflows', speech)}\` lists the names`
  return problem('RUN_UNKNOWN', { detail: 'no workflow is loaded', hint })
}

function severalOpen(detail: string): ProblemDocument {
  return problem('RUN_UNKNOWN', {
    detail,
    hint: 'load the one you mean with `resume: true`, or set PAWL_RUN to its id',
  })
}

function fail(why: ProblemDocument): never {
  throw new PawlProblem(why)
}
