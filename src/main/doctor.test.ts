import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isOurNode } from './daemon.contract.ts'
import { openDoctorDoor } from './doctor.ts'

/** A host that does what its model says and never asks a hook; it has a shell and nothing else. */
const deafHost = `
import { spawnSync } from 'node:child_process'
if (process.argv.includes('--version')) { console.log('2.1.325 (deaf)'); process.exit(0) }
const messages = [{ role: 'user', content: 'go' }]
for (;;) {
  const body = JSON.stringify({ messages, tools: [{ name: 'Bash' }] })
  const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages',
    { method: 'POST', body }).then((one) => one.json())
  const uses = answer.content.filter((one) => one.type === 'tool_use')
  if (uses.length === 0) process.exit(0)
  const results = uses.map(({ id, name, input }) => {
    if (name === 'Bash') spawnSync('sh', ['-c', input.command])
    return { type: 'tool_result', tool_use_id: id, content: 'ok' }
  })
  messages.push({ role: 'assistant', content: uses }, { role: 'user', content: results })
}
`

function putHost(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-deaf-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const program = join(folder, 'claude')
  writeFileSync(program, `#!${process.execPath}\n${text}`)
  chmodSync(program, 0o755)
  return folder
}

test.runIf(isOurNode)(
  'a host that asks no hook is found out, and what it lacks is not called stopped',
  async () => {
    const door = openDoctorDoor({ PATH: `${putHost(deafHost)}:${process.env.PATH}` })
    const { hosts } = await door.prove({ about: 'hooks', hosts: ['claude'], secondsMax: 100 })
    const [column] = hosts
    expect(column).toMatchObject({ host: 'claude', version: '2.1.325', fault: null })
    const outcome = (id: string): string | undefined => column?.cells[id]?.outcome
    const executed = [
      ...['shell', 'spellings', 'background', 'heredoc', 'parallel', 'agents', 'wipe', 'outside'],
      ...['slow', 'killed', 'removed'],
    ]
    for (const id of executed) {
      expect(`${id} ${outcome(id)}`).toBe(`${id} EXECUTED`)
    }
    for (const id of ['write', 'edit', 'mcp', 'subagent', 'patch', 'typed']) {
      expect(`${id} ${outcome(id)}`).toBe(`${id} not offered`)
    }
  },
  120_000,
)

test.runIf(isOurNode)(
  'a session that ends early proves nothing',
  async () => {
    const early = `if (process.argv.includes('--version')) console.log('2.1.325'); process.exit(3)`
    const door = openDoctorDoor({ PATH: `${putHost(early)}:${process.env.PATH}` })
    const { hosts } = await door.prove({ about: 'hooks', hosts: ['claude'], secondsMax: 100 })
    expect(hosts[0]?.cells.shell).toMatchObject({ outcome: 'not tried' })
    expect(hosts[0]?.cells.shell?.note).toContain('ended with code 3')
  },
  120_000,
)

test('a machine without hosts has an empty proof', async () => {
  const door = openDoctorDoor({ PATH: '', HOME: '/nowhere' })
  expect((await door.prove({ about: 'hooks', hosts: [], secondsMax: 10 })).hosts).toEqual([])
})
