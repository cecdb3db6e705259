import { expect, test } from 'vitest'
import { build, fork, foundIn, placesIn } from './check-builder.contract.ts'
import { whyDead, whyTooBroad } from './check-commands.ts'
import type { Policy } from './machine.ts'
import { powerOf, powers } from './tool-power.ts'

const dangerous = { danger: 'dangerous' } as const

test('a stage where every tool may be used is a warning', () => {
  const machine = build({
    a: { tools: 'all', on: { GO: 'b' } },
    b: { on: { GO: 'z' } },
    z: 'final',
  })
  expect(foundIn(machine, 'OPEN_STAGE')).toMatchObject([
    { severity: 'warning', pointer: '/states/a' },
  ])
})

test('a final stage, a list and an empty list are not open', () => {
  const z = { final: 'completed', tools: 'all' } as const
  const machine = build({ a: { tools: [], on: { GO: 'b' } }, b: { on: { GO: 'z' } }, z })
  expect(placesIn(machine, 'OPEN_STAGE')).toEqual([])
})

test('open stages are the default of a process and a form, and closed by a policy', () => {
  const stages = { a: { tools: 'all', on: { GO: 'z' } }, z: 'final' } as const
  const policy: Policy = { role: 'agent', allow: [], ask: [], deny: [], otherwise: 'deny' }
  expect(placesIn(build(stages, { dialect: 'process' }), 'OPEN_STAGE')).toEqual([])
  expect(placesIn(build(stages, { dialect: 'steps' }), 'OPEN_STAGE')).toEqual([])
  expect(placesIn(build(stages, { policy }), 'OPEN_STAGE')).toEqual([])
  const open = { policy: { ...policy, otherwise: 'allow' } } as const
  expect(placesIn(build(stages, open), 'OPEN_STAGE')).toEqual(['/states/a'])
})

test('the tools of real hosts are known by name', () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    read: ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead', 'TodoWrite', 'read_file', 'git_status'],
    write: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch', 'delete_file', 'replace'],
    execute: ['Bash', 'shell', 'run_command', 'run_test', 'Bash(npm test:*)', 'git_push', 'Agent'],
    external: ['WebFetch', 'WebSearch', 'mcp__github__search', 'deploy', 'http_request', 'foo'],
    none: ['mcp__pawl__pawl_transition', ''],
  }
  for (const [power, tools] of Object.entries(expected)) {
    for (const tool of tools) {
      expect([tool, powerOf(tool)]).toEqual([tool, powers[power as keyof typeof powers]])
    }
  }
})

test.each(['Edit', 'Bash', 'WebFetch', 'mcp__x__y', 'write_file'])(
  'dangerous work that comes from reading to %s without approval is a warning',
  (tool) => {
    const stages = { a: { on: { GO: 'b' } }, b: { tools: [tool], on: { GO: 'z' } } }
    const machine = build({ ...stages, z: 'final' }, dangerous)
    expect(placesIn(machine, 'ESCALATION_UNGATED')).toEqual(['/states/a/on/GO'])
  },
)

test('no escalation where a person approves, where nothing is gained, or where it is safe', () => {
  const b = { tools: ['Bash'], on: { GO: 'z' } }
  const gated = build({ a: { on: { GO: { to: 'b', hasGate: true } } }, b, z: 'final' }, dangerous)
  const equal = build({ a: { tools: ['Edit'], on: { GO: 'b' } }, b, z: 'final' }, dangerous)
  const reading = build({ a: { on: { GO: 'b' } }, b: { on: { GO: 'z' } }, z: 'final' }, dangerous)
  const safe = build({ a: { on: { GO: 'b' } }, b, z: 'final' })
  for (const machine of [gated, equal, reading, safe]) {
    expect(placesIn(machine, 'ESCALATION_UNGATED')).toEqual([])
  }
})

test('power gained over a stage without tools is found at the edge that gains it', () => {
  const b = { tools: [], on: { GO: 'c' } }
  const c = { tools: ['Bash'], on: { GO: 'z' } }
  const moderate = { danger: 'moderate' } as const
  const open = build({ a: { on: { GO: 'b' } }, b, c, z: 'final' }, moderate)
  const way = { to: 'b', hasGate: true }
  const gated = build({ a: { on: { GO: way } }, b, c, z: 'final' }, moderate)
  expect(placesIn(open, 'ESCALATION_UNGATED')).toEqual(['/states/b/on/GO'])
  expect(placesIn(gated, 'ESCALATION_UNGATED')).toEqual([])
})

test('a fallback and a branch can gain power too, once per edge', () => {
  const machine = build(
    {
      a: { fallback: 'b', on: { SPLIT: fork({ one: ['b', 'q'], two: ['c', 'q'] }, 'z') } },
      b: { tools: ['Bash'], on: { GO: 'q' } },
      c: { tools: ['Edit'], on: { GO: 'q' } },
      ...{ q: 'final', z: 'final' },
    },
    dangerous,
  )
  const found = foundIn(machine, 'ESCALATION_UNGATED')
  expect(found.map((one) => one.pointer)).toEqual([
    '/states/a/on/SPLIT',
    '/states/a/on/SPLIT',
    '/states/a/safe_next',
  ])
})

test('a shell without any command to run is no gain', () => {
  const b = { tools: ['Bash'], commands: [], on: { GO: 'z' } }
  const machine = build({ a: { on: { GO: 'b' } }, b, z: 'final' }, dangerous)
  expect(placesIn(machine, 'ESCALATION_UNGATED')).toEqual([])
})

test('a command that can run anything is a warning at its stage', () => {
  const a = { tools: ['Bash'], commands: ['npm test', 'bash'], on: { GO: 'z' } }
  const found = foundIn(build({ a, z: 'final' }), 'COMMAND_TOO_BROAD')
  expect(found).toMatchObject([{ severity: 'warning', pointer: '/states/a' }])
  expect(found[0]?.message).toContain('`bash`')
})

test.each([
  ...['bash', 'sh -c', '/bin/sh', 'bash -lc', 'zsh', 'python', 'python3', 'python3.12', 'node'],
  ...['node -e', 'python -c', 'python -m', 'perl -e', 'env', 'env -i', 'xargs', 'sudo', 'eval'],
  ...['find', 'find .', '', ' ', 'sudo -E bash', 'timeout 60', 'npx', 'npm exec', 'uv run'],
  ...['*', '**', 'bash *', 'python*', 'python3.*', 'npm exec *', 'timeout *', 'node -e *'],
  ...['env FOO=1', 'xargs sh', 'docker run', 'vim', 'source', 'awk', 'ssh', 'ssh host', 'nohup'],
])('`%s` can run anything', (entry) => {
  expect(whyTooBroad(entry)).not.toBeNull()
})

test.each([
  ...['npm test', 'pytest', 'git status', 'bash scripts/test.sh', 'python manage.py', 'node x.js'],
  ...[
    'node --test',
    'python -m pytest',
    'npx jest',
    'sudo systemctl restart web',
    'make',
    'eslint',
  ],
  ...['env CI=1 npm test', 'timeout 60 npm test', 'xargs grep', 'npm run build', 'kubectl get'],
  ...['npm run *', 'git log*', 'npm *', 'pytest*', 'timeout * npm test', './scripts/*.sh'],
  ...['ssh host uptime', 'docker run --rm web', 'findstr', 'bashful', 'cargo test'],
])('`%s` is a restriction', (entry) => {
  expect(whyTooBroad(entry)).toBeNull()
})

test.each([
  ...['pytest "', "npm 'test", '* --version', '** *', 'ls ?', 'ls [ab]', 'A=1 pytest', 'A+=1 x'],
  ...['pyt\u0435st', 'npm t\u0435st', 'npm\u200b test', 'npm\u00a0test', '\uff4c\uff53'],
])('%j matches no command', (entry) => {
  expect(whyDead(entry)).not.toBeNull()
})

test.each([
  ...[
    'npm test',
    "grep 'a*b'",
    'grep "a?"',
    'cat src/',
    'env CI=1 npm test',
    'make CC=gcc',
    'ls \\*',
    'node --test tests/*.test.mjs',
    'eslint *.ts',
    ...['*', 'pytest*', 'npm *', './run*', 'npm run test:*', 'timeout * npm test'],
  ],
  ...[
    'cat docs/\u00fcber.md',
    'echo "it\'s"',
    'grep "a\\"b"',
    'npm run test:unit',
    './gradlew test',
  ],
])('%j can match one', (entry) => {
  expect(whyDead(entry)).toBeNull()
})
