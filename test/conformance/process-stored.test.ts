/** Process definitions as the API stores them: identity, times, and what a change may change. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import { useDoors } from './doors.ts'
import { freshName, processClient, smallest } from './processes.ts'

const claim = claimsOf('process definitions')
const doors = useDoors()
const processes = processClient(doors)

const section = 'Data Structure Reference'
const isoText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The document’s own example, without what the service adds. */
const example = {
  name: 'deploy-gate',
  initial: 'env-check',
  initial_prompt: 'Walk through the deployment checklist…',
  states: {
    'env-check': {
      question: 'Is the target environment correct?',
      answers: { yes: { next: 'migration-check' }, no: { next: null, action: 'block' } },
    },
    'migration-check': {
      question: 'Have all migrations been reviewed?',
      answers: {
        yes: { next: null, action: 'complete' },
        'n/a': { next: null, action: 'complete' },
        no: { next: null, action: 'block' },
      },
    },
  },
  policy: { role: 'agent' },
}

claim(
  {
    section,
    quote: 'A complete process definition as stored in the API',
    check: 'the response has the document as it was sent, plus id, createdAt and updatedAt',
  },
  async () => {
    const stored = await processes.store(example)
    expect(stored.status).toBe(200)
    const { body } = await doors.rest('GET /v1/definitions/deploy-gate')
    expect(body.document).toEqual({
      ...example,
      id: body.id,
      createdAt: body.createdAt,
      updatedAt: body.updatedAt,
    })
  },
)
claim(
  {
    section,
    quote: '"id": "proc_01abc…" // system-assigned UUID',
    check: 'an assigned id begins with `proc_` and is different each time',
  },
  async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => {
        const { body } = await processes.store({ ...smallest, name: freshName() })
        return body.definition.id
      }),
    )
    for (const id of ids) expect(id).toMatch(/^proc_\w{8,}$/)
    expect(new Set(ids).size).toBe(3)
  },
)
for (const id of ['proc_01abc', 'proc_01abc…', 'b2f9a6c0-7c1d-4f57-9d2e-0c8f3a1b2c3d']) {
  claim(
    {
      section,
      quote: '"id": "proc_01abc…" // system-assigned UUID',
      check: `a document with the id \`${id}\` keeps it and can be found by it`,
    },
    async () => {
      const name = freshName()
      const { body } = await processes.store({ id, ...smallest, name })
      expect(body.definition).toMatchObject({ id, name, document: { id, name } })
      const read = await doors.rest(`GET /v1/definitions/${encodeURIComponent(id)}`)
      expect(read.body).toMatchObject({ id, name })
    },
  )
}
claim(
  {
    section: 'Process fields',
    quote: 'name | string | Process identifier.',
    check: 'a document with `id` and `name` is stored, listed and started by its name',
  },
  async () => {
    const name = freshName()
    await processes.store({ id: 'proc_other', ...smallest, name })
    const listed = await doors.rest('GET /v1/definitions?limit=500')
    const names = listed.body.items.map((one: { name: string }) => one.name)
    expect(names).toContain(name)
    expect(names).not.toContain('proc_other')
    const workspace = doors.workspace('by-name')
    const body = { definition: name, workspace }
    const started = await doors.rest('POST /v1/runs', { as: 'agent', body })
    expect(started.body.view).toMatchObject({ name, stage: 'ask' })
  },
)
claim(
  {
    section: 'Process fields',
    quote: 'name | string | Process identifier.',
    check: 'the id of one process never hides the name of another',
  },
  async () => {
    const name = freshName()
    const other = freshName()
    await processes.store({ id: name, ...smallest, name: other })
    await processes.store({ ...smallest, name })
    const read = await doors.rest(`GET /v1/definitions/${name}`)
    expect(read.body.name).toBe(name)
  },
)
claim(
  {
    section: 'Process fields',
    quote: 'name | string | Process identifier.',
    check: '`pawl start NAME` starts the process',
  },
  async () => {
    const name = freshName()
    await processes.store({ id: `proc_${name}`, ...smallest, name })
    const { view, runId } = await doors.house().json('start', name)
    expect(view).toMatchObject({ name, stage: 'ask' })
    await doors.rest(`POST /v1/runs/${runId}/cancel`)
  },
)
for (const wire of ['stdio', 'http'] as const) {
  claim(
    {
      section: 'Process fields',
      quote: 'name | string | Process identifier.',
      check: `MCP over ${wire}: a file with both an id and a name is listed and loaded by its name`,
    },
    async () => {
      const name = freshName()
      const folder = join(doors.house().workspace, '.pawl', 'definitions')
      mkdirSync(folder, { recursive: true })
      const text = JSON.stringify({ id: `proc_${name}`, ...smallest, name })
      writeFileSync(join(folder, `${name}.json`), text)
      const { values } = await doors.tool(wire, 'pawl_list_workflows')
      const names = values.workflows.map((one: { name: string }) => one.name)
      expect(names).toContain(name)
      expect(names).not.toContain(`proc_${name}`)
      const { call } = await doors.connect({ wire })
      const loaded = await call('pawl_load_workflow', { name })
      expect(loaded.values.run).toMatchObject({ workflow: name, state: 'ask' })
      await doors.rest(`POST /v1/runs/${loaded.values.run.run}/cancel`)
    },
  )
}
claim(
  {
    section,
    quote: '"createdAt": "2026-01-01T00:00:00.000Z"',
    check: 'the creation time is ISO 8601 in UTC, also in lists',
  },
  async () => {
    const before = Date.now()
    const { body } = await processes.store({ ...smallest, name: freshName() })
    const { createdAt, updatedAt, name } = body.definition
    expect(createdAt).toMatch(isoText)
    expect(updatedAt).toBe(createdAt)
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before)
    const listed = await doors.rest('GET /v1/definitions?limit=500')
    const found = listed.body.items.find((one: { name: string }) => one.name === name)
    expect(found).toMatchObject({ createdAt, updatedAt })
  },
)
claim(
  {
    section,
    quote: '"updatedAt": "2026-01-01T00:00:00.000Z"',
    check: 'a change updates it and leaves createdAt and id as they were',
  },
  async () => {
    const name = freshName()
    const first = (await processes.store({ ...smallest, name })).body.definition
    await new Promise((resolve) => setTimeout(resolve, 5))
    const definition = { ...smallest, name, initial_prompt: 'New.' }
    const put = await doors.rest(`PUT /v1/definitions/${name}`, { body: { definition } })
    const { id, createdAt, updatedAt } = put.body.definition
    expect([id, createdAt]).toEqual([first.id, first.createdAt])
    expect(updatedAt).toMatch(isoText)
    expect(Date.parse(updatedAt)).toBeGreaterThan(Date.parse(first.updatedAt))
  },
)
claim(
  {
    section,
    quote: '"createdAt" … "updatedAt"',
    check: 'a stored document can be sent back unchanged; Pawl sets the times itself',
  },
  async () => {
    const name = freshName()
    const times = { createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2020-01-02T00:00:00.000Z' }
    const { status, body } = await processes.store({
      id: `id-${name}`,
      ...smallest,
      name,
      ...times,
    })
    expect(status).toBe(200)
    expect(body.definition.document.createdAt).toBe(body.definition.createdAt)
    expect(body.definition.createdAt).not.toBe(times.createdAt)
  },
)

const names = ['deploy-gate-2', 'a', '2fa', 'x1-y2-z3', '007', 'a--b']
for (const name of names) {
  claim(
    {
      section: 'Process fields',
      quote: 'name: Lowercase alphanumeric + hyphens (e.g. deploy-gate).',
      check: `\`${name}\` is accepted`,
    },
    async () => {
      expect((await processes.store({ ...smallest, name })).status).toBe(200)
    },
  )
}
const badNames = [
  'Deploy',
  'deploy_gate',
  'deploy gate',
  'déploy',
  '',
  '-gate',
  'a.b',
  'a/b',
  'A-B',
]
for (const name of badNames) {
  claim(
    {
      section: 'Process fields',
      quote: 'name: Lowercase alphanumeric + hyphens (e.g. deploy-gate).',
      check: `\`${name}\` is rejected with a pointer to the name, and nothing is stored`,
    },
    async () => {
      const { status, body, type } = await processes.store({ ...smallest, name })
      expect([status, type]).toEqual([422, 'application/problem+json'])
      expect(body).toMatchObject({ code: 'DEFINITION_INVALID' })
      expect(body.findings).toContainEqual(expect.objectContaining({ pointer: '/name' }))
      const listed = await doors.rest('GET /v1/definitions?limit=500')
      expect(listed.body.items.some((one: { name: string }) => one.name === name)).toBe(false)
    },
  )
}
claim(
  {
    section: 'Process fields',
    quote: 'name: Immutable after creation.',
    check: 'PUT with another name is rejected whether by name or by id, and nothing changes',
  },
  async () => {
    const name = freshName()
    const { body } = await processes.store({ ...smallest, name })
    for (const key of [name, body.definition.id]) {
      const definition = { ...smallest, name: `${name}-new` }
      const put = await doors.rest(`PUT /v1/definitions/${key}`, { body: { definition } })
      expect([put.status, put.type]).toEqual([422, 'application/problem+json'])
      expect(put.body.detail).toContain('never changes')
    }
    expect((await doors.rest(`GET /v1/definitions/${name}`)).body.version).toBe(1)
    expect((await doors.rest(`GET /v1/definitions/${name}-new`)).status).toBe(404)
  },
)
claim(
  {
    section: 'Process fields',
    quote: 'name: Immutable after creation.',
    check: 'a document that has its own `id` cannot be renamed either',
  },
  async () => {
    const name = freshName()
    const id = `proc_${name}`
    await processes.store({ id, ...smallest, name })
    const definition = { id, ...smallest, name: `${name}-new` }
    const put = await doors.rest(`PUT /v1/definitions/${id}`, { body: { definition } })
    expect(put.status).toBe(422)
    expect((await doors.rest(`GET /v1/definitions/${id}`)).body.name).toBe(name)
  },
)
claim(
  {
    section: 'Process fields',
    quote: 'name | string | Process identifier.',
    check: 'two processes cannot share a name, whatever their ids',
  },
  async () => {
    const name = freshName()
    expect((await processes.store({ id: `one-${name}`, ...smallest, name })).status).toBe(200)
    for (const id of [`one-${name}`, `two-${name}`]) {
      const again = await processes.store({ id, ...smallest, name })
      expect(again).toMatchObject({ status: 409, body: { code: 'DEFINITION_EXISTS' } })
    }
    const none = await processes.store({ ...smallest, name })
    expect(none.status).toBe(409)
  },
)
claim(
  {
    section,
    quote: '"id": … // system-assigned UUID',
    check: 'two processes cannot have the same id',
  },
  async () => {
    const id = `proc_${freshName()}`
    expect((await processes.store({ id, ...smallest, name: freshName() })).status).toBe(200)
    const second = await processes.store({ id, ...smallest, name: freshName() })
    expect(second).toMatchObject({ status: 409, body: { code: 'DEFINITION_EXISTS' } })
    expect(second.body.detail).toContain(id)
  },
)
claim(
  {
    section,
    quote: 'A complete process definition as stored in the API',
    check: 'a process sent as JSON or YAML text is stored exactly as sent',
  },
  async () => {
    const name = freshName()
    const source = `name: ${name} # mine\ninitial: ask\nstates:\n  ask: { question: Ready? }\n`
    const stored = await doors.rest('POST /v1/definitions', { body: { source, format: 'yaml' } })
    expect(stored.body.definition).toMatchObject({ source, document: { name, initial: 'ask' } })
  },
)
claim(
  {
    section,
    quote: 'A complete process definition as stored in the API',
    check: 'a change creates a new version; a run keeps the version that it started with',
  },
  async () => {
    const run = await processes.start()
    const definition = { ...smallest, name: run.name, states: { ask: { question: 'Changed?' } } }
    const put = await doors.rest(`PUT /v1/definitions/${run.name}`, { body: { definition } })
    expect(put.body.definition.version).toBe(2)
    expect((await run.read()).view.goal).toBe('Ready?')
  },
)
claim(
  {
    section,
    quote: 'A complete process definition as stored in the API',
    check: 'DELETE removes a process; it is then unknown, and its name can be used again',
  },
  async () => {
    const name = freshName()
    await processes.store({ ...smallest, name })
    expect((await doors.rest(`DELETE /v1/definitions/${name}`)).status).toBe(200)
    const read = await doors.rest(`GET /v1/definitions/${name}`)
    expect(read).toMatchObject({ status: 404, body: { code: 'DEFINITION_UNKNOWN' } })
    expect((await processes.store({ ...smallest, name })).status).toBe(200)
  },
)
claim(
  {
    section,
    quote: 'A complete process definition as stored in the API',
    check: 'an agent cannot store, change or delete a process',
  },
  async () => {
    const name = freshName()
    const body = { definition: { ...smallest, name } }
    await doors.rest('POST /v1/definitions', { body })
    for (const line of ['POST /v1/definitions', `PUT /v1/definitions/${name}`]) {
      expect((await doors.rest(line, { as: 'agent', body })).status).toBe(403)
    }
    expect((await doors.rest(`DELETE /v1/definitions/${name}`, { as: 'agent' })).status).toBe(403)
    expect((await doors.rest('POST /v1/definitions', { as: 'nobody', body })).status).toBe(401)
  },
)
