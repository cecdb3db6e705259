/**
 * `pawl memory`: what agents have noted down in this folder.
 */

import { plain } from '../ansi.ts'
import { usage } from '../options.ts'
import { type Line, span } from '../play/styled-text.ts'
import { commonHelp, type Request, remoteVerb, tell } from '../remote/remote-verb.ts'
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
export function scopeOf({ io, values }: Request<typeof kinds>): {
  readonly workspace: string
  readonly definition?: string
} {
  const { process } = values
  return { workspace: io.cwd, ...(process === null ? {} : { definition: process }) }
}

async function list(request: Request<typeof kinds>, prefix: string): Promise<number> {
  const { remote, io } = request
  const found = await remote.call('memories.list', { ...scopeOf(request), prefix })
  tell(request, found, () => {
    if (found.items.length === 0) return 'nothing is noted down\n'
    const now = Date.now()
    const rows = found.items.map(
      (one): Line => [
        span(one.key, 'strong'),
        span(shortText(one.value)),
        span(one.by.run),
        span(momentText(one.at, now), 'dim'),
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

async function remove(request: Request<typeof kinds>, key: string): Promise<number> {
  const answer = await request.remote.call('memories.delete', { ...scopeOf(request), key })
  tell(request, answer, () =>
    plain(answer.deleted ? `${key} is removed\n` : `there is no \`${key}\`\n`),
  )
  return answer.deleted ? 0 : 1
}
