/** Workspaces that are looked at, for tests: real files, the real helper. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openWorkspaceObserver } from '../runtime/workspace/observe-workspace.ts'
import { compileHelper } from './scratch.contract.ts'

/** A workspace that a script makes, in a folder of its own. */
export function openFolder(script: string) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-look-')))
  // The helper may still be reading there: it keeps lists after it has answered.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  const workspace = join(folder, 'w')
  const shell = (command: string): void => {
    execFileSync('bash', ['-c', command], { cwd: workspace, stdio: 'ignore' })
  }
  execFileSync('mkdir', [workspace])
  shell(script)
  return { folder, workspace, shell }
}

/** Looks by the helper, or by Node where it fails. */
export function openObserver(helper = compileHelper()) {
  const observe = openWorkspaceObserver({ helper: async () => helper })
  return async (workspace: string) => {
    const { fingerprint, changes } = await observe(workspace)
    return { fingerprint, changes }
  }
}

/** So that git makes a commit on any machine. */
const who = '-c user.name=a -c user.email=a@b -c commit.gpgsign=false'
/** A workspace with all that is special. */
export const begin = `
  mkdir -p src/deep/er test ignored empty/inner excluded quiet/sub
  for i in {1..30}; do echo $i > src/$i.ts; echo $i > src/deep/er/$i.ts; done
  printf 'ignored/\\n*.log\\n' > .gitignore; echo x > ignored/x; echo one > a.ts
  printf '*\\n' > quiet/.gitignore; echo x > quiet/sub/x
  echo one > $'src/\\xff.ts'; ln -s a.ts link; ln -s /nowhere dead; mkfifo fifo
  mkdir -p ../out/d ../other; echo x > ../out/f; echo x > ../other/f; ln -s out ../middle
  ln -s ../out/f to-file; ln -s ../out to-folder; ln -s ../middle/f to-chain
  ln -s ignored/x to-ignored; ln -s src to-inside; ln -s . to-itself
  git init -q; git add -A; git ${who} commit -qnm begin; echo 'excluded/' >> .git/info/exclude
  echo one > new.ts; git init -q nested; mkdir -p nested/node_modules/m; echo x > nested/a.ts
  git init -q part; echo x > part/a.ts; (cd part; git add -A; git ${who} commit -qnm x)
  git add part; git ${who} commit -qnm part`

/** What changes a fingerprint. */
export const seen: readonly string[] = [
  ...['echo two > a.ts', 'echo x > src/b.ts', 'mkdir src/n; echo x > src/n/x', 'rm -r src/deep'],
  ...['mv src/deep src/deeper', 'echo new.ts >> .gitignore', 'echo > .gitignore', 'rm .gitignore'],
  ...['echo x > empty/inner/x', 'mkdir empty/inner/b; echo x > empty/inner/b/x', 'chmod +x a.ts'],
  ...['echo x > excluded/x', 'echo > quiet/.gitignore', 'echo "!x" >> .gitignore; echo x > x'],
  ...['echo two > nested/a.ts', 'echo x > nested/b.ts', 'rm -rf nested/.git; echo x > nested/c'],
  ...['echo two > part/a.ts', 'mkdir part/b; echo x > part/b/b', 'rm -rf part; echo x > part'],
  ...["echo two > $'src/\\xff.ts'", "echo two > $'src/\\xfe.ts'", 'git add -f ignored/x'],
  ...['git init -q other; echo x > other/x', 'ln a.ts ../hard; printf two > ../hard; rm ../hard'],
  ...['cp -p a.ts ../b; printf two > ../b; touch -r a.ts ../b; mv ../b a.ts', 'ln -sf b.ts link'],
  ...['mv src ../src; ln -s ../src src', 'git rm -q --cached a.ts; echo a.ts >> .gitignore'],
  ...['echo y > ../out/f', 'echo y > ../out/d/new', 'rm ../out/f', 'echo y > ignored/x'],
  ...['ln -sfn other ../middle', 'ln -sfn ../other/f to-file', 'ln -sfn a.ts dead'],
  ...['mkdir -p q/r; echo "*" > q/r/.gitignore; echo x > q/r/x', 'echo x > quiet/sub/y'],
  ...['printf "h\\n.gitignore\\n" > src/.gitignore; echo x > src/h', 'echo two > quiet/sub/x'],
  ...['rm -rf .git', 'mv src/deep/er src/er; mkdir src/deep/er; mv src/er/* src/deep/er'],
]
/** What does not. */
export const unseen: readonly string[] = [
  ...[
    'echo x > ignored/y',
    'echo x > a.log',
    'mkdir src/empty',
    'echo x > nested/node_modules/m/x',
  ],
  ...[
    'mkdir coverage; echo x > coverage/x',
    `git add a.ts; git ${who} commit -qnm x --allow-empty`,
  ],
  ...['touch ../elsewhere', 'mkdir -p src/__pycache__; echo x > src/__pycache__/x', 'cat a.ts'],
  ...['echo y > ../other/x', 'git config core.pager cat', 'git init -q ignored/r'],
]
