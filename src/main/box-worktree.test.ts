/**
 * A session in a linked work tree of git: its repository is there, open as the stage says, and what
 * programs outside of the box would run stays as it is.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isOurNode, openHouse, until } from './daemon.contract.ts'

const workflow = {
  id: 'tree',
  initial: 'looking',
  states: {
    looking: { allowed_tools: ['Read'], on: { GO: 'writing' } },
    writing: { allowed_tools: ['Edit'], on: { END: 'done' } },
    done: { type: 'final' },
  },
}

const program = `
git log --format=%s && git status --short && echo LOOKED
git commit -q --allow-empty -m early && echo EARLY
common="$(git rev-parse --path-format=absolute --git-common-dir)"
for i in $(seq 600); do [ -w "$common/objects" ] && break; sleep 0.1; done
echo x > a.txt && git add a.txt && git commit -q -m second && echo COMMITTED
(echo x > "$common/hooks/post-commit") && echo HOOK
git config core.pager evil && echo CONFIG
(echo x > "$common/worktrees/other/HEAD") && echo OTHER
(echo x > .git) && echo LINK
echo END`

test.runIf(isOurNode)(
  'git works in a linked work tree, whose hooks and configuration stay as they are',
  { timeout: 180_000 },
  async ({ skip }) => {
    const house = openHouse()
    onTestFinished(() => house.close())
    const repo = join(house.workspace, 'repo')
    mkdirSync(repo)
    const git = (...args: readonly string[]): string => {
      const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']
      return execFileSync('git', [...who, ...args], { cwd: repo, encoding: 'utf8' })
    }
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'first')
    for (const name of ['tree', 'other']) git('worktree', 'add', '-q', `../${name}`)
    const workspace = join(house.workspace, 'tree')
    const head = readFileSync(join(repo, '.git/worktrees/other/HEAD'), 'utf8')
    const file = join(house.workspace, 'tree.json')
    writeFileSync(file, JSON.stringify(workflow))
    const { runId } = await house.json('start', file, '--workspace', workspace)
    const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME']
    const env = Object.fromEntries([...names, 'GIT_COMMITTER_EMAIL'].map((name) => [name, 't']))
    const passed = Object.keys(env).flatMap((name) => ['--env', name])
    const args = ['run', '--run', runId, '--workspace', workspace, ...passed, '--', 'sh', '-c']
    const session = house.start([...args, program], { env })
    const first = await Promise.race([
      until(() => session.said().includes('LOOKED'), 'git to work'),
      session.ended,
    ])
    if (first !== undefined && /has no boxes/.test(first.err)) return skip(first.err)
    expect(await house.cli('signal', 'GO', '--run', runId)).toMatchObject({ code: 0 })
    const { out } = await session.ended
    expect(out).toContain('first\n')
    expect(out.match(/^[A-Z]+$/gm)).toEqual(['LOOKED', 'COMMITTED', 'END'])
    expect(git('log', '--format=%s', 'tree')).toBe('second\nfirst\n')
    expect(readFileSync(join(repo, '.git/worktrees/other/HEAD'), 'utf8')).toBe(head)
    const left = join(repo, '.git/commondir')
    await until(() => !existsSync(left), 'placeholders to be removed')
  },
)
