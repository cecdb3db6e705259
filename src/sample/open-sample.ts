/**
 * The sample: a workspace with definitions and a policy, and a scripted agent that works in it.
 * Everything goes over the socket, as it would with a real agent.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, openClient } from '../client/index.ts'
import { issueCredential } from '../client/issue-credential.ts'
import type { LogLine } from '../daemon/log-file.ts'
import type { Home } from '../home/home.ts'
import { readToken } from '../home/tokens.ts'
import { sampleDefinitions, samplePolicy } from './definitions.ts'
import {
  bugFixScript,
  hotfixScript,
  releaseScript,
  type SampleScript,
  testsFile,
  testsScript,
} from './script.ts'
import { workOn } from './scripted-agent.ts'

export type Sample = { readonly close: () => Promise<void> }

/** Releases that are worked through, one after the other, before the agent rests. */
const releasesMax = 20
const stepMs = 1_200
const betweenMs = 4_000
const beginMs = 5

/** Puts the workspace there and sets the agent to work. */
export async function openSample(home: Home, log: LogLine): Promise<Sample> {
  const folder = `${home.folder}-workspace`
  putFiles(folder)
  const person = openClient({ socket: home.socket, token: readToken(home, 'person') })
  await putDefinitions(person)
  person.close()
  const ending = new AbortController()
  const { signal } = ending
  // WHY two: a credential works on one run at a time.
  const [quick, steady] = [await openAgent(home), await openAgent(home)]
  const working = Promise.all([
    beginQuickly({ client: quick, folder, signal }),
    release({ client: steady, folder, signal }),
  ]).catch((fault: unknown) => {
    if (!signal.aborted) log('warning', 'the agent of the sample gave up', { fault: String(fault) })
  })
  return {
    close: async () => {
      ending.abort()
      quick.close()
      steady.close()
      await working
    },
  }
}

async function openAgent(home: Home): Promise<Client> {
  const token = await issueCredential(home.socket, readToken(home, 'agent'))
  return openClient({ socket: home.socket, token })
}

type Setting = { readonly client: Client; readonly folder: string; readonly signal: AbortSignal }

function putFiles(folder: string): void {
  const rules = join(folder, '.pawl')
  mkdirSync(rules, { recursive: true })
  const policy = join(rules, 'policy.json')
  writeFileSync(join(folder, testsFile), testsScript)
  if (!existsSync(policy)) writeFileSync(policy, `${JSON.stringify(samplePolicy, null, 2)}\n`)
}

async function putDefinitions(person: Client): Promise<void> {
  const { items } = await person.definitions.list({ limit: 500 })
  const known = new Set(items.map((one) => one.name))
  for (const source of sampleDefinitions) {
    const name = /^id: (.*)$/m.exec(source)?.[1] ?? ''
    if (!known.has(name)) await person.definitions.create({ source, format: 'yaml' })
  }
}

const bugs = [
  ['An empty cart breaks the checkout', 'badly'],
  ['Totals are off by a cent', 'well'],
] as const

/** What is over or waits when a person first looks: done without pauses, and only once. */
async function beginQuickly(setting: Setting): Promise<void> {
  const { folder } = setting
  const quick = (runId: string, script: SampleScript): Promise<void> =>
    workOn(runId, { ...setting, script, stepMs: beginMs })
  if ((await latest(setting, 'bug-fix')) === null) {
    for (const [title, end] of bugs) {
      await quick(await start(setting, { definition: 'bug-fix', title }), bugFixScript(folder, end))
    }
  }
  const known = await latest(setting, 'hotfix')
  if (known?.endedAt != null) return
  const wish = { definition: 'hotfix', title: 'Slow banks charge twice' }
  await quick(known?.id ?? (await start(setting, wish)), hotfixScript(folder))
}

async function latest({ client, folder }: Setting, definition: string) {
  const { items } = await client.runs.list({ definition, workspace: folder, limit: 1 })
  return items[0] ?? null
}

/** One release after the other; one that a restart has interrupted goes on first. */
async function release(setting: Setting): Promise<void> {
  const { client, folder, signal } = setting
  const { items } = await client.runs.list({ definition: 'release', workspace: folder, limit: 500 })
  let open = items.find((head) => head.endedAt === null)?.id ?? null
  for (let count = items.length; count < items.length + releasesMax; count += 1) {
    if (signal.aborted) return
    const wish = { definition: 'release', title: `Release of week ${count + 1}` }
    const runId = open ?? (await start(setting, wish))
    open = null
    await workOn(runId, { client, script: releaseScript(folder, count + 1), stepMs, signal })
    await sleep(betweenMs, undefined, { signal }).catch(() => undefined)
  }
}

type StartWish = { readonly definition: string; readonly title: string }

async function start({ client, folder }: Setting, wish: StartWish): Promise<string> {
  return (await client.runs.start({ ...wish, workspace: folder })).runId
}
