import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { folderOf, goodWorkflow, runIn } from '../fake-io.contract.ts'
import { callCharsMax } from '../judge/read-calls.ts'

const coding = {
  id: 'coding',
  initial: 'plan',
  context: { tests: null },
  guards: { tested: { field: 'tests', op: 'eq', value: 'pass', source: 'given' } },
  states: {
    plan: { allowed_tools: ['Read'], max_iterations: 5, on: { GO: 'code' } },
    code: {
      allowed_tools: ['Read', 'Edit', 'Bash'],
      allowed_commands: ['npm test', 'npm run'],
      env_overrides: { MODE: 'safe' },
      max_files_per_state: 1,
      max_iterations: 9,
      on: { DONE: { target: 'end', guard: 'tested' }, BACK: 'plan' },
    },
    end: { type: 'final' },
  },
}

const files = { 'coding.json': coding }
const edit = (file_path: string) =>
  JSON.stringify({ tool: 'Edit', input: { file_path, old_string: 'a', new_string: 'b' } })

async function judge(...args: readonly string[]) {
  return runIn(folderOf(files), ['judge', 'coding.json', ...args])
}

test('an allowed call is told with the input as it would run, and exits 0', async () => {
  const { code, out } = await judge('--stage', 'code', '--bash', 'npm test')
  expect(code).toBe(0)
  expect(out).toBe(
    [
      '✔ allow  Bash npm test  (in code)',
      '  by /states/code/allowed_commands at coding.json:31:7',
      "  runs as export MODE='safe'; npm test\n",
    ].join('\n'),
  )
})

test('what the stage blocks is shown as removed from what runs', async () => {
  const states = { ...coding.states, code: { ...coding.states.code, blocked_env: ['TOKEN'] } }
  const folder = folderOf({ 'coding.json': { ...coding, states } })
  const args = ['judge', 'coding.json', '--stage', 'code', '--bash', 'npm test', '--explain']
  const { out } = await runIn(folder, args)
  expect(out).toContain("  runs as unset -v TOKEN || exit; export MODE='safe'; npm test\n")
  expect(out).toMatch(/✔ env +none of `TOKEN`, `MODE` is read or set/)
})

test('a denied call is told with code, reason, rule, its place, and what instead', async () => {
  const { code, out } = await judge('--stage', 'code', '--bash', 'npm test && curl x')
  expect(code).toBe(1)
  expect(out).toMatch(/^✖ deny {2}Bash npm test && curl x {2}\(in code\)\n/)
  expect(out).toContain('  COMMAND_NOT_ALLOWED: `curl x` is not on the list\n')
  expect(out).toMatch(/by \/states\/code\/allowed_commands at coding\.json:\d+:\d+\n/)
  expect(out).toContain('→ run `npm test`')
  expect(out).toContain('or send `BACK` to move on')
})

test('the stage is the first one unless it is named, and its name must be one', async () => {
  const first = await judge('--tool', 'Edit', '--input', '{"file_path": "a"}')
  expect(first.out).toContain('(in plan)')
  expect(first.out).toContain('→ use `Read`, or send `GO` to move on')
  const wrong = await judge('--stage', 'cod', '--tool', 'Edit')
  expect(wrong).toMatchObject({ code: 2, out: '' })
  expect(wrong.err).toContain('has no `cod`')
})

test('values decide which signals are named', async () => {
  const { out } = await judge('--stage', 'code', '--tool', 'WebFetch', '--var', 'tests=pass')
  expect(out).toContain('send `DONE` or `BACK` to move on')
})

test('as JSON a call is one object with everything in it', async () => {
  const { code, out } = await judge('--tool', 'Bash', '--input', '{"command":"ls"}', '--json')
  expect(code).toBe(1)
  expect(JSON.parse(out)).toEqual({
    stage: 'plan',
    tool: 'Bash',
    input: { command: 'ls' },
    verdict: 'deny',
    code: 'TOOL_NOT_ALLOWED',
    reason: '`Bash` may not be used in `plan`',
    hint: 'use `Read`, or send `GO` to move on',
    instead: [
      { kind: 'tool', name: 'Read', asks: false },
      { kind: 'signal', name: 'GO', asks: false, needs: [] },
    ],
    rule: { pointer: '/states/plan/allowed_tools', file: 'coding.json', line: 17, column: 7 },
    runs: null,
  })
})

test('the whole chain is explained: every rule, command by command', async () => {
  const { out } = await judge('--stage', 'code', '--bash', 'npm test; rm x; true', '--explain')
  expect(out).toMatch(/✔ run +it is running in `code`/)
  expect(out).toMatch(/✔ tools +`Bash` is listed/)
  expect(out).toMatch(/✔ command +`npm test` is listed as `npm test`/)
  expect(out).toMatch(/✖ commands +COMMAND_NOT_ALLOWED: `rm x` is not on the list/)
  expect(out).toMatch(/✔ command +`true` needs no entry/)
  expect(out).toMatch(/✔ env +none of `MODE` is read or set/)
  expect(out).toMatch(/✔ counts +0 of 9 calls used, 0 of 1 files used/)
})

test('policies are laid over the run, and a rule is told with its own file', async () => {
  const folder = folderOf({
    ...files,
    'org.json': { deny: [{ capability: 'web' }], ask: [{ capability: 'bash' }] },
    'team.yaml': 'allow:\n  - capability: bash\ndefault: deny\n',
  })
  const laid = ['judge', 'coding.json', '--stage', 'code', '--policy', 'org.json']
  const asked = await runIn(folder, [...laid, '--bash', 'npm test', '--json'])
  expect(asked.code).toBe(1)
  expect(JSON.parse(asked.out)).toMatchObject({
    verdict: 'ask',
    rule: { pointer: '/ask/0', file: 'org.json', line: 8 },
    runs: { command: "export MODE='safe'; npm test" },
  })
  const both = [...laid, '--policy', 'team.yaml']
  const read = await runIn(folder, [...both, '--tool', 'Read', '--input', '{"file_path":"a"}'])
  expect(read.out).toContain('POLICY_DENIED')
  expect(read.out).toContain('by /default at team.yaml:3:10')
  const explained = await runIn(folder, [...both, '--bash', 'npm test', '--explain'])
  expect(explained.out).toMatch(/\? policy .*by \/ask\/0 at org\.json:8/)
  expect(explained.out).toMatch(/✔ policy .*by \/allow\/0 at team\.yaml:2/)
})

test('a policy of the definition and its limits are part of the chain', async () => {
  const policy = {
    allow: [{ capability: 'bash', rate_limit: { max_calls: 2, window_seconds: 60 } }],
  }
  const folder = folderOf({ 'coding.json': { ...coding, policy } })
  const args = ['judge', 'coding.json', '--stage', 'code', '--bash', 'npm test', '--explain']
  const { out } = await runIn(folder, args)
  expect(out).toMatch(/✔ policy .*the policy of `coding`, tier `allow` {2}by \/policy\/allow\/0/)
  expect(out).toMatch(/✔ limit +`bash` is below its limit {2}by \/policy\/allow\/0/)
})

const lines = [
  '{"tool":"Bash","input":{"command":"npm test"}}',
  '',
  edit('a.ts'),
  edit('b.ts'),
  '{"tool":"Read","input":{"file_path":"a.ts"},"stage":"plan"}',
]

test('many calls come from a file, each judged by itself', async () => {
  const folder = folderOf({ ...files, 'calls.jsonl': lines.join('\n') })
  const args = ['judge', 'coding.json', '--stage', 'code', '--calls', 'calls.jsonl']
  const { code, out } = await runIn(folder, args)
  expect(code).toBe(0)
  expect(out).toContain('(in plan)')
  expect(out).toMatch(/\n4 calls: 4 allowed, 0 denied, 0 need an approval\n$/)
})

test('or from the standard input, one after the other in one run', async () => {
  const input = Readable.from([lines.slice(0, 4).join('\n')])
  const args = ['--stage', 'code', '--calls', '-', '--follow', '--json']
  const { code, out } = await runIn(folderOf(files), ['judge', 'coding.json', ...args], { input })
  expect(code).toBe(1)
  const judged = out.trimEnd().split('\n')
  expect(judged.map((line) => JSON.parse(line))).toMatchObject([
    { line: 1, verdict: 'allow' },
    { line: 3, verdict: 'allow' },
    { line: 4, code: 'TOO_MANY_FILES', hint: 'edit `a.ts` again, or send `BACK` to move on' },
  ])
})

test('a line that is no call is told with its number, the others are judged', async () => {
  const bad = [
    'nonsense',
    '{"tool": 7}',
    '{"tool": "Bash", "inputs": {}}',
    '{"tool": "Bash", "stage": "nowhere"}',
    `{"tool": "Bash", "input": "${'x'.repeat(callCharsMax)}"}`,
    '{"tool": "Bash", "input": "not an object"}',
    '{"tool": "Read", "input": {"file_path": "a.ts"}}',
  ]
  const folder = folderOf({ ...files, 'calls.jsonl': bad.join('\n') })
  const args = ['judge', 'coding.json', '--stage', 'code', '--calls', 'calls.jsonl']
  const { code, out, err } = await runIn(folder, args)
  expect(code).toBe(2)
  expect(err).toMatch(/line 1: .*not a JSON object/)
  expect(err).toMatch(/line 2: .*`tool` is not a string/)
  expect(err).toMatch(/line 3: .*no field `inputs`\n.*did you mean `input`\?/)
  expect(err).toMatch(/line 4: .*has no `nowhere`/)
  expect(err).toMatch(/line 5: .*characters/)
  expect(out).toContain('COMMAND_UNREADABLE: the input is not an object')
  expect(out).toContain('7 calls: 1 allowed, 1 denied, 0 need an approval, 5 could not be judged')
})

test('a link is judged by its own name and by the file behind it', async () => {
  const folder = folderOf({ ...files, 'project/src/a.ts': '', 'elsewhere/secret.txt': '' })
  const project = join(folder, 'project')
  mkdirSync(join(project, '.git', 'hooks'), { recursive: true })
  symlinkSync('../elsewhere', join(project, 'out'))
  symlinkSync('.git/hooks', join(project, 'innocent'))
  symlinkSync('../not-there-yet', join(project, 'dangling'))
  symlinkSync('src/a.ts', join(project, 'fine.ts'))
  symlinkSync(project, join(folder, 'way'))
  const call = async (file_path: string, workspace = 'project') => {
    const input = JSON.stringify({ file_path, old_string: 'a', new_string: 'b' })
    const where = ['--stage', 'code', '--workspace', workspace, '--json']
    const args = ['judge', 'coding.json', '--tool', 'Edit', '--input', input, ...where]
    return JSON.parse((await runIn(folder, args)).out).code
  }
  expect(await call('src/a.ts')).toBeNull()
  expect(await call('fine.ts')).toBeNull()
  expect(await call('out/secret.txt')).toBe('PATH_OUT_OF_SCOPE')
  expect(await call('dangling')).toBe('PATH_OUT_OF_SCOPE')
  expect(await call('innocent/pre-commit')).toBe('PATH_PROTECTED')
  expect(await call('src/a.ts', 'way')).toBeNull()
  // A workspace has one name, its own: what a link to it is called lies outside.
  expect(await call(join(project, 'src/a.ts'), 'way')).toBeNull()
  expect(await call(join(folder, 'way/src/a.ts'), 'way')).toBe('PATH_OUT_OF_SCOPE')
  const shell = ['--stage', 'code', '--workspace', 'project', '--json']
  const through = await runIn(folder, [
    ...['judge', 'coding.json', '--bash', 'npm test > innocent/pre-commit', ...shell],
  ])
  expect(JSON.parse(through.out).code).toBe('PATH_PROTECTED')
})

test('tool names are those of the host', async () => {
  const gemini = await judge('--stage', 'code', '--host', 'gemini', '--bash', 'npm test')
  expect(gemini).toMatchObject({ code: 0 })
  expect(gemini.out).toContain('run_shell_command npm test')
  const codex = await judge('--host', 'codex', '--tool', 'read_file', '--input', '{"path":"a"}')
  expect(codex.code).toBe(0)
  const claude = await judge('--tool', 'read_file', '--input', '{"path":"a"}')
  expect(claude.out).toContain('TOOL_NOT_ALLOWED')
})

test('a definition or a policy with errors judges nothing; its findings are told', async () => {
  const folder = folderOf({
    'broken.json': { ...goodWorkflow, initial: 'nowhere' },
    'coding.json': coding,
    'bad.json': { deny: [{ capability: 7 }] },
  })
  const broken = await runIn(folder, ['judge', 'broken.json', '--bash', 'ls'])
  expect(broken).toMatchObject({ code: 2, out: '' })
  expect(broken.err).toContain('INITIAL_UNKNOWN')
  const args = ['judge', 'coding.json', '--bash', 'ls', '--policy', 'bad.json', '--json']
  const policy = await runIn(folder, args)
  expect(policy.code).toBe(2)
  expect(JSON.parse(policy.out).findings[0]).toMatchObject({ file: 'bad.json', line: 4 })
  const none = await runIn(folder, [
    'judge',
    'coding.json',
    '--bash',
    'ls',
    '--policy',
    'coding.json',
  ])
  expect(none.code).toBe(2)
  expect(none.err).toContain('is not a policy')
})

test.each([
  [[], 'use exactly one of'],
  [['--bash', 'ls', '--tool', 'Read'], 'use exactly one of'],
  [['--bash', 'ls', '--input', '{}'], '`--input` needs `--tool`'],
  [['--bash', 'ls', '--follow'], '`--follow` needs `--calls`'],
  [['--tool', 'Read', '--input', '[1]'], 'not a JSON object'],
  [['--bash', 'ls', '--host', 'emacs'], '`--host` must be one of'],
  [['--bash', 'ls', '--data', '{'], '`--data`'],
  [['--bash', 'ls', '--var', 'x'], 'not KEY=VALUE'],
  // The earlier spelling of `--data`.
  [['--bash', 'ls', '--data', '{'], '`--data`'],
  [['--bash', 'ls', '--workspace', 'coding.json'], 'is not a folder'],
  [['--calls', 'nowhere.jsonl'], 'there is no `nowhere.jsonl`'],
  [['--calls', '.'], 'not a regular file'],
  [['--bash', 'ls', '--polcy', 'x'], 'did you mean `--policy`?'],
] as const)('%j can not be done, and it is said why', async (args, words) => {
  const { code, out, err } = await judge(...args)
  expect(code).toBe(2)
  expect(out).toBe('')
  expect(err).toContain(words)
})

test('names out of hostile input do not steer a terminal', async () => {
  const { out } = await judge('--tool', 'Evil\u001b[31m\u202e', '--explain')
  expect(out).not.toContain('\u001b')
  expect(out).not.toContain('\u202e')
})
