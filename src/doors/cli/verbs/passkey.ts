/**
 * `pawl passkey`: the keys that sign decisions, and the way back when all of them are lost.
 */
import { counted, plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import { confirm } from '../init/confirm.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, refuseMore, usage } from '../options.ts'
import { connectDaemon } from '../remote/connect.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help: VerbHelp = {
  usage: ['passkey list', 'passkey reset [NAME] [--yes]'],
  about: `\
A passkey signs decisions on the page (\`pawl open\`, then Passkeys). Keys are added
and removed there.

\`list\` shows the keys. \`reset\` is for a person who has lost all of theirs: it
removes the keys of NAME, or everybody's. It works only while no daemon is running
(\`pawl stop\` first), and stays on record: \`pawl passkey list\` and the page report
it. Decisions must be signed afterwards too, so add a new key first. Not available
to agents.`,
  options: [
    ['--yes', 'reset without asking'],
    ['--json', 'print one JSON object'],
  ],
  examples: ['passkey list', 'passkey reset ada'],
  exits: { 0: 'done', 1: 'not confirmed', 2: 'usage error, or a daemon is running' },
}

const tasks = ['list', 'reset'] as const

export const passkeyVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('passkey', args, { json: 'flag', yes: 'flag' })
    refuseAgent(io, '`pawl passkey`')
    const [word, name = null] = files
    if (word === undefined) throw usage('passkey', 'name a subcommand: list or reset')
    const task = oneWord('passkey', word, tasks)
    refuseMore('passkey', files, task === 'list' ? 1 : 2)
    if (task === 'list') return list(io, values.json ? 'json' : 'text')
    const whose = name === null ? 'of everybody' : `of ${name}`
    const question = plain(`Remove all passkeys ${whose}? This stays on record.`)
    const asking = { question, verb: 'passkey reset', details: null }
    if (!values.yes && (await confirm(io, asking)) === 'no') return 1
    const removed = await daemonOf(io).resetPasskeys(name)
    const what = `${counted(removed, 'passkey')} ${whose} removed`
    const text = `${what}; add a new one: \`pawl open\`, then Passkeys\n`
    io.out(values.json ? `${JSON.stringify({ person: name, removed })}\n` : plain(text))
    return 0
  },
}

async function list(io: Io, look: 'json' | 'text'): Promise<number> {
  const remote = await connectDaemon(io, 'person')
  try {
    const answer = await remote.passkeys.list()
    if (look === 'json') io.out(`${JSON.stringify(answer)}\n`)
    else io.out(plain(listText(answer)))
    return 0
  } finally {
    remote.close()
  }
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof connectDaemon>>['passkeys']['list']>>

function listText({ items, isRequired, resetsCount }: Answer): string {
  const keys = items.filter((key) => key.isActive)
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
  return [
    ...keys.map((key) => `${key.person}  ${key.label}  for ${key.rpId}  ${day(key.addedAt)}`),
    ...(keys.length === 0 ? ['nobody has a passkey; add one: `pawl open`, then Passkeys'] : []),
    isRequired ? 'every decision must be signed' : 'decisions need no signature',
    ...(resetsCount === 0 ? [] : [`passkeys were reset offline ${counted(resetsCount, 'time')}`]),
    '',
  ].join('\n')
}
