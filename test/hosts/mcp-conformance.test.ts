/** The conformance suite of the protocol against both of Pawl's servers. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { type House, openHouse } from '../../src/main/daemon.contract.ts'
import { checklist, form } from '../../src/main/mcp.contract.ts'
import { hostPath, hostsRoot } from '../../src/prove/hosts/find-host.ts'
import { openDaemonAddress, openStdioAddress } from './mcp-wires.ts'

const program = join(hostsRoot(process.env), 'mcp', 'node_modules', '.bin', 'conformance')
const suiteMsMax = 280_000
const run = promisify(execFile)

/** Scenarios that apply to Pawl. */
const applying = [
  'dns-rebinding-protection',
  'ping',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-list',
  'resources-list',
  'resources-subscribe',
  'resources-unsubscribe',
  'server-initialize',
  'server-sse-multiple-streams',
  // Only recommends what it looks for (streams that resume), so it cannot fail.
  'server-sse-polling',
  'tools-list',
]
/** Those that need a form to be open whose tool has the name they call. */
const withForm = {
  'tools-call-simple-text': 'test_simple_text',
  'tools-call-error': 'test_error_handling',
}

/** Those that ask for what Pawl does not have; docs/reference/mcp.md says why. */
const others = [
  'completion-complete',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'json-schema-2020-12',
  'logging-set-level',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'resources-read-binary',
  'resources-read-text',
  'resources-templates-read',
  'tools-call-audio',
  'tools-call-elicitation',
  'tools-call-embedded-resource',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-sampling',
  'tools-call-with-logging',
  'tools-call-with-progress',
]

/** A form whose tool has this name; the suite knows a server by the names of its things. */
function formOf(id: string, tool: string, fields: readonly string[]): object {
  const inputs = fields.map((name) => ({ name }))
  const steps = [{ id: 'ASK', goal: 'Ask', inputs }]
  return { type: 'steps', version: 'v1alpha', id, tool: { name: tool }, steps }
}

const plain = { initial: 'a', states: { a: { on: { GO: 'b' } }, b: { type: 'final' } } }

const definitions: readonly object[] = [
  checklist.definition,
  form.definition,
  { id: 'test_simple_prompt', ...plain },
  formOf('test_prompt_with_arguments', 'ask', ['arg1', 'arg2']),
  formOf('test_simple_text', 'test_simple_text', []),
  formOf('test_error_handling', 'test_error_handling', ['needed']),
]

async function openWorld(): Promise<House> {
  const house = openHouse()
  onTestFinished(() => house.close(), 30_000)
  const folder = join(house.workspace, '.pawl', 'definitions')
  mkdirSync(folder, { recursive: true })
  for (const [i, one] of definitions.entries()) {
    writeFileSync(join(folder, `${i}.json`), JSON.stringify(one))
  }
  await house.json('runs')
  return house
}

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string }
type ChecksByScenario = ReadonlyMap<string, readonly Check[]>

/** What each scenario found; the suite writes it down. */
async function runSuite(url: string, ...which: readonly string[]): Promise<ChecksByScenario> {
  const out = mkdtempSync(join(tmpdir(), 'pawl-conformance-'))
  onTestFinished(() => rmSync(out, { recursive: true }))
  const args = ['server', '--url', url, ...which, '-o', out]
  const env = { PATH: hostPath(process.env), HOME: out }
  // It ends with 1 when anything fails: what did is read below.
  await run(program, args, { env, timeout: suiteMsMax }).catch((fault: { code?: unknown }) => {
    if (fault.code !== 1) throw fault
  })
  return new Map(
    readdirSync(out).map((folder) => [
      folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      JSON.parse(readFileSync(join(out, folder, 'checks.json'), 'utf8')),
    ]),
  )
}

function failuresIn(found: ChecksByScenario): readonly string[] {
  return [...found]
    .filter(([, checks]) => checks.length === 0 || checks.some((one) => one.status === 'FAILURE'))
    .map(([name]) => name)
}

const wires = [
  ['HTTP', openDaemonAddress],
  ['stdio', openStdioAddress],
] as const

test.each(wires)('every scenario that applies passes over %s', async (_, open) => {
  const found = await runSuite(await open(await openWorld()), '--suite', 'all')
  const forms = Object.keys(withForm)
  expect([...found.keys()].toSorted()).toEqual([...applying, ...others, ...forms].toSorted())
  expect(failuresIn(found).toSorted()).toEqual([...others, ...forms].toSorted())
})

test.each(wires)(
  'a tool that a definition names is called as any other over %s',
  async (_, open) => {
    const house = await openWorld()
    const url = await open(house)
    for (const [scenario, definition] of Object.entries(withForm)) {
      const { runId } = await house.json('start', definition)
      const found = await runSuite(url, '--scenario', scenario)
      expect(found.size).toBe(1)
      expect([...found.values()].flat(), scenario).not.toContainEqual(
        expect.objectContaining({ status: 'FAILURE' }),
      )
      // One has completed its run by that.
      await house.cli('cancel', runId)
    }
  },
)
