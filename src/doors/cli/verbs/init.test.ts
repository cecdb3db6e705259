import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { agentHostIds } from '../../../core/hosts/registry.ts'
import { checkInstall } from '../../init/check-install.ts'
import { readWorkspaceFile } from '../../init/write-files.ts'
import { type Bench, openBench, token } from './init.contract.ts'

const local = '.claude/settings.local.json'

function json(bench: Bench, path: string): { [key: string]: { [key: string]: object } } {
  return JSON.parse(bench.read(path))
}

describe('what is written', () => {
  test('Claude Code gets hooks that block when Pawl fails, and the rest', async () => {
    const bench = openBench()
    bench.host('claude', '2.1.325')
    const { code, out } = await bench.pawl('init', '--yes')
    expect(code).toBe(0)
    const { hooks = {}, statusLine, enabledMcpjsonServers } = json(bench, local)
    expect(Object.keys(hooks)).toEqual([
      ...['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure', 'SessionEnd'],
      ...['Stop', 'SubagentStart', 'SubagentStop', 'SessionStart', 'UserPromptSubmit'],
      ...['ConfigChange', 'PermissionDenied'],
    ])
    expect(hooks.PreToolUse).toEqual([
      {
        matcher: '*',
        hooks: [
          {
            type: 'command',
            command: expect.stringContaining("/bin/pawl-hook' claude "),
            timeout: 60,
            onFailure: 'block',
          },
        ],
      },
    ])
    expect(hooks.PostToolUse).toEqual([
      {
        matcher: '*',
        hooks: [
          {
            type: 'http',
            url: 'http://127.0.0.1:4411/v1/hooks/claude',
            headers: {
              Authorization: `Bearer ${token}`,
              'X-Pawl-Workspace': encodeURIComponent(bench.workspace),
              'X-Pawl-Run': '$PAWL_RUN',
            },
            allowedEnvVars: ['PAWL_RUN'],
            timeout: 10,
          },
        ],
      },
    ])
    expect(JSON.stringify(hooks.SessionStart)).toContain("/bin/pawl-hook' claude ")
    expect(enabledMcpjsonServers).toEqual(['pawl'])
    expect(statusLine).toMatchObject({ type: 'command' })
    expect(json(bench, '.mcp.json').mcpServers).toEqual({
      pawl: {
        command: '/opt/node',
        args: [
          ...['/opt/pawl/dist/main/pawl.js', 'mcp', '--host', 'claude'],
          ...['--workspace', bench.workspace],
        ],
        env: { PAWL_HOME: expect.stringContaining('/home') },
        alwaysLoad: true,
      },
    })
    expect(bench.read('.claude/commands/pawl.md')).toMatch(/^---\n/)
    expect(statSync(join(bench.workspace, local)).mode & 0o777).toBe(0o600)
    expect(out).not.toContain(token)
    expect(out).toContain('pawl start /opt/pawl/examples/workflow/tdd-bug-fix.json')
  })

  test('an old Claude Code, or a wish, gets commands', async () => {
    const bench = openBench()
    bench.host('claude', '2.1.200')
    await bench.pawl('init', '--yes')
    expect(bench.read(local)).not.toContain('http')
    expect(bench.read(local)).not.toContain('onFailure')
    bench.host('claude', '2.1.325')
    await bench.pawl('init', '--yes', '--command')
    expect(bench.read(local)).not.toContain('"http"')
    expect(json(bench, local).hooks).toMatchObject({
      PreToolUse: [{ hooks: [{ type: 'command', timeout: 60, onFailure: 'block' }] }],
    })
    expect(bench.installs()).toMatchObject([{ wire: 'command', hostVersion: '2.1.325' }])
  })

  test('every host gets its own files, each with hooks and a server', async () => {
    const bench = openBench()
    await bench.pawl('init', ...agentHostIds, '--yes')
    expect(json(bench, '.codex/hooks.json').hooks).toMatchObject({
      PreToolUse: [{ hooks: [{ timeout: 60 }] }],
      SessionEnd: [{ hooks: [{ timeout: 3 }] }],
    })
    expect(bench.read('.codex/config.toml')).toContain(
      '\n[mcp_servers.pawl]\ncommand = "/opt/node"',
    )
    expect(json(bench, '.gemini/settings.json')).toMatchObject({
      hooks: { BeforeTool: [{ hooks: [{ timeout: 60_000 }] }] },
      mcpServers: { pawl: { command: '/opt/node' } },
    })
    expect(json(bench, '.qwen/settings.json')).toMatchObject({
      $version: 4,
      hooks: { PreToolUse: [{ hooks: [{ timeout: 60 }] }] },
      mcpServers: { pawl: { command: '/opt/node' } },
    })
    expect(json(bench, 'opencode.json').mcp).toMatchObject({ pawl: { type: 'local' } })
    expect(bench.read('.opencode/plugins/pawl.js')).toContain('tool.execute.before')
    expect(bench.read('.pi/extensions/pawl.js')).toContain('"--host",\n      "pi"')
    expect(json(bench, '.github/hooks/pawl.json')).toMatchObject({
      version: 1,
      hooks: { PreToolUse: [{ type: 'command', timeoutSec: 60 }] },
    })
    expect(json(bench, '.github/mcp.json').mcpServers).toHaveProperty('pawl')
    expect(json(bench, '.cursor/hooks.json')).toMatchObject({
      version: 1,
      hooks: { preToolUse: [{ failClosed: true }] },
    })
    const cursorEvents = `preToolUse postToolUse postToolUseFailure beforeSubmitPrompt
      sessionStart sessionEnd subagentStart subagentStop stop`
    expect(Object.keys(json(bench, '.cursor/hooks.json').hooks ?? {}).sort()).toEqual(
      cursorEvents.split(/\s+/).sort(),
    )
    expect(json(bench, '.cursor/mcp.json').mcpServers).toHaveProperty('pawl')
    expect(json(bench, '.kimi-code/mcp.json').mcpServers).toHaveProperty('pawl')
    const [own, users] = [undefined, 'user'].map((wanted) =>
      bench.installs().filter(({ scope }) => scope === wanted),
    )
    expect(own?.map(({ host }) => host)).toEqual([...agentHostIds])
    expect(users?.map(({ host }) => host)).toEqual(['kimi'])
  })

  test('an old settings file of Qwen Code gets no version that it does not have', async () => {
    const bench = openBench()
    bench.write('.qwen/settings.json', '{ "theme": "dark" }')
    await bench.pawl('init', 'qwen', '--yes')
    expect(json(bench, '.qwen/settings.json')).not.toHaveProperty('$version')
    await bench.pawl('uninit', 'qwen', '--yes')
    expect(bench.read('.qwen/settings.json')).toBe('{ "theme": "dark" }')
  })

  test('only hosts that are here are meant without a name', async () => {
    const bench = openBench()
    bench.host('gemini', '0.61.0')
    mkdirSync(join(bench.workspace, '.cursor'))
    await bench.pawl('init', '--yes')
    expect(bench.installs().map(({ host }) => host)).toEqual(['gemini', 'cursor'])
    const bare = openBench()
    expect(await bare.pawl('init', '--yes')).toMatchObject({ code: 2 })
  })

  test('files that init makes are kept out of git, in the clone and in a worktree', async () => {
    const bench = openBench()
    execFileSync('git', ['init', '--quiet', bench.workspace])
    bench.write('.git/info/exclude', '# mine\n*.log')
    bench.write('.mcp.json', '{}')
    await bench.pawl('init', 'claude', 'gemini', '--yes')
    const lines = bench.read('.git/info/exclude').split('\n')
    expect(lines.slice(0, 2)).toEqual(['# mine', '*.log'])
    expect(lines).toContain('/.claude/settings.local.json')
    expect(lines).toContain('/.gemini/settings.json')
    expect(lines).not.toContain('/.mcp.json')
    await bench.pawl('uninit', '--yes')
    expect(bench.read('.git/info/exclude').trimEnd()).toBe('# mine\n*.log')
  })
})

describe('what others wrote', () => {
  const theirs = `{
  // how we work
  "model": "opus", /* big */
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "lint" }] }, // ours
    ],
  },
  "statusLine": { "type": "command", "command": "mine" },
  "somethingNew": { "x": [1, 2] },
}
`

  test('stays, comments and all, and comes back byte for byte', async () => {
    const bench = openBench()
    bench.write(local, theirs)
    chmodSync(join(bench.workspace, local), 0o644)
    const { out } = await bench.pawl('init', 'claude', '--yes')
    expect(out).toContain('your status line is kept')
    const text = bench.read(local)
    for (const line of theirs.split('\n').filter((one) => !one.includes('// ours'))) {
      expect(text).toContain(line)
    }
    expect(text).toContain('"command": "lint"')
    expect(text).toContain('// ours')
    await bench.pawl('uninit', '--yes')
    expect(bench.read(local)).toBe(theirs)
    expect(statSync(join(bench.workspace, local)).mode & 0o777).toBe(0o644)
    expect(bench.has('.mcp.json')).toBe(false)
    expect(bench.has('.claude/commands')).toBe(false)
    expect(bench.installs()).toEqual([])
  })

  test('stays when it was edited in between', async () => {
    const bench = openBench()
    bench.write(local, theirs)
    await bench.pawl('init', 'claude', '--yes')
    bench.write(local, bench.read(local).replace('"opus"', '"sonnet"'))
    expect((await bench.pawl('init', 'claude')).out).toContain('nothing to do')
    await bench.pawl('uninit', '--yes')
    expect(bench.read(local)).toBe(theirs.replace('"opus"', '"sonnet"'))
  })

  test('a hook that a person put into our group stays', async () => {
    const bench = openBench()
    await bench.pawl('init', 'gemini', '--yes')
    const settings = json(bench, '.gemini/settings.json') as never as {
      hooks: { BeforeTool: [{ hooks: object[] }] }
    }
    settings.hooks.BeforeTool[0].hooks.push({ type: 'command', command: 'mine' })
    bench.write('.gemini/settings.json', JSON.stringify(settings))
    await bench.pawl('uninit', 'gemini', '--yes')
    expect(json(bench, '.gemini/settings.json')).toEqual({
      hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
    })
  })

  test.each([
    ['claude', '.mcp.json', '{"mcpServers":{"pawl":{"command":"other"}}}'],
    ['codex', '.codex/config.toml', 'x = 1\n[mcp_servers.pawl]\ncommand = "other"\n'],
    ['codex', '.codex/config.toml', '[mcp_servers]\na = {}\n"pawl" = { command = "x" }\n'],
    ['opencode', '.opencode/plugins/pawl.js', 'export const Mine = 1\n'],
    ['pi', '.pi/extensions/pawl.js', 'export default () => 1\n'],
    ['cline', '.cline/plugins/pawl.js', 'export default {}\n'],
    ['gemini', '.gemini/settings.json', '{"hooks":[]}'],
    ['gemini', '.gemini/settings.json', '{\n  "a": 1\n  "b": 2\n}'],
    ['cursor', '.cursor/mcp.json', '[]'],
  ])('of %s, %s with %j is refused, and nothing is written', async (host, path, text) => {
    const bench = openBench()
    bench.write(path, text)
    const { code, err } = await bench.pawl('init', host, 'claude', '--yes')
    expect(code).toBe(2)
    expect(err).toMatch(new RegExp(`${path.replaceAll('.', '\\.')}:\\d+:\\d+: `))
    expect(bench.read(path)).toBe(text)
    expect(bench.has(local)).toBe(false)
    expect(bench.installs()).toEqual([])
  })

  test('a link is followed inside the workspace, and refused when it leads out of it', async () => {
    const bench = openBench()
    bench.write('shared/gemini.json', '{}\n')
    mkdirSync(join(bench.workspace, '.gemini'))
    symlinkSync('../shared/gemini.json', join(bench.workspace, '.gemini/settings.json'))
    await bench.pawl('init', 'gemini', '--yes')
    expect(bench.read('shared/gemini.json')).toContain('pawl-hook')
    expect(lstatSync(join(bench.workspace, '.gemini/settings.json')).isSymbolicLink()).toBe(true)
    const outside = join(bench.workspace, '../outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'mcp.json'), '{}')
    symlinkSync(outside, join(bench.workspace, '.cursor'))
    const { code, err } = await bench.pawl('init', 'cursor', '--yes')
    expect(code).toBe(2)
    expect(err).toContain('outside the workspace')
  })
})

describe('a second time', () => {
  test('there is nothing to do', async () => {
    const bench = openBench()
    await bench.pawl('init', ...agentHostIds, '--yes')
    const before = bench.read(local)
    const { code, out } = await bench.pawl('init', ...agentHostIds)
    expect(code).toBe(0)
    expect(out).toContain('nothing to do')
    expect(bench.read(local)).toBe(before)
  })

  test('a moved Pawl renews its own entries, and only them', async () => {
    const bench = openBench()
    bench.write('.gemini/settings.json', '{ "theme": "dark" }')
    await bench.pawl('init', 'gemini', '--yes')
    bench.move('/new/home')
    const { out } = await bench.pawl('init', 'gemini', '--yes', '--details')
    expect(out).toContain('+ ')
    const text = bench.read('.gemini/settings.json')
    expect(text.match(/pawl-hook/g)).toHaveLength(6)
    expect(text.match(/\/new\/home\/bin\/pawl-hook/g)).toHaveLength(6)
    await bench.pawl('uninit', 'gemini', '--yes')
    expect(bench.read('.gemini/settings.json')).toBe('{ "theme": "dark" }')
  })

  test('uninit works where Pawl has forgotten what it wrote', async () => {
    const bench = openBench()
    bench.write('.codex/config.toml', 'model = "x"\n')
    bench.write('.gemini/settings.json', '{\n  "theme": "dark"\n}\n')
    await bench.pawl('init', 'gemini', 'codex', '--yes')
    const setup = async () => ({ ...bench.setup(), readInstalls: () => [] })
    await bench.pawlWith({ setup }, 'uninit', '--yes')
    expect(bench.read('.codex/config.toml')).toBe('model = "x"\n')
    expect(bench.read('.gemini/settings.json')).toBe('{\n  "theme": "dark"\n}\n')
  })
})

describe('asking', () => {
  test('without a terminal it shows, and refuses', async () => {
    const bench = openBench()
    const { code, out, err } = await bench.pawl('init', 'gemini')
    expect(code).toBe(2)
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(5)
    expect(out).toMatch(/^hosts +Gemini CLI\n/m)
    expect(out).toMatch(/^files +1 new\n/m)
    expect(out).toMatch(/^enforced +every tool call/m)
    expect(out).not.toContain('BeforeTool')
    expect(err).toContain('pawl init --yes')
    expect(bench.has('.gemini')).toBe(false)
  })

  test.each([
    ['y\n', 0, true],
    ['\n', 2, false],
    ['no\n', 2, false],
  ])('in a terminal, the answer %j counts', async (answer, code, isWritten) => {
    const bench = openBench()
    const input = Object.assign(new PassThrough(), { isTTY: true })
    input.end(answer)
    const said = await bench.pawlWith({ input, isTerminal: true }, 'init', 'gemini')
    expect(said.code).toBe(code)
    expect(bench.has('.gemini/settings.json')).toBe(isWritten)
  })

  test('the details are shown when they are asked for, and the question comes again', async () => {
    const bench = openBench()
    const input = Object.assign(new PassThrough(), { isTTY: true })
    input.end('d\ny\n')
    const { code, out } = await bench.pawlWith({ input, isTerminal: true }, 'init', 'gemini')
    expect(code).toBe(0)
    expect(out.match(/Write these changes\?/g)).toHaveLength(2)
    expect(out).toMatch(/details\] Gemini CLI[\s\S]*BeforeTool[\s\S]*details\]/)
    expect(out).toContain('details] ! Gemini CLI runs the hooks of a folder')
    expect((await bench.pawl('uninit', 'gemini')).out).not.toContain('settings.json')
    expect((await bench.pawl('uninit', 'gemini', '--details')).out).toContain('settings.json')
  })

  test('a summary has at most five lines, however many hosts there are', async () => {
    const bench = openBench()
    const { out } = await bench.pawl('init', ...agentHostIds)
    expect(out.trimEnd().split('\n')).toHaveLength(5)
    const { out: details } = await bench.pawl('init', ...agentHostIds, '--dry-run')
    expect(details).toContain('BeforeTool')
  })

  test('a dry run writes nothing and says it as JSON', async () => {
    const bench = openBench()
    const { code, out } = await bench.pawl('init', 'cursor', '--dry-run', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      written: false,
      hosts: [{ host: 'cursor', files: [{ change: 'new' }, { change: 'new' }] }],
    })
    expect(bench.has('.cursor')).toBe(false)
  })

  test('an agent may do neither', async () => {
    const bench = openBench()
    for (const verb of ['init', 'uninit']) {
      const { code, err } = await bench.pawlWith({ env: { CLAUDECODE: '1' } }, verb, '--yes')
      expect(code).toBe(2)
      expect(err).toContain('is not available to agents')
    }
  })
})

test('a check finds what was taken out, changed or turned off, and nothing else', async () => {
  const bench = openBench()
  bench.host('claude', '2.1.325')
  await bench.pawl('init', 'claude', 'codex', '--yes')
  const read = (path: string): string | null => readWorkspaceFile(bench.workspace, path)
  const check = (): readonly string[] =>
    bench
      .installs()
      .flatMap((install) => checkInstall(install, read))
      .map(({ path, kind }) => `${path} ${kind}`)
  expect(check()).toEqual([])
  bench.write(local, bench.read(local).replace('{', '{\n  "model": "opus",'))
  expect(check()).toEqual([])
  bench.write(local, bench.read(local).replace('"model"', '"disableAllHooks": true,\n  "model"'))
  expect(check()).toEqual([`${local} off`])
  bench.write(local, bench.read(local).replace('"onFailure": "block"', '"onFailure": "continue"'))
  expect(check()).toEqual([`${local} changed`])
  bench.write('.codex/hooks.json', '{}')
  bench.write('.codex/config.toml', '')
  bench.write('.mcp.json', '{')
  expect(check()).toEqual([
    `${local} changed`,
    '.mcp.json unreadable',
    '.codex/hooks.json missing',
    '.codex/config.toml missing',
  ])
})
