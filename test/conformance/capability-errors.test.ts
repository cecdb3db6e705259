/** Errors of the process capabilities: types, recovery actions, and bad input, over every door. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { type CapabilityClient, type CapabilityName, capabilityClients } from './capabilities.ts'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'

const claim = claimsOf('process capabilities')
const doors = useDoors({
  config: { jobs: { cpuSeconds: 1 } },
  files: { 'plain.txt': 'not a program\n', 'folder/x': '' },
})
const clients = capabilityClients(doors)
const [stdio, http, rest] = clients as [CapabilityClient, CapabilityClient, CapabilityClient]

/** The shape of every error. */
function expectShape(error: LooseJson, type: string): void {
  expect(error).toMatchObject({
    error_type: type,
    description: expect.stringMatching(/\S/),
    agent_description: expect.stringMatching(/\S/),
    retryable: expect.any(Boolean),
    context: expect.any(Object),
  })
  expect(error.recovery_actions.length).toBeGreaterThan(0)
  for (const one of error.recovery_actions) {
    expect(one).toMatchObject({
      action: expect.stringMatching(/^[a-z_]+$/),
      description: expect.stringMatching(/\S/),
    })
  }
}

type Failing = (client: CapabilityClient) => Promise<LooseJson>
type ErrorRow = {
  readonly capability: CapabilityName
  readonly type: string
  readonly quote: string
  /** The recovery actions of the document, each with a word that its description has. */
  readonly actions: Readonly<Record<string, RegExp>>
  readonly fail: Failing
}

const unknownId = 'job_none0000000000000000'
const noProcess = { list_processes: /process\.list/ }

async function ended(client: CapabilityClient): Promise<string> {
  return (await client.call('run', { command: 'true' })).process_id
}

const errors: readonly ErrorRow[] = [
  {
    capability: 'run',
    type: 'CommandNotFound',
    quote: 'The specified command does not exist in the sandbox PATH.',
    actions: { check_path: /process\.run.*which/, use_full_path: /absolute path/ },
    fail: (client) => client.fail('run', { command: 'no-such-program-anywhere', args: [] }),
  },
  {
    capability: 'run',
    type: 'ResourceLimitExceeded',
    quote: 'Process was killed because it exceeded its memory or CPU limit.',
    actions: { increase_limits: /memory_limit.*cpu_limit/, optimize: /less/ },
    fail: (client) => client.fail('run', { command: 'echo begun; while :; do :; done' }),
  },
  {
    capability: 'run',
    type: 'PathOutOfScope',
    quote: 'The working_directory is outside the agent’s workspace.',
    actions: { check_scope: /workspace/ },
    fail: (client) => client.fail('run', { command: 'true', working_directory: '/etc' }),
  },
  {
    capability: 'run',
    type: 'SpawnFailed',
    quote: 'Failed to start the process due to OS-level error.',
    actions: { check_permissions: /executable/, retry: /once more/ },
    fail: (client) => client.fail('run', { command: './plain.txt', args: [] }),
  },
  {
    capability: 'monitor',
    type: 'ProcessNotFound',
    quote: 'No process with the given ID exists or it has been cleaned up.',
    actions: noProcess,
    fail: (client) => client.fail('monitor', { process_id: unknownId }),
  },
  {
    capability: 'kill',
    type: 'ProcessNotFound',
    quote: 'No process with the given ID exists or it has already been cleaned up.',
    actions: noProcess,
    fail: (client) => client.fail('kill', { process_id: unknownId }),
  },
  {
    capability: 'kill',
    type: 'ProcessAlreadyExited',
    quote: 'The process has already completed or been killed.',
    actions: { check_status: /process\.monitor/ },
    fail: async (client) => client.fail('kill', { process_id: await ended(client) }),
  },
  {
    capability: 'list',
    type: 'InvalidFilter',
    quote: 'The state_filter value is not one of the valid options.',
    actions: { use_valid_filter: /running.*completed.*killed.*timed_out.*all/ },
    fail: (client) => client.fail('list', { state_filter: 'finished' }),
  },
  {
    capability: 'logs',
    type: 'ProcessNotFound',
    quote: 'No process with the given ID exists or it has been cleaned up.',
    actions: noProcess,
    fail: (client) => client.fail('logs', { process_id: unknownId }),
  },
  {
    capability: 'logs',
    type: 'InvalidStream',
    quote: 'The stream value is not one of ‘stdout’, ‘stderr’, or ‘both’.',
    actions: { use_valid_stream: /stdout.*stderr.*both/ },
    fail: async (client) => client.fail('logs', { process_id: await ended(client), stream: 'all' }),
  },
]

for (const { capability, type, quote, actions, fail } of errors) {
  const section = `process.${capability}: Errors`
  const seen = new Map<string, Promise<LooseJson>>()
  const errorOf = (client: CapabilityClient): Promise<LooseJson> => {
    const known = seen.get(client.door) ?? fail(client)
    seen.set(client.door, known)
    return known
  }
  for (const client of clients) {
    const check = `${client.door}: the error has this type, a message and a next step`
    claim({ section, quote: `${type}: ${quote}`, check }, async () =>
      expectShape(await errorOf(client), type),
    )
  }
  for (const [action, words] of Object.entries(actions)) {
    claim(
      {
        section,
        quote: `${type} … ${action}`,
        check: 'every interface names the recovery action and explains how to carry it out',
        ...(action === 'check_scope' ? { differs: 'check-scope' } : {}),
      },
      async () => {
        for (const client of clients) {
          const { recovery_actions } = await errorOf(client)
          const found = recovery_actions.find((one: LooseJson) => one.action === action)
          expect(found?.description, client.door).toMatch(words)
        }
      },
    )
  }
}

claim(
  {
    section: 'process.run: Errors',
    quote: 'CommandNotFound … check_path: Use process.run(command=‘which’, args=[‘command_name’])',
    check: 'the advice works: `which sh` gives its path',
  },
  async () => {
    const which = await stdio.call('run', { command: 'which', args: ['sh'] })
    expect(which.stdout_summary).toMatch(/^\/.*sh$/)
    const path = which.stdout_summary
    const ran = await stdio.call('run', { command: path, args: ['-c', 'echo full path'] })
    expect(ran.stdout_summary).toBe('full path')
  },
)
claim(
  {
    section: 'process.run: Errors',
    quote: 'ResourceLimitExceeded … exceeded its memory … limit',
    check: 'if the machine can limit memory, this error has the partial output in its context',
  },
  async () => {
    const { body: isolation } = await doors.rest('GET /v1/isolation')
    const hog = { command: 'echo begun; exec tail /dev/zero', memory_limit: 64 * 1024 * 1024 }
    if (!isolation.memory.startsWith('control group')) {
      expect(await rest.call('run', hog)).toMatchObject({ limits_enforced: false })
      return
    }
    for (const client of clients) {
      const error = await client.fail('run', hog)
      expectShape(error, 'ResourceLimitExceeded')
      const { process_id } = error.context
      expect(error.context).toMatchObject({ state: 'killed', stdout_summary: 'begun' })
      expect(await client.call('monitor', { process_id })).toMatchObject({ state: 'killed' })
    }
  },
)
for (const [what, folder] of [
  ['a folder above the workspace', '..'],
  ['a symlink that leads out of the workspace', 'link-to-etc'],
  ['an absolute path outside the workspace', '/usr'],
] as const) {
  claim(
    {
      section: 'process.run: Inputs',
      quote: 'working_directory: Must be within the agent’s workspace.',
      check: `${what} is PathOutOfScope`,
    },
    async () => {
      if (folder.startsWith('link')) symlinkSync('/etc', join(doors.house().workspace, folder))
      for (const client of clients) {
        const wish = { command: 'true', working_directory: folder }
        expectShape(await client.fail('run', wish), 'PathOutOfScope')
      }
    },
  )
}
claim(
  {
    section: 'process.run: Errors',
    quote: 'Note: Timeout is not an error type.',
    check: 'a timeout is a normal response over every interface, not an error',
  },
  async () => {
    const wish = { command: 'sleep 9', timeout: 1 }
    const outcomes = await Promise.all(clients.map((client) => client.invoke('run', wish)))
    for (const { ok } of outcomes) expect(ok).toBe(true)
  },
)
claim(
  {
    section: 'process.run: Errors',
    quote: 'CommandNotFound: The specified command does not exist in the sandbox PATH.',
    check: 'in a shell command, the shell reports it: exit code 127 instead of an error',
    differs: 'command-not-found-in-a-shell',
  },
  async () => {
    for (const client of clients) {
      const ran = await client.call('run', { command: 'no-such-program-anywhere --help' })
      expect(ran).toMatchObject({ exit_code: 127, state: 'completed' })
      expect(ran.stderr_summary).toContain('no-such-program-anywhere')
    }
  },
)

type BadInput = readonly [kind: string, inputs: Readonly<Record<string, Json>>, type?: string]

const word = 'x'.repeat(121_000)
const badInputs: Readonly<Record<CapabilityName, readonly BadInput[]>> = {
  run: [
    ['a missing parameter', {}],
    ['a null value', { command: null }],
    ['a wrong type', { command: 5 }],
    ['a wrong type', { command: ['echo', 'hi'] }],
    ['an empty value', { command: ' ' }],
    ['a wrong type', { command: 'echo', args: 'hi' }],
    ['a wrong type', { command: 'echo', args: [1] }],
    ['a null value', { command: 'echo', args: null }],
    ['a wrong type', { command: 'true', working_directory: 5 }],
    ['a folder that does not exist', { command: 'true', working_directory: 'no-such-folder' }],
    ['a wrong type', { command: 'true', environment: 'A=1' }],
    ['a wrong type', { command: 'true', environment: { A: 1 } }],
    ['an invalid name', { command: 'true', environment: { 'A B': 'x' } }],
    ['a wrong type', { command: 'true', timeout: '10' }],
    ['a fraction', { command: 'true', timeout: 1.5 }],
    ['a null value', { command: 'true', timeout: null }],
    ['a wrong type', { command: 'true', background: 'yes' }],
    ['a wrong type', { command: 'true', stdin: 5 }],
    ['a wrong type', { command: 'true', cpu_limit: 'half' }],
    ['a fraction', { command: 'true', memory_limit: 67_108_864.5 }],
    ['a value that is too small', { command: 'true', memory_limit: 1024 }],
    ['a wrong type', { command: 'true', stdout_lines: 'ten' }],
    ['a value that is too large', { command: 'true', stdout_lines: 1_000_000 }],
    ['an unknown parameter', { command: 'true', colour: 'red' }],
    ['a value that is too large', { command: `echo ${word}` }],
    [
      'a value that is too large',
      { command: 'true', args: Array.from({ length: 10_001 }, () => 'a') },
    ],
    [
      'a value that is too large',
      {
        command: 'true',
        environment: Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`V${i}`, 'x'])),
      },
    ],
    ['a NUL byte', { command: 'echo', args: ['a\0b'] }],
  ],
  monitor: [['an unknown parameter', { process_id: unknownId, colour: 'red' }]],
  kill: [
    ['a wrong type', { process_id: unknownId, force_after: 'soon' }],
    ['a fraction', { process_id: unknownId, force_after: 1.5 }],
    ['a wrong type', { process_id: unknownId, signal: 9 }],
    ['a null value', { process_id: unknownId, signal: null }],
    ['an unknown parameter', { process_id: unknownId, colour: 'red' }],
  ],
  list: [
    ['a wrong type', { limit: 'all' }],
    ['a fraction', { limit: 1.5 }],
    ['an unknown parameter', { colour: 'red' }],
    ['a wrong type', { state_filter: 5 }, 'InvalidFilter'],
    ['an empty value', { state_filter: '' }, 'InvalidFilter'],
    ['upper case', { state_filter: 'RUNNING' }, 'InvalidFilter'],
  ],
  logs: [
    ['a wrong type', { process_id: unknownId, offset: 'x' }],
    ['a fraction', { process_id: unknownId, limit: 1.5 }],
    ['an unknown parameter', { process_id: unknownId, colour: 'red' }],
  ],
}

for (const [capability, rows] of Object.entries(badInputs) as [CapabilityName, BadInput[]][]) {
  for (const [kind, inputs, type = 'InvalidInput'] of rows) {
    const shown = JSON.stringify(inputs).slice(0, 80)
    claim(
      {
        section: `process.${capability}: Inputs`,
        quote: 'Parameter | Type | Required',
        check: `${kind}: \`${shown}\` is ${type} over every interface, and nothing is started`,
      },
      async () => {
        for (const client of clients) expectShape(await client.fail(capability, inputs), type)
      },
    )
  }
}

for (const [kind, inputs] of [
  ['a missing process_id', {}],
  ['a process_id that is null', { process_id: null }],
  ['a process_id of the wrong type', { process_id: 7 }],
] as readonly (readonly [string, JsonObject])[]) {
  for (const capability of ['monitor', 'kill', 'logs'] as const) {
    claim(
      {
        section: `process.${capability}: Inputs`,
        quote: 'process_id | String | Yes | —',
        check: `${kind}: InvalidInput over both MCP transports`,
      },
      async () => {
        for (const client of [stdio, http]) {
          expectShape(await client.fail(capability, inputs), 'InvalidInput')
        }
      },
    )
  }
}
for (const [wish, type] of [
  [{ stream: 5 }, 'InvalidStream'],
  [{ stream: '' }, 'InvalidStream'],
  [{ stream: 'STDOUT' }, 'InvalidStream'],
  [{ offset: -1 }, 'InvalidInput'],
  [{ limit: -5 }, 'InvalidInput'],
] as const) {
  claim(
    {
      section: 'process.logs: Inputs',
      quote: 'stream | String · offset | Integer · limit | Integer',
      check: `\`${JSON.stringify(wish)}\` is ${type} over every interface`,
    },
    async () => {
      const process_id = await ended(rest)
      for (const client of clients) {
        expectShape(await client.fail('logs', { process_id, ...wish }), type)
      }
    },
  )
}
claim(
  {
    section: 'process.run: Inputs',
    quote: 'stdin | String',
    check: 'input that is too large for a request: 413 over REST, and the daemon continues',
  },
  async () => {
    const body = { command: 'cat', args: [], stdin: 'x'.repeat(1_200_000) }
    const answer = await doors.rest('POST /v1/jobs', { as: 'agent', body })
    expect(answer).toMatchObject({ status: 413, body: { code: 'REQUEST_TOO_LARGE' } })
    expect((await rest.call('run', { command: 'true' })).state).toBe('completed')
  },
)
