// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell
import { describe, expect, test } from 'vitest'
import { explainCommands } from '../shell-view/explain-commands.ts'
import { readShell } from './read-shell.ts'
import { ruleOnCommands } from './rule-on-commands.ts'

const list = ['npm test', 'git diff', 'git log', 'pytest']
const workspace = '/srv/app'
const denialOf = (command: string, entries: readonly string[] = list) =>
  ruleOnCommands(readShell(command), entries, workspace)

describe('a pipe into a reader needs no entry', () => {
  test.each([
    'npm test 2>&1 | tail -20',
    'npm test 2>&1 | tail -n 20',
    'npm test |& tail -n20',
    'npm test 2>/dev/null | head -c 2000',
    'npm test | grep -E "fail|error" | head -5',
    'npm test | grep -iv -A3 -e skip',
    'npm test | grep --color=never -n "^x"',
    'npm test | egrep -c ok',
    'npm test | rg -i fail',
    'npm test | wc -l',
    'npm test | sort -rn -k2,2 -t: | uniq -c | sort -n',
    "git diff --stat | cut -d'|' -f1 | tr -d ' '",
    "git log --oneline | sed -n '1,20p'",
    'git log | cat',
    'git log | cat -A | tac | rev | fold -w 80',
    '(npm test; pytest) 2>&1 | tail -5',
    'npm test | { tail -5; }',
    'npm test > /dev/null 2>&1; echo "exit: $?"',
    'npm test; echo $?',
    'echo "== tests =="; npm test',
    'cd /srv/app && npm test',
    'cd /srv/app/ && npm test | tail -3',
    'pwd && npm test',
    'npm test; echo $HOME',
    'npm test; echo *',
    'cd sub && npm test',
    'cd /srv/app/sub && npm test',
    'cd /srv/app/x/.. && npm test',
    'cd -P /srv/app && npm test',
    'echo "done: $NAME ${OTHER}"; npm test',
    "echo 'costs $(nothing)'; npm test",
    'echo src/*.ts',
    "printf '%s\\n' a b | wc -l",
    'printf "%d of %d\\n" $X 3; npm test',
    'cd sub && npm test && cd .. && pytest',
    'cd -- sub/deeper && npm test',
    'cd ./a/../b && npm test',
    'X=1',
    'X=1; Y=$X; npm test',
    'OUT=$(npm test)',
    'OUT=$(npm test); echo "$OUT" | tail -3',
    'export CI=1; npm test',
    'export CI=1 NODE_ENV=test FOO && npm test',
    'export NAME="a $X b"; npm test',
    'export NODE_OPTIONS=--max-old-space-size=4096; npm test',
    'if [ -f package.json ]; then npm test; else echo none; fi',
    'test -d src && npm test || true',
  ])('%s', (command) => {
    expect(denialOf(command)).toBeNull()
    const troubles = explainCommands(readShell(command), list, workspace)
    expect(troubles.filter(({ trouble }) => trouble !== null)).toEqual([])
  })
})

describe('git shows the same without its pager', () => {
  test.each([
    'git --no-pager diff',
    'git -P log --oneline -5',
    'git -c color.ui=never diff',
    'git -c core.quotepath=off --no-optional-locks diff --name-only',
    'git --no-pager -c color.diff=false log',
  ])('%s', (command) => {
    expect(denialOf(command)).toBeNull()
  })

  test.each([
    'git --no-pager push',
    'git --no-pager -c core.pager=sh diff',
    'git -c core.fsmonitor=./x diff',
    'git -c alias.diff=!sh diff',
    'git -c color.ui=never -c diff.external=./x diff',
    'git -c color.x.y=never diff',
    'git -c "color.ui=never core.pager=x" diff',
    'git -c $X diff',
    'git --paginate diff',
    'git -p diff',
    'git -C /tmp diff',
    'git --git-dir=/tmp/x diff',
    'git --exec-path=/tmp diff',
    'git --no-pager diff --output=x',
    'git --no-pager diff --ext-diff',
    '/usr/bin/git --no-pager diff',
  ])('%s is denied', (command) => {
    expect(denialOf(command)).not.toBeNull()
  })

  test('every rule sees the same words', () => {
    const plain = readShell("git checkout HEAD -- '.cla*'")
    const paged = readShell("git --no-pager checkout HEAD -- '.cla*'")
    const words = (reading: typeof plain) => (reading.ok ? reading.commands[0]?.words : null)
    expect(words(paged)).toEqual(words(plain))
  })
})

describe('what is more than a reader of the pipe needs an entry', () => {
  test.each([
    // files
    'npm test | tail -5 .env',
    'npm test | tail .env',
    'npm test | head -c 100 < .env',
    'npm test | tail <<< "$(cat .env)"',
    'npm test | { tail -5; } < .env',
    'npm test | (exec < .env; tail -5)',
    'npm test | { exec < .env; cat; }',
    'npm test | cat .env',
    'npm test | cat - .env',
    'npm test | grep x .env',
    'npm test | grep -e x .env',
    'npm test | grep -f .env',
    'npm test | grep -rf .env',
    'npm test | grep --file=.env',
    'npm test | grep -r token',
    'npm test | grep -R token .',
    'npm test | grep --recursive token',
    'npm test | grep --rec token',
    'npm test | grep x *',
    'npm test | grep *',
    'npm test | grep -- -v .env',
    'npm test | rg --pre ./x y',
    'npm test | rg --files',
    'npm test | rg x .',
    'npm test | rg -f .env',
    'npm test | rg -z x',
    'npm test | rg --hostname-bin=./x y',
    'npm test | wc -l .env',
    'npm test | wc --files0-from=.env',
    'npm test | sort .env',
    'npm test | sort -o out',
    'npm test | sort -oout',
    'npm test | sort -no out',
    'npm test | sort --output=out',
    'npm test | sort --outp=out',
    'npm test | sort --compress-program=./x',
    'npm test | sort --compress-prog=./x',
    'npm test | sort -T /tmp',
    'npm test | sort --files0-from=x',
    'npm test | uniq - out',
    'npm test | uniq out',
    'npm test | cut -f1 .env',
    'npm test | tail -f',
    'npm test | tail -F x',
    'npm test | tail --follow',
    'npm test | tail --pid=1',
    // programs that write or run
    'npm test | tee out',
    'npm test | tee',
    'npm test | xargs rm',
    'npm test | xargs tail',
    'npm test | sh',
    'npm test | bash -s',
    'npm test | less',
    'npm test | more',
    'npm test | awk 1',
    'npm test | jq env',
    'npm test | perl -ne print',
    'npm test | split -l 1',
    'npm test | dd of=x',
    "npm test | sed -n 'w out'",
    "npm test | sed -n '1w out'",
    "npm test | sed -n '1e id'",
    "npm test | sed '1,3p'",
    "npm test | sed -n -i '1p'",
    "npm test | sed -n '1p' .env",
    'npm test | sed -n -f script',
    "npm test | sed -n 's/a/b/e'",
    "npm test | sed -n '1p;e id'",
    'npm test | sed -n "1p\ne id"',
    // other names
    'npm test | ./tail -5',
    'npm test | /tmp/tail -5',
    'npm test | ~/bin/tail',
    'npm test | $X -5',
    'npm test | t?il -5',
    'npm test | "tail "',
    'npm test | TAIL -5',
    'npm test | command tail -5',
    'npm test | env tail -5',
    'npm test | busybox tail -5',
    // what changes what the name means
    'tail() { rm x; }; npm test | tail -5',
    'function grep { rm x; }; npm test | grep x',
    'alias tail=rm; npm test | tail -5',
    'PATH=.:$PATH; npm test | tail -5',
    'npm test | PATH=. tail -5',
    'npm test | A=1 tail -5',
    'hash -p ./x tail; npm test | tail',
    'enable -f ./x tail; npm test | tail',
    'LD_PRELOAD=./x; npm test | tail',
    'RIPGREP_CONFIG_PATH=x; npm test | rg y',
    // values and substitutions
    'npm test | tail $X',
    'npm test | tail -n "$N"',
    'npm test | grep "$(rm x)"',
    'npm test | grep `rm x`',
    'npm test | tail <(rm x)',
    'npm test | grep x > >(sh)',
    'npm test | tail -n $((a[$(rm x)]))',
    'rm x | tail -5',
    'cat .env | tail -5',
    'npm test | tail; rm x',
    'npm test | tail & rm x',
    'npm test | tail -5 | rm x',
    'npm test || rm x | tail',
    'npm test | while read f; do rm "$f"; done',
    'npm test | mapfile -C "rm x" a',
    'npm test | read -r "a[$(rm x)]"',
    // without a pipe
    'tail -5 .env',
    'tail -5',
    'grep x',
    'cat < .env',
    'npm test; tail -5 < .env',
    '< .env tail -5',
    'npm test 3< .env | tail <&3',
  ])('%s', (command) => {
    expect(denialOf(command)).not.toBeNull()
  })
})

describe('what only says something or goes home is told strictly', () => {
  test.each([
    'npm test; echo $(rm x)',
    'npm test; echo `rm x`',
    'npm test; echo ~/.ssh/*',
    'npm test; echo "${x[$(rm x)]}"',
    "npm test; echo {a['$(rm x)']}>/dev/null",
    "y='b[$(rm x)]'; npm test; echo {a[y]}>/dev/null",
    'npm test; echo a > >(sh)',
    'npm test; A=1 echo x',
    'npm test; ./echo x',
    "npm test; printf -v 'a[$(rm x)]' x",
    'printf -v x 1; npm test',
    'printf -v"a[$(rm x)]" 1',
    'printf "%s" "$(rm x)"',
    'printf $X a',
    'echo /etc/*',
    'echo ../*',
    'echo "$(<.env)"',
    'X=$(rm x)',
    'PATH=.; npm test',
    'export PATH=.; npm test',
    'export LD_PRELOAD=./x; npm test',
    'export BASH_ENV=x; npm test',
    'export GIT_SSH_COMMAND=x',
    'export -p',
    'export -f x',
    'export -n CI',
    'export',
    'export $X',
    'export "$X"=1',
    'export X=$Y',
    'export A=$(rm x)',
    'export CI=1 PATH=.',
    "export 'a[$(rm x)]=1'",
    'declare CI=1',
    'cd sub; cd ..; cd ..; npm test',
    'cd sub && npm test; cd .. && pytest',
    'cd sub/../.. && npm test',
    'cd a b && npm test',
    'cd sub*/x && npm test',
    'cd -e sub && npm test',
    'cd .. && npm test',
    'cd /srv/app/../other && npm test',
    'cd /srv && npm test',
    'cd && npm test',
    'cd - && npm test',
    'cd ~ && npm test',
    'cd "$X" && npm test',
    'CDPATH=/tmp cd /srv/app && npm test',
    'pushd /srv/app && npm test',
    'timeout 60 npm test',
    'npm test | timeout 5 tail -3',
  ])('%s', (command) => {
    expect(denialOf(command)).not.toBeNull()
  })

  test('an empty list permits none of it', () => {
    for (const command of ['echo hi', 'pwd', 'cd /srv/app', 'echo a | tail -1']) {
      expect(denialOf(command, [])?.code, command).toBe('COMMAND_NOT_ALLOWED')
    }
  })

  test('without a workspace nobody knows where home is', () => {
    const denial = ruleOnCommands(readShell('cd /srv/app && npm test'), list)
    expect(denial).not.toBeNull()
  })
})

describe('a listed program may be asked what it is', () => {
  test.each(['npm --version', 'npm --help', 'git --version', 'npm run --help', 'git show --help'])(
    'allowed: %s',
    (command) => expect(denialOf(command)).toBeNull(),
  )

  test.each([
    ...['cargo --version', './npm --version', '/tmp/git --version', 'npm --version x'],
    ...['npm --version; rm x', 'npm exec --help', 'npm foo --help'],
    ...['PATH=. npm --version', 'git x --help', 'npm "--version" > /etc/x $(rm)'],
  ])('denied: %s', (command) => expect(denialOf(command)).not.toBeNull())

  test('an empty list allows no question', () => {
    expect(denialOf('npm --version', [])).not.toBeNull()
  })
})
