/**
 * Turns requests of callers into commands of the engine, in the words of the run's dialect, and
 * reads each call once.
 */
import { isAbsolute, join, relative, sep } from 'node:path'
import { assertNever } from '../../core/assert.ts'
import { toCommand } from '../../core/dialects/to-command.ts'
import { identityOf } from '../../core/engine/call-identity.ts'
import { addressedMember, type FamilyMember, openLeaf } from '../../core/engine/family.ts'
import type { Call } from '../../core/engine/types.ts'
import { noMachine } from '../../core/judge-without-run.ts'
import { readCall } from '../../core/tools/read-call.ts'
import { realPath, resolveSymlinks } from '../calls/resolve-symlinks.ts'
import type { FreeCall, Intent } from '../runtime.ts'
import { folderInTreeOf } from '../sessions/repository.ts'
import { truncateText } from '../truncate.ts'
import type { Planned } from './handle-command.ts'
import type { LoadedRun } from './load-run.ts'

/** Where a call happens of which nobody said where: no file is inside of it. */
export const noWorkspace = '/dev/null/no-workspace'

/** The command that an intent means to a run as it stands. */
export function planIntent(run: LoadedRun, intent: Intent, guarded: readonly string[]): Planned {
  switch (intent.kind) {
    case 'say': {
      const { utterance, branch } = intent
      return { command: toCommand(leafOf(run, branch).machine, utterance), branch }
    }
    case 'check': {
      const call = callOfIntent(run, intent, guarded)
      const { branch, estimateMicroUsd, sameAs, asksUser, waits, waitId } = intent
      const estimate = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
      const same = sameAs === undefined ? {} : { sameAs }
      const prompts = asksUser === undefined ? {} : { asksUser }
      const patience = {
        ...(waits === undefined ? {} : { waits }),
        ...(waitId === undefined ? {} : { waitId }),
      }
      const held = { ...estimate, ...same, ...prompts, ...patience, ...identityOf(intent) }
      return { command: { type: 'CheckCall', call, ...held }, branch }
    }
    case 'spend': {
      const { spend, branch } = intent
      return { command: { type: 'RecordSpend', spend }, branch }
    }
    case 'report': {
      const { callId, report, branch, grantedAtPrompt, isClaim, grade } = intent
      const prompt = {
        ...(grantedAtPrompt === undefined ? {} : { grantedAtPrompt }),
        ...(isClaim === undefined ? {} : { isClaim }),
        ...(grade === undefined ? {} : { grade }),
      }
      const ended = { callId, report, ...prompt, ...identityOf(intent) }
      return { command: { type: 'ReportCall', ...ended }, branch }
    }
    case 'pause':
      return whole({ type: 'PauseRun', release: intent.release, reason: intent.reason ?? '' })
    case 'resume':
      return whole({ type: 'ResumeRun' })
    case 'cancel':
      return whole({ type: 'CancelRun', reason: truncateText(intent.reason) })
    case 'force':
      return whole({ type: 'ForceStage', stage: intent.stage, vars: intent.vars })
    case 'finish-branch':
      return whole({ type: 'FinishBranch', branch: intent.branch })
    case 'warn':
      return whole({ type: 'RaiseWarning', message: truncateText(intent.message) })
    case 'session':
      return whole({
        ...{ type: 'NoteSession', what: intent.what, session: truncateText(intent.session) },
      })
    default:
      return assertNever(intent)
  }
}

function whole(command: Planned['command']): Planned {
  return { command, branch: null }
}

/** The run that listens now. */
export function leafOf({ family }: LoadedRun, branch: string | null): FamilyMember {
  return openLeaf(family, addressedMember(family, branch))
}

type CheckedCall = Pick<
  Extract<Intent, { kind: 'check' }>,
  'tool' | 'input' | 'host' | 'server' | 'cwd' | 'branch' | 'folder'
>

/** A call as every rule needs it, with the files behind the names it uses. */
export function callOfIntent(
  run: LoadedRun,
  spoken: CheckedCall,
  guarded: readonly string[],
): Call {
  const { tool, input, host, server, branch, folder } = spoken
  // WHY the run's own: who could name the workspace of a call could reach every file.
  const own = run.head.workspace ?? noWorkspace
  // What git knows as a work tree of the same repository is the same workspace elsewhere.
  const workspace = folder === undefined || folder === own ? own : folderInTreeOf(own, folder)
  const { machine } = leafOf(run, branch)
  const named = server === null ? {} : { server }
  const stands = spoken.cwd === null ? {} : { cwd: nearest(spoken.cwd, workspace) }
  const where = { machine, workspace, host, guarded, ...named, ...stands }
  return resolveSymlinks(readCall({ tool, input }, where))
}

/** A call that belongs to no run. */
export function freeCallOf(spoken: FreeCall, guarded: readonly string[]): Call {
  const { tool, input, host, server, workspace, cwd } = spoken
  const named = server === null ? {} : { server }
  const stands = cwd === null ? {} : { cwd: nearest(cwd, workspace) }
  const where = { machine: noMachine, workspace, host, guarded, ...named, ...stands }
  return resolveSymlinks(readCall({ tool, input }, where))
}

/** The folder by its name below the workspace, if it is really there: links may lead to both. */
function nearest(cwd: string, workspace: string): string {
  if (cwd === workspace || !isAbsolute(cwd)) return cwd
  const [real, base] = [realPath(cwd), realPath(workspace)]
  if (real === null || base === null) return cwd
  const near = relative(base, real)
  const leaves = isAbsolute(near) || near === '..' || near.startsWith(`..${sep}`)
  return leaves ? real : join(workspace, near)
}
