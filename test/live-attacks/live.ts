/**
 * A daemon as a process of its own with runs to attack, and what can be seen of them afterwards.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, openClient } from '../../src/client/open-client.ts'
import type { OperationAnswer } from '../../src/doors/api/contract.ts'
import { type House, openHouse, shareAgentToken, until } from '../../src/main/daemon.contract.ts'
import { type RawAnswer, type RawRequest, sendRaw } from './raw-http.ts'
import type { AttackOutcome, Verdict } from './records.ts'

export type Role = 'agent' | 'person'

export type Live = {
  readonly house: House
  readonly port: number
  readonly tokens: Readonly<Record<Role, string>>
  /** Over the socket, as each of the two. */
  readonly as: Readonly<Record<Role, Client>>
  readonly send: (request: RawRequest) => Promise<RawAnswer>
  readonly close: () => Promise<void>
}

/** Starts `pawl serve` in a data directory of its own, and waits until it serves. */
export async function openLive(house: House = shareAgentToken(openHouse())): Promise<Live> {
  const daemon = house.start(['serve'])
  await until(() => typeof house.note()?.http === 'string', `a daemon: ${daemon.said()}`)
  const note = house.note()
  const port = Number(new URL(note?.http ?? '').port)
  const socket = note?.socket ?? ''
  const tokenOf = (role: Role) => readFileSync(join(house.folder, `${role}.token`), 'utf8').trim()
  const tokens = { agent: tokenOf('agent'), person: tokenOf('person') }
  const as = {
    agent: openClient({ socket, token: tokens.agent }),
    person: openClient({ socket, token: tokens.person }),
  }
  return {
    house,
    port,
    tokens,
    as,
    send: (request) => sendRaw(port, request),
    close: async () => {
      as.agent.close()
      as.person.close()
      await house.close()
    },
  }
}

let definitionsCount = 0

type StageOptions = {
  /** Commands that the stage lists. */
  readonly commands?: readonly string[]
  /** What the record says of the way out. */
  readonly transition?: object
  readonly meta?: object
}

/** A run in a stage with a way out that may need a person. */
export async function startRun({ as, house }: Live, wish: StageOptions = {}): Promise<string> {
  const { commands = [], transition = { requires_approval: true }, meta = {} } = wish
  definitionsCount += 1
  const id = `attacked-${definitionsCount}`
  const work = {
    allowed_tools: ['Read', 'Bash'],
    ...(commands.length === 0 ? {} : { allowed_commands: commands }),
    on: { SHIP: { target: 'shipped', ...transition }, STAY: 'work' },
  }
  const definition = {
    id,
    initial: 'work',
    meta: { debug: true, ...meta },
    states: { work, shipped: { type: 'final' } },
  }
  await as.person.definitions.create({ definition })
  const { runId } = await as.agent.runs.start({ definition: id, workspace: house.workspace })
  return runId
}

export type Question = {
  readonly runId: string
  readonly id: string
  readonly hash: string
  /** Records in the log when it was asked. */
  readonly seq: number
}

/** A run that waits for a person. */
export async function askPerson(live: Live, wish: StageOptions = {}): Promise<Question> {
  const runId = await startRun(live, wish)
  return askAbout(live, runId)
}

/** Has a run ask for its way out. */
export async function askAbout({ as }: Live, runId: string): Promise<Question> {
  const { seq } = await as.agent.runs.signal({ runId, name: 'SHIP' })
  const { items } = await as.agent.approvals.list({ runId, status: 'pending' })
  const [question] = items
  if (items.length !== 1 || question === undefined) throw new Error('nobody was asked')
  return { runId, id: question.id, hash: question.hash, seq }
}

/** What is wrong if nothing at all was to happen to a question and its run. */
export async function wrongUnlessPending(live: Live, asked: Question): Promise<readonly string[]> {
  const { status, head } = await lookAt(live, asked)
  return [
    ...(status === 'pending' ? [] : [`the approval is ${status}, not pending`]),
    ...(head.seq === asked.seq ? [] : [`the log went from ${asked.seq} to ${head.seq}`]),
    ...(head.stage === 'work' && head.status === 'waiting' ? [] : [`the run is ${head.status}`]),
  ]
}

/** What is wrong if a person has decided. */
export async function wrongUnlessDecided(
  live: Live,
  asked: Question,
  decision: 'granted' | 'refused',
): Promise<readonly string[]> {
  const { status, head } = await lookAt(live, asked)
  const stage = decision === 'granted' ? 'shipped' : 'work'
  const runs = decision === 'granted' ? 'completed' : 'running'
  return [
    ...(status === decision ? [] : [`the approval is ${status}, not ${decision}`]),
    ...(head.stage === stage && head.status === runs ? [] : [`the run is ${head.status}`]),
  ]
}

async function lookAt({ as }: Live, { id, runId }: Question): Promise<Looked> {
  const { status } = await as.agent.approvals.read({ id })
  const { head } = await as.agent.runs.read({ runId })
  return { status, head }
}

type Looked = { readonly status: string; readonly head: OperationAnswer<'runs.read'>['head'] }

const wrongShape = new Set([400, 404, 415, 422])
const refused = new Set([405, 409, 413])

/** The labels that an answer over HTTP earns, by the rules of the corpus. */
export function verdictsOf(status: number): readonly Verdict[] {
  if (status >= 200 && status < 300) return ['allow']
  if (status === 401 || status === 403) return ['deny']
  // Of what is no question or has no address nobody can say more.
  if (wrongShape.has(status)) return ['error', 'deny']
  return refused.has(status) ? ['error'] : []
}

/** Of several tries of one record: it is right only if each was. */
export function together(found: readonly AttackOutcome[]): AttackOutcome {
  const [first, ...rest] = found
  const verdicts = first?.verdicts ?? []
  return {
    verdicts: verdicts.filter((one) => rest.every((other) => other.verdicts.includes(one))),
    wrong: found.flatMap((one) => one.wrong),
  }
}
