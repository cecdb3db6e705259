/** Process capabilities as clients find them: permissions, versions, inputs, outputs. */
import { expect } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'

const claim = claimsOf('process capabilities')
const doors = useDoors()

const wires = ['stdio', 'http'] as const

const lists = new Map<string, LooseJson>()

/** WHY once: the list does not change while no run is open. */
async function once(key: string, read: () => Promise<LooseJson>): Promise<LooseJson> {
  if (!lists.has(key)) lists.set(key, await read())
  return lists.get(key)
}

async function toolOf(wire: (typeof wires)[number], name: string): Promise<LooseJson> {
  const tools = await once(wire, async () => (await doors.client(wire)).tools())
  return tools.find((one: LooseJson) => one.name === name)
}

/** The inputs of a capability in the contract of the API. */
async function apiInputs(name: string): Promise<Readonly<Record<string, LooseJson>>> {
  const address = 'GET /v1/openapi.json'
  const { body: contract } = await once('api', () => doors.rest(address, { as: 'nobody' }))
  const [path, method] = apiPaths[name] ?? ['', '']
  const operation = contract.paths[path][method]
  const body = operation.requestBody?.content['application/json'].schema
  const schema = body?.$ref === undefined ? body : resolve(contract, body.$ref)
  const required: readonly string[] = schema?.required ?? []
  const fields = Object.entries(schema?.properties ?? {}).map(([field, one]) => [
    field,
    { ...(one as object), required: required.includes(field) },
  ])
  const parameters = (operation.parameters ?? []).map((one: LooseJson) => [
    one.name,
    { ...one.schema, required: one.required === true },
  ])
  return Object.fromEntries([...fields, ...parameters])
}

function resolve(contract: LooseJson, ref: string): LooseJson {
  return ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key], contract)
}

const apiPaths: Readonly<Record<string, readonly [path: string, method: string]>> = {
  'process.run': ['/v1/jobs', 'post'],
  'process.monitor': ['/v1/jobs/{process_id}', 'get'],
  'process.kill': ['/v1/jobs/{process_id}/kill', 'post'],
  'process.list': ['/v1/jobs', 'get'],
  'process.logs': ['/v1/jobs/{process_id}/logs', 'get'],
}

const overview = [
  ['process.run', 'Notify', '1.1', /Run a command in isolation/],
  ['process.monitor', 'Autonomous', '1.0', /state, exit code, runtime and resource usage/],
  ['process.kill', 'Notify', '1.0', /Stop a job with a signal/],
  ['process.list', 'Autonomous', '1.0', /List the jobs/],
  ['process.logs', 'Autonomous', '1.0', /Read the output of a running or ended job/],
] as const

for (const [capability, permission, version, purpose] of overview) {
  const name = capability.replace('.', '_')
  claim(
    {
      section: 'Overview',
      quote: `${capability} | ${permission}`,
      check: `the tool \`${name}\` is listed over stdio and HTTP with this permission`,
    },
    async () => {
      for (const wire of wires) {
        const { _meta, description } = await toolOf(wire, name)
        expect(_meta['pawl/capability']).toMatchObject({
          name: capability,
          permission: permission.toLowerCase(),
        })
        expect(description).toMatch(purpose)
      }
    },
  )
  claim(
    {
      section: capability,
      quote: `Permission: ${permission} · Version: ${version}`,
      check: 'the tool has this version',
    },
    async () => {
      for (const wire of wires) {
        const { _meta } = await toolOf(wire, name)
        expect(_meta['pawl/capability']).toMatchObject({ version })
      }
    },
  )
}

type InputRow = readonly [capability: string, input: string, type: string, fallback?: Json]
const needed = Symbol('required')

const inputs: readonly (InputRow | readonly [string, string, string, typeof needed])[] = [
  ['process.run', 'command', 'String', needed],
  ['process.run', 'args', 'Array'],
  ['process.run', 'working_directory', 'FilesystemPath'],
  ['process.run', 'environment', 'Object'],
  ['process.run', 'timeout', 'Integer', 300],
  ['process.run', 'background', 'Boolean', false],
  ['process.run', 'stdin', 'String'],
  ['process.run', 'cpu_limit', 'Float'],
  ['process.run', 'memory_limit', 'Integer'],
  ['process.run', 'stdout_lines', 'Integer', 100],
  ['process.monitor', 'process_id', 'String', needed],
  ['process.kill', 'process_id', 'String', needed],
  ['process.kill', 'signal', 'Signal', 'SIGTERM'],
  ['process.kill', 'force_after', 'Integer', 10],
  ['process.list', 'state_filter', 'String', 'all'],
  ['process.list', 'limit', 'Integer', 50],
  ['process.logs', 'process_id', 'String', needed],
  ['process.logs', 'stream', 'String', 'both'],
  ['process.logs', 'offset', 'Integer'],
  ['process.logs', 'limit', 'Integer'],
]

const jsonTypes: Readonly<Record<string, string>> = {
  ...{ String: 'string', FilesystemPath: 'string', Signal: 'string' },
  ...{ Integer: 'integer', Float: 'number', Boolean: 'boolean', Object: 'object', Array: 'array' },
}

for (const [capability, input, type, fallback] of inputs) {
  const isRequired = fallback === needed
  const shown = isRequired || fallback === undefined ? '—' : String(fallback)
  claim(
    {
      section: `${capability}: Inputs`,
      quote: `${input} | ${type} | ${isRequired ? 'Yes' : 'No'} | ${shown}`,
      check: 'the schemas of the tool and of the API have this type, requirement and default',
    },
    async () => {
      for (const wire of wires) {
        const { inputSchema } = await toolOf(wire, capability.replace('.', '_'))
        const schema = inputSchema.properties[input]
        expect(schema.type).toBe(jsonTypes[type])
        expect((inputSchema.required ?? []).includes(input)).toBe(isRequired)
        expect(schema.default).toBe(isRequired ? undefined : fallback)
      }
      const schema = (await apiInputs(capability))[input]
      expect(schema.type).toBe(jsonTypes[type])
      expect(schema.required).toBe(isRequired)
      expect(schema.default).toBe(isRequired ? undefined : fallback)
    },
  )
}

const outputs: readonly (readonly [capability: string, field: string, type: string])[] = [
  ['process.run', 'exit_code', 'Integer'],
  ['process.run', 'stdout_summary', 'String'],
  ['process.run', 'stderr_summary', 'String'],
  ['process.run', 'duration_ms', 'Integer'],
  ['process.run', 'process_id', 'String'],
  ['process.run', 'state', 'String'],
  ['process.run', 'resource_usage', 'Object'],
  ['process.monitor', 'process_id', 'String'],
  ['process.monitor', 'command', 'String'],
  ['process.monitor', 'state', 'String'],
  ['process.monitor', 'exit_code', 'Integer'],
  ['process.monitor', 'duration_ms', 'Integer'],
  ['process.monitor', 'resource_usage', 'Object'],
  ['process.monitor', 'started_at', 'DateTime'],
  ['process.kill', 'killed', 'Boolean'],
  ['process.kill', 'signal_sent', 'String'],
  ['process.kill', 'process_id', 'String'],
  ['process.kill', 'state', 'String'],
  ['process.list', 'processes', 'Array'],
  ['process.list', 'total', 'Integer'],
  ['process.logs', 'stdout', 'String'],
  ['process.logs', 'stderr', 'String'],
  ['process.logs', 'stdout_size', 'Integer'],
  ['process.logs', 'stderr_size', 'Integer'],
  ['process.logs', 'truncated', 'Boolean'],
  ['process.logs', 'process_id', 'String'],
  ['process.logs', 'state', 'String'],
]

for (const [capability, field, type] of outputs) {
  claim(
    {
      section: `${capability}: Outputs`,
      quote: `${field} | ${type}`,
      check: 'the output schema of the tool has this field with this type',
    },
    async () => {
      const wanted = type === 'DateTime' ? 'string' : jsonTypes[type]
      for (const wire of wires) {
        const { outputSchema } = await toolOf(wire, capability.replace('.', '_'))
        expect([outputSchema.properties[field].type].flat()).toContain(wanted)
      }
    },
  )
}
