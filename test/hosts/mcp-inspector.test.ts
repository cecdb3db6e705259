/** The inspector's command line walks all three dialects, over both wires. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type House, openHouse, program, release } from '../../src/main/daemon.contract.ts'
import { checklist, form, httpAddress } from '../../src/main/mcp.contract.ts'
import { hostPath, hostsRoot } from '../../src/prove/hosts/find-host.ts'

const inspector = join(hostsRoot(process.env), 'inspector', 'node_modules', '.bin', 'mcp-inspector')
const callMsMax = 60_000
const run = promisify(execFile)

let house: House
/** WHY one for all: over HTTP each process would be a session of its own, with other runs. */
let credential: string
beforeAll(async () => {
  house = openHouse()
  const folder = join(house.workspace, '.pawl', 'definitions')
  mkdirSync(folder, { recursive: true })
  for (const one of [checklist.definition, form.definition, release]) {
    const name = 'id' in one ? one.id : one.name
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(one))
  }
  await house.json('runs')
  credential = await issueCredential()
  return () => house.close()
})

async function issueCredential(): Promise<string> {
  const { url, headers } = httpAddress(house)
  const response = await fetch(new URL('/v1/credentials', url), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{}',
  })
  return ((await response.json()) as { readonly credential: string }).credential
}

/** How the inspector is told of a server. */
function serverOf(wire: 'stdio' | 'HTTP'): readonly string[] {
  if (wire === 'stdio') {
    // WHY named: it hands a server few variables of its own.
    const home = ['-e', `PAWL_HOME=${house.folder}`]
    return [process.execPath, program, 'mcp', '--workspace', house.workspace, ...home]
  }
  const { href } = httpAddress(house).url
  return [href, '--transport', 'http', '--header', `Authorization: Bearer ${credential}`]
}

type Values = { readonly ok: boolean; readonly run: Readonly<Record<string, unknown>> }

/** WHY a process for each: the inspector connects, asks once and goes. */
async function ask(wire: 'stdio' | 'HTTP', ...args: readonly string[]): Promise<string> {
  const env = { ...house.env, PATH: hostPath(process.env) }
  const whole = ['--cli', ...serverOf(wire), ...args]
  const { stdout } = await run(inspector, whole, { env, timeout: callMsMax })
  return stdout
}

function callerOn(wire: 'stdio' | 'HTTP') {
  return async (tool: string, args: Readonly<Record<string, string>> = {}): Promise<Values> => {
    const given = Object.entries(args).flatMap(([name, value]) => [
      '--tool-arg',
      `${name}=${value}`,
    ])
    const said = await ask(wire, '--method', 'tools/call', '--tool-name', tool, ...given)
    return JSON.parse(said).structuredContent
  }
}

test.each(['stdio', 'HTTP'] as const)('a workflow, a checklist and a form (%s)', async (wire) => {
  onTestFinished(async () => {
    const { items } = await house.json('runs')
    for (const { id } of items) await house.json('cancel', id)
  })
  const call = callerOn(wire)
  await call('pawl_load_workflow', { name: 'release' })
  const listed = await ask(wire, '--method', 'tools/list')
  expect(listed).toContain('pawl_transition')
  await call('pawl_transition', { event: 'READY' })
  const asked = await call('pawl_transition', { event: 'SHIP' })
  expect(asked.run).toMatchObject({ status: 'waiting' })
  const { items } = await house.json('approvals')
  await house.json('approve', items[0]?.id ?? '')
  // Each process is a client of its own: the run that was open is over.
  await call('pawl_load_workflow', { name: 'backup' })
  await call('process_step', { answer: 'yes' })
  expect((await call('process_step', { answer: 'yes' })).run).toMatchObject({ status: 'completed' })
  await call('pawl_load_workflow', { name: 'trip' })
  expect(await ask(wire, '--method', 'tools/list')).toContain('book_trip')
  await call('book_trip', { city: 'Oslo', mail: 'a@b.cd' })
  expect((await call('book_trip', { sure: 'true' })).run).toMatchObject({ status: 'completed' })
  expect(await ask(wire, '--method', 'resources/list')).toContain('pawl://definitions/trip')
  expect(await ask(wire, '--method', 'prompts/list')).toContain('Start trip')
})
