/**
 * `pawl memory`: what agents have noted down in this folder.
 */

import { plain } from '../ansi.ts'
import { usage } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { commonHelp, printResult, type RemoteVerbSpec, remoteVerb } from '../remote/remote-verb.ts'
import { momentText, tableText } from '../remote/show-table.ts'

const help = `\
pawl memory: show and delete what agents have noted down in this folder

Usage: pawl memory [list [BEGINNING]]
       pawl memory delete KEY

Without a process it is about what all processes here share.

Options:
  --process NAME   of this process alone
${commonHelp}; an agent may look only

Exit codes: 0 done, 1 there is none of that key or it was refused, 2 it could not be asked
`

const kinds = { process: 'text' } as const
const shownCharsMax = 60

export const memoryVerb = remoteVerb({
  name: 'memory',
  summary: 'show and delete what agents have noted down in this folder',
  help,
  kinds,
  names: { min: 0, max: 2, what: 'something to do' },
  run: async (request) => {
    const [task = 'list', name] = request.files
    if (task === 'list') return list(request, name ?? '')
    if (task !== 'delete') throw usage('memory', `\`${task}\` is neither \`list\` nor \`delete\``)
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
    if (found.items.length === 0) return 'nothing is noted down\n'
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
    plain(answer.deleted ? `${key} is removed\n` : `there is no \`${key}\`\n`),
  )
  return answer.deleted ? 0 : 1
}
