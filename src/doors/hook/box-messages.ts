/**
 * What the kernel refused of a call in a box: found in what the call reported, and told to the
 * agent with a way to go on. Decides nothing.
 */
import type { View } from '../../core/dialects/run-view.ts'
import { deniedPrograms } from '../../core/engine/ran-programs.ts'
import type { StageFiles } from '../../core/engine/stage-files.ts'
import type { Report } from '../../core/engine/types.ts'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import { onwardText } from './agent-messages.ts'

type BoxRefusals = {
  readonly isWrite: boolean
  /** Servers to which the call could not connect. */
  readonly servers: readonly string[]
  /** It tried to connect past the way out that a box has. */
  readonly isOffline: boolean
  /** Programs that it tried to start, and that the stage denies. */
  readonly programs: readonly string[]
}

/** Of what a call reported, its end is looked through. */
const reportCharsMax = 64 * 1024
const shownMax = 5
const closedFile = /\bEROFS\b|\bread-only file system\b/i
const noWayOut =
  /\b(?:ENETUNREACH|EAI_AGAIN)\b|network is unreachable|could not resolve host|failure in name res/i

/** Null: nothing was refused, as far as its report shows. */
export function findBoxRefusals(
  { ok, exitCode, output, printed, ran }: Report,
  refused: readonly string[],
): BoxRefusals | null {
  const text = `${output ?? ''}\n${printed ?? ''}`.slice(-reportCharsMax)
  // WHY not all: a host connects to servers of its own, of which no call knows.
  const servers = refused.filter((place) => text.includes(place.replace(/:\d+$/, '')))
  // What succeeded may show texts about such errors.
  const isWrite = (!ok || exitCode !== 0) && closedFile.test(text)
  const isOffline = noWayOut.test(text)
  const programs = ran === undefined ? [] : deniedPrograms(ran)
  const isAny = isWrite || isOffline || servers.length + programs.length > 0
  return isAny ? { isWrite, servers, isOffline, programs } : null
}

type BoxRefusalNews = BoxRefusals & {
  readonly files: StageFiles
  readonly view: View
  readonly host: AgentHostId
}

export function boxRefusalText(news: BoxRefusalNews): string {
  const { isWrite, files, view, host, programs } = news
  const isOpen = files.mode === 'write' && files.folders.length === 0
  const parts = [
    ...(isWrite ? [`The kernel refused a write: ${filesText(files, view.stage)}.`] : []),
    ...(isWrite ? ['What need not last can be written to `/tmp`.'] : []),
    ...(isWrite && !isOpen ? [onwardText(view, host)] : []),
    ...serversText(news),
    ...(programs.length > 0 ? [programsText(programs, view.stage)] : []),
  ]
  return `[Pawl] ${parts.filter((part) => part !== '').join(' ')}`
}

const alwaysClosed = 'the system, settings of agents and the configuration of git'

function filesText({ mode, folders }: StageFiles, stage: string): string {
  switch (mode) {
    case 'read':
      return `in \`${stage}\` the files of the workspace are read-only`
    case 'scratch':
      return `${alwaysClosed} are read-only, and other writes do not outlast \`${stage}\``
    case 'write':
      return folders.length === 0
        ? `${alwaysClosed} are read-only in every stage`
        : `in \`${stage}\` only ${folders.map((name) => `\`${name}\``).join(', ')} can be written`
  }
}

function programsText(programs: readonly string[], stage: string): string {
  const names = programs.slice(0, shownMax).map((name) => `\`${name}\``)
  return `${names.join(', ')} cannot be started in \`${stage}\`.`
}

function serversText({ servers, isOffline }: BoxRefusals): readonly string[] {
  if (servers.length === 0 && !isOffline) return []
  const shown = servers.slice(0, shownMax).map((place) => `\`${place}\``)
  const what =
    shown.length === 0
      ? 'The box connects only to servers that are listed'
      : `The box refused connections to ${shown.join(', ')}`
  return [
    `${what}; trying again does not help.`,
    'A person can allow a server with `jobs.network`, or `pawl run --connect HOST:PORT`.',
  ]
}
