/**
 * Which commands of git change the work tree, the history or another repository.
 */
import type { SimpleCommand } from './shell-reading.ts'

const alwaysWrites: ReadonlySet<string> = new Set(
  [
    'add am apply checkout-index cherry-pick clean clone commit fast-import filter-branch gc init',
    'merge mv prune pull push rebase repack replace reset restore revert rm sparse-checkout',
    'submodule update-index update-ref write-tree commit-tree read-tree mktag mktree',
    'filter-repo citool gui send-email subtree bisect maintenance pack-refs',
  ].flatMap((line) => line.split(' ')),
)

/** By sub-command: the further words with which it only shows something. */
const onlyShows: ReadonlyMap<string, RegExp> = new Map([
  ['submodule', /^(status|summary)$/],
  ['bisect', /^(log|view|visualize)$/],
  ['sparse-checkout', /^list$/],
  ['apply', /^--(check|stat|numstat|summary)$/],
  ['clean', /^(-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/],
  ['push', /^(-n|--dry-run)$/],
  ['commit', /^--dry-run$/],
  ['add', /^(-n|--dry-run)$/],
  ['rm', /^(-n|--dry-run)$/],
])

/** By sub-command: the further words with which it writes. */
const writesWith: ReadonlyMap<string, RegExp> = new Map([
  [
    'branch',
    /^(-[dDmMcCfu]|--(delete|move|copy|force|set-upstream-to|unset-upstream|edit-description))/,
  ],
  ['tag', /^(-[dasmuF]|--(delete|annotate|sign|message|file))/],
  ['remote', /^(add|rm|remove|rename|set-url|set-head|set-branches|prune|update)$/],
  ['worktree', /^(add|move|remove|prune|repair|lock|unlock)$/],
  ['stash', /^(push|pop|apply|drop|clear|save|branch|create|store|-.*)$/],
  [
    'config',
    /^(--add|--unset(-all)?|--replace-all|--(rename|remove)-section|-e|--edit|set|unset)$/,
  ],
  ['notes', /^(add|append|copy|edit|merge|remove|prune)$/],
  ['reflog', /^(expire|delete)$/],
  ['symbolic-ref', /^(-d|--delete|-m)$/],
  ['hash-object', /^-w$/],
  ['bundle', /^create$/],
  ['archive', /^(-o|--output)/],
  ['format-patch', /^(?!--stdout)/],
  ['lfs', /^(pull|push|track|untrack|install|migrate|checkout)$/],
  ['switch', /^(-[cC]|--(create|force-create|discard-changes|force|orphan)|-f)$/],
])

const globalValues =
  /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env)$/

/** Where the sub-command stands, behind the options of git itself. */
export function gitVerbAt({ starts }: SimpleCommand): number {
  let i = 1
  while (i < starts.length && (starts[i] as string).startsWith('-')) {
    i += globalValues.test(starts[i] as string) ? 2 : 1
  }
  return i
}

/** Why a git command writes; null: it reads, or moves between branches. */
export function writingGit(command: SimpleCommand): string | null {
  const { starts } = command
  const i = gitVerbAt(command)
  const sub = starts[i]
  if (sub === undefined) return null
  const rest = starts.slice(i + 1)
  if (rest.some((word) => /^--ou[tpu]*(=|$)/.test(word)) && sub !== 'archive')
    return 'writes a file'
  if (sub === 'checkout') {
    if (rest.some((word) => /^(-b|-B|--orphan)$/.test(word))) return 'creates a branch'
    return checkoutWrites(rest) ? 'discards changes' : null
  }
  if (sub === 'stash' && rest.length === 0) return 'stashes changes'
  if (
    sub === 'config' &&
    rest.filter((word) => !word.startsWith('-')).length > 1 &&
    !isGetting(rest)
  ) {
    return 'changes settings'
  }
  if (alwaysWrites.has(sub)) {
    const shows = onlyShows.get(sub)
    return shows !== undefined && rest.some((word) => shows.test(word)) ? null : 'changes files'
  }
  const writes = writesWith.get(sub)
  if (writes === undefined) return null
  if (sub === 'format-patch') return rest.includes('--stdout') ? null : 'writes files'
  return rest.some((word) => writes.test(word)) ? 'changes the repository' : null
}

function isGetting(rest: readonly string[]): boolean {
  return rest.some((word) =>
    /^(--get|--get-all|--get-regexp|--list|-l|get|list|--show-origin)$/.test(word),
  )
}

/** `git checkout main` moves; with paths, or by force, it overwrites. */
function checkoutWrites(rest: readonly string[]): boolean {
  if (rest.some((word) => /^(--|-f|--force|-p|--patch|--ours|--theirs|-m)$/.test(word))) {
    return true
  }
  const operands = rest.filter((word) => !word.startsWith('-'))
  return operands.length > 1 || operands.some((word) => word === '.' || word.startsWith('./'))
}
