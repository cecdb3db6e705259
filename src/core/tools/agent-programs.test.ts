import { describe, expect, test } from 'vitest'
import { otherAgents } from '../hosts/other-agents.ts'
import { agentHostIds, agentHosts, listIn } from '../hosts/registry.ts'
import { readShell } from '../shell/read-shell.ts'
import { agentsCommandIn } from './agent-programs.ts'

function startsAgent(command: string): boolean {
  const reading = readShell(command)
  return reading.ok && agentsCommandIn(reading) !== null
}

describe('every agent program is known by its name and its packages', () => {
  const hosts = agentHostIds.map((id) => ({ ...agentHosts[id], verbs: { none: '' } }))
  test.each([...hosts, ...otherAgents])('$program', ({ program, packages, verbs }) => {
    const [verb = '-p hi'] = listIn(verbs)
    expect(startsAgent(program)).toBe(true)
    expect(startsAgent(`/opt/bin/${program} ${verb}`)).toBe(true)
    expect(startsAgent(`${program} --version`)).toBe(false)
    expect(startsAgent(`cat docs/${program}.md`)).toBe(false)
    expect(startsAgent(`npm --prefix plugins/${program} test`)).toBe(false)
    for (const name of listIn(packages)) {
      expect(startsAgent(`npx -y ${name}@latest hi`), name).toBe(true)
      expect(startsAgent(`npm install --save-dev ${name}`), name).toBe(false)
      expect(startsAgent(`node node_modules/${name}/dist/main.js hi`), name).toBe(true)
    }
  })
})

test.each([
  ...['claude -p "go on"', 'claude', 'npx @anthropic-ai/claude-code -p hi', 'codex exec --json x'],
  ...['PAWL_RUN=x gemini -p hi', 'npx @qwen-code/qwen-code -p hi', 'cd x && opencode run hi'],
  ...['pi -p hi', 'npx @earendil-works/pi-coding-agent -p x', 'npx @mariozechner/pi-coding-agent'],
  ...[
    '/usr/local/bin/claude -p x',
    'nohup copilot -p x &',
    'timeout 9 aider --yes',
    'env amp -x hi',
  ],
  ...['node /opt/gemini.js -p hi', 'node --no-warnings ~/x/gemini.js', 'bun run opencode.ts'],
  ...['bunx @github/copilot -p x', 'pnpm dlx @openai/codex exec x', 'npm exec -- codex exec x'],
  ...['npm exec --package=@openai/codex codex exec x', 'npx -p @openai/codex codex exec x'],
  ...['npx --registry http://x claude', 'npx --unknown value claude -p hi', 'yarn dlx cline x'],
  ...['uvx aider-chat', 'uvx --from aider-chat aider', 'pipx run aider-chat', 'uv tool run aider'],
  ...[
    'python3 -m aider',
    'python -m aider.main x',
    'goose run -t hi',
    'goose session',
    'q chat hi',
  ],
  ...['q', 'pi -p hi', 'cn -p hi', 'kimi', 'kiro-cli chat hi', 'bash -c "crush run hi"'],
])('`%s` starts another agent', (command) => {
  expect(startsAgent(command)).toBe(true)
})

test.each([
  ...['npm --prefix plugins/opencode test', 'npm -C plugins/opencode test', 'npm test -w opencode'],
  ...[
    'npm --workspace opencode run build',
    'pnpm --filter opencode test',
    'yarn --cwd opencode test',
  ],
  ...['pnpm -C packages/claude build', 'bun --cwd packages/amp test', 'yarn workspace cline test'],
  ...[
    'npm run opencode',
    'npm install opencode-ai',
    'npm ls @openai/codex',
    'cd claude && npm test',
  ],
  ...[
    'grep claude README.md',
    'cat docs/gemini.md',
    'ls opencode',
    'git checkout -b codex',
    'mkdir pi',
  ],
  ...['claude --version', 'codex --help', 'npx claude --version', 'which claude', 'goose up'],
  ...['goose -dir db postgres "x" up', 'npx eslint opencode', 'npx vitest run src/claude'],
  ...['node scripts/claude-report.js', 'node gemini/index.js', 'node test/opencode.test.js'],
  ...['python3 -m pytest aider', 'python3 aider/setup.py', "q 'SELECT 1' table.csv", 'make amp'],
])('`%s` does not', (command) => {
  expect(startsAgent(command)).toBe(false)
})
