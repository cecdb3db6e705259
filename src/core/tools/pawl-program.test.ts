import { expect, test } from 'vitest'
import { readShell } from '../shell/read-shell.ts'
import { personsCommandIn } from './pawl-program.ts'

function isPersons(text: string): boolean {
  const reading = readShell(text)
  if (!reading.ok) throw new Error(`it cannot be read: ${text}`)
  return personsCommandIn(reading) !== null
}

test.each([
  ...['pawl approve r1:a5', './pawl approve x', '/opt/pawl/pawl refuse x', 'npx pawl approve x'],
  ...['npx --yes pawl@latest approve x', 'npm exec pawl -- approve x', 'pnpm dlx pawl approve x'],
  ...['node dist/main/pawl.js approve x', 'node --no-warnings src/main/pawl.ts force done'],
  ...['timeout 5 pawl approve x', 'env A=1 pawl approve x', 'bash -c "pawl approve x"'],
  ...['echo hi; pawl resume', 'true && pawl stop', 'echo $(pawl approve x)', 'pawl serve'],
  ...['pawl definitions add x.json', 'pawl import run.json', 'pawl export r1', 'pawl db rebuild'],
  ...['pawl signal GO', 'pawl start x', 'pawl cancel --as person', 'pawl signal GO --as=person'],
  ...['pawl signal GO --as agent --as person', 'pawl $VERB x', 'pawl "$@"', 'pawl unheard-of'],
  ...['pawl init --yes', 'pawl uninit claude', 'pawl hook claude', 'pawl mcp', 'pawl statusline'],
  ...['pawl people add eve', 'pawl notify test', 'pawl people list', 'pawl mail key r'],
  ...['pawl doctor', 'pawl stop -- --help', 'pawl definitions add x.json -- --help'],
  ...['npm --prefix tools exec pawl approve x', 'pnpm -C x dlx pawl approve x'],
  ...['PAWL_HOME=/tmp/x pawl state', 'xargs pawl approve', "pa'w'l approve x"],
])('`%s` is for people', (text) => {
  expect(isPersons(text)).toBe(true)
})

test.each([
  ...['pawl state', 'pawl runs --json', 'pawl log r1 --verify', 'pawl wait r1', 'pawl --help'],
  ...['pawl approve --help', 'pawl check .pawl/definitions/a.json', 'npx pawl judge a.json'],
  ...['pawl signal GO --as agent', './pawl start fix --as=agent', 'pawl --version', 'pawl'],
  ...['git commit -m "pawl approve x"', 'echo pawl approve', 'grep -r pawl .', 'pawlish approve'],
  ...['npm --prefix packages/pawl run build', 'npm -w pawl run x', 'pnpm --filter pawl run dev'],
  ...['yarn --cwd plugins/pawl start', 'pnpm -C tools/pawl install', 'npm -C pawl ci'],
  ...['npm test', 'cat pawl.md', 'cd pawl && npm test', 'node pawl-check.js approve'],
])('`%s` is anybody’s', (text) => {
  expect(isPersons(text)).toBe(false)
})
