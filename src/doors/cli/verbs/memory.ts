/**
 * `pawl memory`: the notes of agents in this folder.
 */

import { plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import { usage } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { notAsked, printResult, type RemoteVerbSpec, remoteVerb } from '../remote/remote-verb.ts'
import { momentText, tableText } from '../remote/show-table.ts'

const help: VerbHelp = {
  usage: ['memory list [PREFIX] [OPTIONS]', 'memory delete KEY [OPTIONS]'],
  about: `\
Without a subcommand it lists. Without --process, it shows the notes that all
processes in this folder share. Agents may only list.`,
  options: [['--process NAME', 'the notes of this process only']],
  examples: ['memory', 'memory list --process night-watch'],
  exits: { 0: 'done', 1: 'no such key, or denied', 2: notAsked },
}

const kinds = { process: 'text' } as const
const shownCharsMax = 60

export const memoryVerb = remoteVerb({
  name: 'memory',
  help,
  kinds,
  names: { min: 0, max: 2, what: 'a subcommand' },
  run: async (request) => {
    const [task = 'list', name] = request.files
    if (task === 'list') return list(request, name ?? '')
    if (task !== 'delete')
      throw usage('memory', `unknown subcommand \`${task}\`: use \`list\` or \`delete\``)
    if (name === undefined) throw usage('memory', '`pawl memory delete` needs a key')
    return remove(request, name)
  },
})

/** Whose memories, or tasks: of the folder, or of one process in it. */
export function memoryScopeOf({ io, values }: RemoteVerbSpec<typeof kinds>): {
  readonly workspace: string
  readonly definition?: string
} {
  const { process } = values
  return { workspace: io.cwd, ...(process === null ? {} : { definition: process }) }
}

async function list(request: RemoteVerbSpec<typeof kinds>, prefix: string): Promise<number> {
  const { remote, io } = request
  const found = await remote.call('memories.list', { ...memoryScopeOf(request), prefix })
  printResult(request, found, () => {
    if (found.items.length === 0) return 'no notes\n'
    const now = Date.now()
    const rows = found.items.map(
      (one): StyledLine => [
        styledSpan(one.key, 'strong'),
        styledSpan(shortText(one.value)),
        styledSpan(one.by.run),
        styledSpan(momentText(one.at, now), 'dim'),
      ],
    )
    return tableText(['key', 'value', 'by', 'noted'], rows, io)
  })
  return 0
}

function shortText(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length <= shownCharsMax ? text : `${text.slice(0, shownCharsMax)}…`
}

async function remove(request: RemoteVerbSpec<typeof kinds>, key: string): Promise<number> {
  const answer = await request.remote.call('memories.delete', { ...memoryScopeOf(request), key })
  printResult(request, answer, () =>
    plain(answer.deleted ? `deleted ${key}\n` : `there is no note \`${key}\`\n`),
  )
  return answer.deleted ? 0 : 1
}
