/**
 * The large sample: what a busy team has on the page. Made once, in bulk, and left as it is, so
 * that tests and pictures find the same thing each time.
 */
import { type Client, openClient } from '../client/index.ts'
import { issueCredential } from '../client/issue-credential.ts'
import type { LogLine } from '../daemon/log-file.ts'
import type { Home } from '../home/home.ts'
import { readToken } from '../home/tokens.ts'
import { largeDefinitions } from './large-definitions.ts'
import {
  askedCommands,
  longMail,
  migrationScript,
  migrationTitles,
  newFile,
  ticketScript,
  ticketTitles,
} from './large-script.ts'
import { changeLargeWorkspace, writeLargeWorkspace } from './large-workspace.ts'
import type { Sample } from './open-sample.ts'
import { workOn } from './scripted-agent.ts'

type Setting = {
  readonly person: Client
  readonly agent: () => Promise<Client>
  readonly folder: string
  readonly signal: AbortSignal
}

/** Runs that are made at the same time. */
const workersMax = 6
const reviewRounds = 104
const reviewTitle = 'Review the logs of the year'

/** Makes what is not there yet. */
export async function openLargeSample(home: Home, log: LogLine): Promise<Sample> {
  const folder = `${home.folder}-workspace`
  writeLargeWorkspace(folder)
  const ending = new AbortController()
  const { signal } = ending
  const person = openClient({ socket: home.socket, token: readToken(home, 'person') })
  const opened: Client[] = [person]
  const agent = async (): Promise<Client> => {
    const token = await issueCredential(home.socket, readToken(home, 'agent'))
    const client = openClient({ socket: home.socket, token })
    opened.push(client)
    return client
  }
  const setting = { person, agent, folder, signal }
  const making = make(setting).then(
    () => log('info', 'the large sample is complete'),
    (fault: unknown) => {
      if (signal.aborted) return
      log('warning', 'the large sample is incomplete', { fault: String(fault) })
    },
  )
  return {
    close: async () => {
      ending.abort()
      for (const one of opened) one.close()
      await making
    },
  }
}

async function make(setting: Setting): Promise<void> {
  const { person, folder, signal } = setting
  const known = await person.runs.list({ limit: 1 })
  if (known.items.length > 0) return
  for (const { source, format } of largeDefinitions)
    await person.definitions.create({ source, format })
  const works = [
    ...migrationTitles.map((title, index) => () => migrate(setting, title, index)),
    ...ticketTitles.map((title, index) => () => workOnTicket(setting, title, index)),
    ...askedCommands.map(
      ([title, command]) =>
        () =>
          ask(setting, title, { tool: 'Bash', input: { command } }),
    ),
    () => ask(setting, 'Write to our customers', { tool: 'mcp__mail__send', input: longMail }),
    () => {
      const input = { ...newFile, file_path: `${folder}/${newFile.file_path}` }
      return ask(setting, 'Write the runbook', { tool: 'Write', input })
    },
    ...['finished', 'given_up', 'cancelled', 'working', 'checking'].map(
      (end) => () => maintain(setting, end),
    ),
    () => reviewLogs(setting),
  ]
  const next = works.values()
  const work = async (): Promise<void> => {
    for (const one of next) {
      if (signal.aborted) return
      await one()
    }
  }
  await Promise.all(Array.from({ length: workersMax }, work))
  changeLargeWorkspace(folder)
}

async function start({ person, folder }: Setting, definition: string, title: string) {
  return (await person.runs.start({ definition, title, workspace: folder })).runId
}

/** Where the migrations are left, the first ones at their gates. */
const migrationStops = [
  ...['ready_to_switch', 'ready_to_switch', 'design_ready', 'porting_readers', 'designing'],
  ...['rehearsing', 'reviewing_code', 'load_testing', 'taking_stock'],
] as const

async function migrate(setting: Setting, title: string, index: number): Promise<void> {
  const { person, folder, signal } = setting
  const client = await setting.agent()
  const runId = await start(setting, 'migration', title)
  const script = migrationScript(folder)
  const stop = migrationStops[index] ?? 'designing'
  const work = (leavesAt: string) => workOn(runId, { client, script, stepMs: 0, signal, leavesAt })
  const isEarly = stop === 'designing' || stop === 'taking_stock'
  await work(isEarly ? stop : 'design_ready')
  if (isEarly) return
  await client.runs.signal({ runId, name: 'BUILD' })
  if (stop === 'design_ready') return
  await decideLast(person, runId, 'as discussed on Monday')
  await work(stop)
  if (stop !== 'ready_to_switch') return
  await client.runs.signal({ runId, name: 'SWITCH', data: { rows: 1_881_204 } })
  if (index === 1) await decideLast(person, runId, 'the backup was restored and compared')
}

async function decideLast(person: Client, runId: string, note: string): Promise<void> {
  const { items } = await person.approvals.list({ runId, status: 'pending' })
  const [approval] = items
  if (approval !== undefined)
    await person.approvals.decide({ id: approval.id, granted: true, note })
}

async function workOnTicket(setting: Setting, title: string, index: number): Promise<void> {
  const { folder, signal } = setting
  const client = await setting.agent()
  const runId = await start(setting, 'ticket', title)
  const stops = index % 6 === 5 ? { leavesAt: index % 12 === 5 ? 'fixing' : 'verifying' } : {}
  await workOn(runId, { client, script: ticketScript(folder, index), stepMs: 0, signal, ...stops })
}

type AskedCall = Parameters<Client['runs']['check']>[0] extends infer Input
  ? Omit<Input & object, 'runId'>
  : never

/** A call that waits for a person. */
async function ask(setting: Setting, title: string, call: AskedCall): Promise<void> {
  const client = await setting.agent()
  const runId = await start(setting, 'maintenance', title)
  const path = `${setting.folder}/README.md`
  const { reply } = await client.runs.check({ runId, tool: 'Read', input: { file_path: path } })
  if (reply.callId !== null) {
    await client.runs.report({ runId, callId: reply.callId, ok: true, output: '# The shop' })
  }
  await client.runs.check({ runId, ...call })
}

/** A run that needs nobody any more, or never did. */
async function maintain(setting: Setting, end: string): Promise<void> {
  const client = await setting.agent()
  const runId = await start(setting, 'maintenance', `Tidy the docs (${end.replace('_', ' ')})`)
  const { runs } = end === 'cancelled' ? setting.person : client
  if (end === 'cancelled') await runs.cancel({ runId, reason: 'another ticket does the same' })
  if (end === 'given_up') await runs.signal({ runId, name: 'GIVE_UP' })
  if (end === 'finished' || end === 'checking') await runs.signal({ runId, name: 'DONE' })
  if (end === 'finished') await runs.signal({ runId, name: 'OK' })
}

/** A log of 20,000 events. */
async function reviewLogs(setting: Setting): Promise<void> {
  const client = await setting.agent()
  const runId = await start(setting, 'log-review', reviewTitle)
  for (let day = 1; day <= reviewRounds && !setting.signal.aborted; day += 1) {
    const input = { file_path: `${setting.folder}/README.md`, offset: day }
    const { reply } = await client.runs.check({ runId, tool: 'Read', input })
    if (reply.callId !== null) {
      const said = { ok: true, output: 'x'.repeat(day * 20), costMicroUsd: 900 * day }
      await client.runs.report({ runId, callId: reply.callId, ...said })
    }
    await client.runs.signal({ runId, name: 'submit', data: { day: `day ${day}` } })
  }
}
