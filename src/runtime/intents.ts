/**
 * What callers want of a run, as commands of the engine: their words heard by the run that listens
 * now, their calls read once.
 */
import { isAbsolute, relative, sep } from 'node:path'
import { assertNever } from '../core/assert.ts'
import { hear } from '../core/dialects/hear.ts'
import { pointerOfDenial } from '../core/dialects/rule-pointer.ts'
import { type Answered, type Member, openLeaf } from '../core/engine/family.ts'
import type { Call } from '../core/engine/types.ts'
import { readCall } from '../core/tools/read-call.ts'
import type { Planned } from './handle-command.ts'
import { addressedIn } from './handle-command.ts'
import { realPath, throughLinks } from './links.ts'
import type { LoadedRun } from './load-run.ts'
import type { Intent } from './runtime.ts'
import { cutText } from './texts.ts'

/** Where a call happens of which nobody said where: no file is inside of it. */
export const noWorkspace = '/dev/null/no-workspace'

/** The command that an intent means to a run as it stands. */
export function planIntent(run: LoadedRun, intent: Intent, guarded: readonly string[]): Planned {
  switch (intent.kind) {
    case 'say': {
      const { utterance, branch } = intent
      return { command: hear(leafOf(run, branch).machine, utterance), branch }
    }
    case 'check': {
      const call = callOf(run, intent, guarded)
      const { branch } = intent
      const finish = (answered: Answered): Answered => nameRule(answered, leafOf(run, branch), call)
      return { command: { type: 'CheckCall', call }, branch, finish }
    }
    case 'report': {
      const { callId, report, branch } = intent
      return { command: { type: 'ReportCall', callId, report }, branch }
    }
    case 'pause':
      return whole({ type: 'PauseRun', release: intent.release })
    case 'resume':
      return whole({ type: 'ResumeRun' })
    case 'cancel':
      return whole({ type: 'CancelRun', reason: cutText(intent.reason) })
    case 'force':
      return whole({ type: 'ForceStage', stage: intent.stage, vars: intent.vars })
    case 'finish-branch':
      return whole({ type: 'FinishBranch', branch: intent.branch })
    default:
      return assertNever(intent)
  }
}

/** A denial by the stage names the field of the definition that says so, in reply and log. */
function nameRule(answered: Answered, { machine, state }: Member, call: Call): Answered {
  const { reply } = answered
  if (reply.kind !== 'verdict' || reply.code === null || reply.rule !== null) return answered
  const { code } = reply
  const rule = pointerOfDenial(machine, { state, call, code })
  if (rule === null) return answered
  const recorded = answered.recorded.map(({ runId, event }) =>
    event.type === 'call.denied' ? { runId, event: { ...event, rule } } : { runId, event },
  )
  return { ...answered, reply: { ...reply, rule }, recorded }
}

function whole(command: Planned['command']): Planned {
  return { command, branch: null }
}

/** The run that listens now. */
export function leafOf({ family }: LoadedRun, branch: string | null): Member {
  return openLeaf(family, addressedIn(family, branch))
}

type Spoken = Pick<
  Extract<Intent, { kind: 'check' }>,
  'tool' | 'input' | 'host' | 'server' | 'workspace' | 'branch'
>

/** Whether a folder is the other one or really below it: a link inside may lead anywhere. */
function isWithin(folder: string, home: string): boolean {
  if (folder === home) return true
  const [real, base] = [realPath(folder), realPath(home)]
  if (!isAbsolute(folder) || real === null || base === null) return false
  const near = relative(base, real)
  return near === '' || !(isAbsolute(near) || near === '..' || near.startsWith(`..${sep}`))
}

/** A call as every rule needs it, with the files behind the names it uses. */
export function callOf(run: LoadedRun, spoken: Spoken, guarded: readonly string[]): Call {
  const { tool, input, host, server, branch } = spoken
  const home = run.head.workspace ?? noWorkspace
  const workspace = spoken.workspace ?? home
  const { machine } = leafOf(run, branch)
  const named = server === null ? {} : { server }
  const where = { machine, workspace, host, guarded, ...named }
  const call = throughLinks(readCall({ tool, input }, where))
  if (isWithin(workspace, home)) return call
  // WHY: who could name the workspace of a call could reach every file, past every policy.
  const whose = run.head.workspace === null ? 'no workspace' : `the workspace \`${home}\``
  const problem = `the run has ${whose}, and the call says it works in \`${workspace}\``
  return { ...call, problem }
}
