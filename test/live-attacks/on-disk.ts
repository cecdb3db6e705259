/**
 * The attempts of the corpus on the log: a database that was changed behind the daemon's back,
 * texts that want to be more than a text, and a disk that is full.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CliResult, openHouse, shareAgentToken } from '../../src/main/daemon.contract.ts'
import { askPerson, type Live, openLive, startRun, together, verdictsOf } from './live.ts'
import { refusalOf, verdictOn } from './over-calls.ts'
import type { AttackOutcome, AttackRecord } from './records.ts'

/** A run with a log of some length. */
export async function startLogged(live: Live): Promise<string> {
  const runId = await startRun(live, { commands: ['ls'] })
  for (let count = 0; count < 12; count += 1) {
    await verdictOn(live, runId, { command: `ls -l ${count}` })
  }
  return runId
}

/** Does something to the database while no daemon has it. */
export async function behindItsBack(live: Live, act: (db: DatabaseSync) => void): Promise<void> {
  const { code, err } = await live.house.cli('stop')
  if (code !== 0) throw new Error(`the daemon did not stop: ${err}`)
  const db = new DatabaseSync(join(live.house.folder, 'pawl.db'))
  try {
    act(db)
  } finally {
    db.close()
  }
}

type Tampering = {
  readonly act: (db: DatabaseSync, runId: string) => void
  /** Whether only an anchor that was taken before can tell. */
  readonly needsAnchor?: boolean
}

/** What the record says in words, as every way it could be meant. */
const tamperings: { readonly [tamper: string]: readonly Tampering[] } = {
  none: [{ act: () => undefined }],
  'delete from events where seq=10': [
    {
      act: (db, runId) => db.prepare('DELETE FROM events WHERE seq = 10 AND run_id = ?').run(runId),
    },
  ],
  'delete the last 5 events': [
    { act: (db, runId) => cutEnd(db, runId) },
    {
      act: (db, runId) => {
        cutEnd(db, runId)
        putHeadRight(db, runId)
      },
      needsAnchor: true,
    },
  ],
  'insert a forged event without the key': [
    { act: (db, runId) => forge(db, runId, '0'.repeat(64)) },
    {
      act: (db, runId) => {
        forge(db, runId, '0'.repeat(64))
        putHeadRight(db, runId)
      },
    },
  ],
}

function cutEnd(db: DatabaseSync, runId: string): void {
  const last = 'SELECT max(seq) - 5 FROM events WHERE run_id = ?1'
  db.prepare(`DELETE FROM events WHERE run_id = ?1 AND seq > (${last})`).run(runId)
}

function putHeadRight(db: DatabaseSync, runId: string): void {
  const last = 'SELECT seq, hash FROM events WHERE run_id = ?1 ORDER BY seq DESC LIMIT 1'
  db.prepare(`UPDATE runs SET (seq, hash) = (${last}) WHERE id = ?1`).run(runId)
}

/** A record at the end that looks like a person's. */
function forge(db: DatabaseSync, runId: string, hash: string): void {
  const data = JSON.stringify({ type: 'approval.granted', id: 'ap1', note: '' })
  db.prepare(
    `INSERT INTO events SELECT run_id, max(seq) + 1, member, 'approval.granted', ?2, max(at),
      'person:alice', 'forged', ?3, NULL FROM events WHERE run_id = ?1`,
  ).run(runId, data, hash)
}

/** Changes the log and has the command line prove it. */
export async function tryTamper(live: Live, record: AttackRecord): Promise<AttackOutcome> {
  const ways = tamperings[(record.attempt as { readonly tamper: string }).tamper]
  if (ways === undefined) throw new Error(`no such change: ${JSON.stringify(record.attempt)}`)
  const runs = await Promise.all(ways.map(() => startLogged(live)))
  const anchors = await Promise.all(runs.map((runId, at) => anchor(live, runId, `a${at}.json`)))
  await behindItsBack(live, (db) => {
    for (const [at, way] of ways.entries()) way.act(db, runs[at] ?? '')
  })
  const found: AttackOutcome[] = []
  for (const [at, way] of ways.entries()) {
    const proof = { runId: runs[at] ?? '', anchor: anchors[at] ?? '', record, way }
    found.push(await prove(live, proof))
  }
  return together(found)
}

type Proof = {
  readonly runId: string
  readonly anchor: string
  readonly record: AttackRecord
  readonly way: Tampering
}

/** What the command line says of a log, by itself and with the anchor that was taken before. */
async function prove(
  { house }: Live,
  { runId, anchor, record, way }: Proof,
): Promise<AttackOutcome> {
  const alone = await house.cli('log', runId, '--verify')
  const anchored = await house.cli('log', runId, '--against', anchor)
  const said = way.needsAnchor ? anchored : alone
  const isTold = said.code === 0 || /^record \d+ does not match: /.test(said.out)
  const isSame = way.needsAnchor || alone.code === anchored.code
  return {
    verdicts: said.code === 0 ? ['allow'] : said.code === 1 ? ['error'] : [],
    wrong: [
      ...(isTold ? [] : [`it said ${saidText(said)}`]),
      ...(isSame ? [] : [`${record.id}: with the anchor it said ${saidText(anchored)}`]),
    ],
  }
}

function saidText({ code, out, err }: CliResult): string {
  return `${code} ${(out + err).trim()}`
}

async function anchor({ house }: Live, runId: string, name: string): Promise<string> {
  const { code, err } = await house.cli('log', runId, '--anchor', '--out', name)
  if (code !== 0) throw new Error(err)
  return name
}

/** Sends a text as the reason of a cancel and as the note of a decision, over both doors. */
export async function tryText(live: Live, record: AttackRecord): Promise<AttackOutcome> {
  const { value } = record.attempt as { readonly value: string }
  return together([
    await sendText(live, value, viaHttp(live)),
    await sendText(live, value, viaSocket(live)),
  ])
}

/** Asks as the person; gives the status of the answer. */
type PostJson = (target: string, body: object) => Promise<number>

async function sendText(live: Live, value: string, ask: PostJson): Promise<AttackOutcome> {
  const runId = await startRun(live)
  const asked = await askPerson(live)
  const cancelled = await ask(`/v1/runs/${runId}/cancel`, { reason: value })
  const decided = await ask(`/v1/approvals/${asked.id}`, { granted: true, note: value })
  const wrong = [
    ...(await wrongInLog(live, { runId, type: 'run.cancelled', value })),
    ...(await wrongInLog(live, { runId: asked.runId, type: 'approval.granted', value })),
  ]
  return { verdicts: verdictsOf(cancelled === 200 ? decided : cancelled), wrong }
}

function viaSocket({ as: { person } }: Live): PostJson {
  return async (target, body) => {
    const [, , group, id = ''] = target.split('/')
    // WHY the cast: the same bodies as over HTTP, where nothing checks them either.
    const code = await refusalOf(() =>
      group === 'runs'
        ? person.runs.cancel({ runId: id, ...body })
        : person.approvals.decide({ id, ...(body as { granted: boolean }) }),
    )
    return code === null ? 200 : 422
  }
}

function viaHttp(live: Live): PostJson {
  return async (target, body) => {
    const text = JSON.stringify(body)
    const headers = [
      ['Host', `127.0.0.1:${live.port}`],
      ['Authorization', `Bearer ${live.tokens.person}`],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(Buffer.byteLength(text))],
    ] as const
    return (await live.send({ method: 'POST', target, headers, body: text })).status
  }
}

type LoggedValue = { readonly runId: string; readonly type: string; readonly value: string }

/** It has to be one record that holds the text, or its beginning and a mark. */
async function wrongInLog({ house }: Live, { runId, type, value }: LoggedValue): Promise<string[]> {
  const { items } = (await house.json('log', runId)) as unknown as { items: LogItem[] }
  const own = items.filter((item) => item.type === type)
  const [one] = own
  if (own.length !== 1 || one === undefined) return [`${own.length} records are ${type}`]
  const kept = one.data.reason ?? one.data.note ?? ''
  const isKept = kept === value
  const isCut = kept.startsWith(value.slice(0, 1_000)) && kept.includes(`cut: ${value.length}`)
  const shown = await house.cli('log', runId, '--all')
  const lines = shown.out.trimEnd().split('\n')
  const proved = await house.cli('log', runId, '--verify')
  return [
    ...(isKept || (kept.length < 20_000 && isCut) ? [] : [`${type} holds ${kept.slice(0, 80)}`]),
    ...(items.every((item, at) => item.seq === at + 1) ? [] : ['the log has gaps']),
    ...(lines.length === items.length ? [] : [`${lines.length} lines for ${items.length} records`]),
    ...(proved.code === 0 ? [] : [`--verify said ${proved.out}`]),
  ]
}

type LogItem = {
  readonly seq: number
  readonly type: string
  readonly data: { readonly reason?: string; readonly note?: string }
}

/** Has calls judged on a disk on which nothing fits any more. */
export async function tryFullDisk(): Promise<AttackOutcome> {
  const house = openHouse()
  mkdirSync(house.folder, { mode: 0o700 })
  const options = ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', house.folder]
  try {
    execFileSync('mount', options, { stdio: 'ignore' })
  } catch {
    await house.close()
    return { verdicts: [], wrong: [], untried: 'only root may mount a small disk' }
  }
  try {
    const live = await openLive(shareAgentToken(house))
    return await fillDisk(live)
  } finally {
    await house.cli('stop')
    execFileSync('umount', [house.folder])
    await house.close()
  }
}

const callsMax = 2_000

async function fillDisk(live: Live): Promise<AttackOutcome> {
  const { as, house } = live
  const runId = await startRun(live, { commands: ['ls'] })
  const ballast = join(house.folder, 'ballast')
  fill(ballast)
  let allowed = 0
  let denial: string | null = null
  while (denial === null && allowed < callsMax) {
    const input = { command: `ls ${'x'.repeat(4_000)}` }
    const { reply } = await as.agent.runs.check({ runId, tool: 'Bash', input })
    if (reply.verdict === 'allow') allowed += 1
    else denial = `${reply.verdict} ${reply.code ?? ''}`
  }
  const signal = await refusalOf(() => as.agent.runs.signal({ runId, name: 'STAY' }))
  rmSync(ballast)
  const after = await verdictOn(live, runId, { command: 'ls' })
  const { items } = (await house.json('log', runId)) as unknown as { items: LogItem[] }
  const kept = items.filter((item) => item.type === 'call.allowed').length
  const proved = await house.cli('log', runId, '--verify')
  const { agent, person } = as
  for (const one of [agent, person]) one.close()
  return {
    verdicts: [denial === 'deny STORE_UNAVAILABLE' ? 'error' : 'allow'],
    wrong: [
      ...(denial === 'deny STORE_UNAVAILABLE' ? [] : [`a call got ${denial}`]),
      ...(signal === 'STORE_UNAVAILABLE' ? [] : [`a signal got ${signal}`]),
      ...(after === 'allow' ? [] : [`with room again a call gets ${after}`]),
      ...(kept === allowed + 1 ? [] : [`${allowed + 1} calls were allowed, ${kept} are on record`]),
      ...(proved.code === 0 ? [] : [`--verify said ${proved.out}`]),
    ],
  }
}

/** Takes all the room there is. */
function fill(path: string): void {
  for (let bytes = 1_048_576; bytes >= 1_024; bytes /= 2) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' })
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ENOSPC') throw fault
    }
  }
}
