// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell
import { expect, test } from 'vitest'
import type { Denial } from '../engine/types.ts'
import neighbours from './neighbours.json' with { type: 'json' }
import { readShell } from './read-shell.ts'
import records from './records.json' with { type: 'json' }
import { withVariables } from './rewrite-command.ts'
import { ruleOnCommands, ruleOnExports } from './rule-on-commands.ts'
import { ruleOnEnv } from './rule-on-env.ts'
import { ruleOnShellWrites } from './rule-on-shell-writes.ts'
import { shellEdits } from './shell-paths.ts'

const { commands, writes, env } = neighbours

test.each(commands.denied)('a list does not let this pass: %j', (command) => {
  expect(ruleOnCommands(readShell(command), commands.list)).not.toBeNull()
})

test.each(commands.allowed)('a list lets this pass: %j', (command) => {
  expect(ruleOnCommands(readShell(command), commands.list)).toBeNull()
})

test.each(writes.denied)('a stage that only reads does not let this pass: %j', (command) => {
  expect(ruleOnShellWrites(readShell(command))?.code).toBe('SHELL_WRITE_NOT_ALLOWED')
})

test.each(writes.allowed)('a stage that only reads lets this pass: %j', (command) => {
  expect(ruleOnShellWrites(readShell(command))).toBeNull()
})

test.each(env.denied)('a blocked or overridden variable is not reached by: %j', (command) => {
  expect(ruleOnEnv(readShell(command), env)?.code).toBe('ENV_BLOCKED')
})

test.each(env.allowed)('variables are none of the business of: %j', (command) => {
  expect(ruleOnEnv(readShell(command), env)).toBeNull()
})

type Record = {
  readonly id: string
  readonly level: string
  readonly rule: {
    readonly allowed_tools?: readonly string[]
    readonly allowed_commands?: readonly string[]
    readonly blocked_env?: readonly string[]
    readonly env_overrides?: { readonly [name: string]: unknown }
  }
  readonly command: string
  readonly expect: string
  readonly code?: string
}

/** The shell's part of a stage rule, as the engine puts it together. */
function judge({ rule, command }: Record): Pick<Denial, 'code'> | null {
  const reading = readShell(command)
  const tools = rule.allowed_tools
  const mayWrite = tools?.some((tool) => tool === 'Write' || tool === 'Edit') ?? false
  const list = rule.allowed_commands
  const isReading = list === undefined && tools !== undefined && !mayWrite
  return (
    (list === undefined ? null : ruleOnCommands(reading, list)) ??
    ruleOnExports(reading, list ?? ['export'], Object.keys(rule.env_overrides ?? {})) ??
    (list === undefined ? null : redirected(command, mayWrite ? 'writes' : 'reads')) ??
    (isReading ? ruleOnShellWrites(reading) : null) ??
    ruleOnEnv(reading, {
      blocked: rule.blocked_env ?? [],
      overridden: Object.keys(rule.env_overrides ?? {}),
    })
  )
}

function redirected(command: string, stage: 'reads' | 'writes'): Pick<Denial, 'code'> | null {
  const reading = readShell(command)
  if (!reading.ok || !reading.redirections.some((one) => one.kind === 'write')) return null
  const leaves = shellEdits(reading, '/w').some((path) => path.inside === null)
  return leaves || stage === 'reads' ? { code: 'SHELL_WRITE_NOT_ALLOWED' } : null
}

test.each(records as readonly Record[])('$id: $command', (record) => {
  const denial = judge(record)
  expect(denial === null ? 'allow' : 'deny').toBe(record.expect)
  if (record.code !== undefined) expect(denial?.code).toBe(record.code)
})

test('what is set stands in front of the unchanged command, as values', () => {
  const withSet = (command: string, set: { [name: string]: string }) =>
    withVariables(command, { blocked: [], set })
  expect(withSet('npm start', {})).toBe('npm start')
  expect(withSet('a && b', { A: '1', B: "it's $HOME; rm x" })).toBe(
    `export A='1' B='it'\\''s $HOME; rm x'; a && b`,
  )
  const reading = readShell(withSet('ls', { A: `'; rm x; '\n$(rm y)` }))
  expect(reading.ok && reading.commands.map((one) => one.words[0])).toEqual(['export', 'ls'])
})

test('what is blocked is removed before anything is set, and not set again', () => {
  const rule = { blocked: ['A', 'B', 'A', 'no name'], set: { C: '1', B: '2' } }
  expect(withVariables('ls', rule)).toBe("unset -v A B || exit; export C='1'; ls")
  expect(withVariables(' ', rule)).toBe(' ')
})

const edited = (command: string) =>
  shellEdits(readShell(command), '/w').map(({ written, inside }) => inside ?? `! ${written}`)

test.each([
  ['echo x > a.txt >> b/../c.txt', ['a.txt', 'c.txt']],
  ['cd src && echo x > a.txt', ['src/a.txt']],
  ['echo x > /w/a; echo y > /etc/b; echo z > ~/c', ['a', '! /etc/b', '! ~/c']],
  ['echo x > "$F"', ['! > "$F"']],
  ['cd "$D"; echo x > a', ['! a', 'a']],
  ['cp -r a b; mv c d; cp -t out x y', ['b/', 'c/', 'd/', 'out/x', 'out/y']],
  ['cp a.ts b.ts; cp a.ts b; cp a.ts c/', ['b.ts', 'b', 'b/a.ts', 'c/a.ts']],
  ['cp a b dir; mv x.ts y.ts dir', ['dir/a', 'dir/b', 'x.ts', 'y.ts', 'dir/x.ts', 'dir/y.ts']],
  ['cp "$F" dir/; cp src/*.sql db/; cp -r src/* out', ['dir/', 'db/*.sql', 'out/']],
  ['mv a.ts b.ts; mv --target-directory=d e.ts', ['a.ts', 'b.ts', 'd/e.ts', 'e.ts']],
  ['ln -s ../a.sql db/; ln -s /x/y.sh; ln a b', ['db/a.sql', 'y.sh', 'b', 'b/a']],
  ['install -m 644 a.sh bin/; install -d new; rsync -a src/ dst', ['bin/a.sh', 'new', 'dst/']],
  ['rm -rf a b; mkdir -p c/; touch d', ['a/', 'b/', 'c', 'd']],
  ['rm a.ts b; chmod -R +x bin', ['a.ts', 'b', 'bin/']],
  ['git mv a.ts b/; git -c x=y rm -r c; git restore d', ['a.ts', 'b/a.ts', 'c/', 'd/']],
  ["sed -i 's/a/b/' x y; sed -i -e p z; sed -n p q", ['x', 'y', 'z']],
  ["perl -pi -e 's/a/b/' x", ['x']],
  ['echo x | tee -a log /dev/null', ['log']],
  ['dd if=a of=b; sort -o c d; curl -o e u', ['b', 'c', 'e']],
  ['git checkout -- a b.ts; git rm c', ['a/', 'b.ts', 'c']],
  [`bash -c 'echo x > a'; sudo rm b`, ['a', 'b']],
  ['cat a < b 2>&1 >/dev/null', []],
  ['scp a host:b', []],
])('the files that `%s` writes are told', (command, paths) => {
  expect(edited(command).sort()).toEqual([...paths].sort())
})

test('an emptied environment undoes what the stage sets', () => {
  const rule = { blocked: [], overridden: ['DB'] }
  for (const command of [
    'env -i npm test',
    'env - npm test',
    'env --ignore-environment npm test',
  ]) {
    expect(ruleOnEnv(readShell(command), rule)?.code).toBe('ENV_BLOCKED')
  }
  expect(ruleOnEnv(readShell('env CI=1 grep -i x f'), rule)).toBeNull()
  expect(ruleOnEnv(readShell('env -i ls'), { blocked: ['DB'], overridden: [] })).toBeNull()
})

test('asking whether a blocked variable is set is reading it', () => {
  const rule = { blocked: ['SECRET'], overridden: [] }
  for (const command of ['[[ -v SECRET ]]', '[ -v SECRET ]', 'test -v SECRET']) {
    expect(ruleOnEnv(readShell(command), rule)?.code).toBe('ENV_BLOCKED')
  }
})

test('a device is no file that is written', () => {
  for (const command of ['ls | tee /dev/null', 'npm test | tee /dev/stderr', 'cp a /dev/null']) {
    expect(ruleOnShellWrites(readShell(command))).toBeNull()
  }
  expect(ruleOnShellWrites(readShell('ls | tee /dev/null x'))).not.toBeNull()
})

test.each([
  ...['sudo make', 'sudo -E make', '/usr/bin/sudo -u x make', 'su -c make', 'doas make'],
  ...['ls && sudo make', 'bash -c "sudo make"', 'timeout 5 sudo make', 'runuser -u x -- make'],
])('a stage with variables of its own does not let another user in: %s', (command) => {
  for (const rule of [
    { blocked: ['KEY'], overridden: [] },
    { blocked: [], overridden: ['MODE'] },
  ]) {
    const denial = ruleOnEnv(readShell(command), rule)
    expect(denial?.code).toBe('ENV_BLOCKED')
    expect(denial?.reason).toContain('builds its own environment')
  }
  expect(ruleOnEnv(readShell(command), { blocked: [], overridden: [] })).toBeNull()
})

test('the word `sudo` is no `sudo`', () => {
  const rule = { blocked: ['KEY'], overridden: ['MODE'] }
  for (const command of ['grep sudo f', 'echo sudo make', 'sudoku', 'git log --grep su']) {
    expect(ruleOnEnv(readShell(command), rule)).toBeNull()
  }
})
