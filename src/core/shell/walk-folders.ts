/**
 * How the walk follows the shell from folder to folder: through lists, branches and loops.
 */

import type { AndOr, SyntaxNode } from './parse.ts'
import type { Dirs } from './shell-reading.ts'
import { pushItems, type ShellWalk, type WalkItem, type WalkMark } from './walk-state.ts'
import { either, leavesFolder, mergedFolders, noteLoop, settled } from './working-folders.ts'

/** Leaves what was visited since the mark was made; the folders it may have moved to stay. */
export function setScope(walk: ShellWalk, mark: WalkMark): void {
  const { scope, joins, loop } = mark
  let dirs = joins ? either(scope.dirs, settled(walk.scope)) : scope.dirs
  if (loop !== undefined && dirs !== scope.dirs) dirs = noteLoop(walk.facts, loop, dirs)
  walk.scope = dirs === scope.dirs ? scope : { ...scope, dirs }
}

/** Visits what may or may not happen; folders are only added, so the next branch sees its own. */
export function branching(walk: ShellWalk, items: readonly WalkItem[]): void {
  walk.stack.push({ type: 'Mark', scope: walk.scope, joins: true })
  pushItems(walk, items)
  walk.scope = { ...walk.scope, isStraight: false, isSure: false }
}

/** Visits what may happen again, from wherever it ended. */
export function looping(walk: ShellWalk, items: readonly WalkItem[]): void {
  walk.stack.push({ type: 'Mark', scope: walk.scope, joins: true, loop: mergedFolders(walk.facts) })
  pushItems(walk, items)
  walk.scope = { ...walk.scope, isStraight: false, isSure: false }
}

/** The last command has worked or failed, and no longer matters. */
export function settleFolders(walk: ShellWalk): void {
  const { scope } = walk
  if (scope.missed !== null) walk.scope = { ...scope, dirs: settled(scope), missed: null }
}

/** `cd a && b` runs `b` in `a`; what follows the list may find itself in either folder. */
export function visitAndOr(walk: ShellWalk, { commands, operators }: AndOr): void {
  /** Where we stand if the command just visited was passed over. */
  let passed: Dirs = []
  const { isSure } = walk.scope
  const after = (i: number) => () => {
    // Whether what follows happens depends on what was before.
    const scope = { ...walk.scope, isSure: isSure && i === commands.length - 1 }
    walk.scope = scope
    let works = scope.dirs
    let fails = scope.missed ?? scope.dirs
    if (operators[i - 1] !== '||') fails = either(passed, fails)
    else if (!scope.isStraight || !leavesFolder(commands[i] as SyntaxNode, scope.source)) {
      works = either(works, passed)
    } else {
      works = passed
      fails = passed
    }
    const next = operators[i]
    passed = next === '&&' ? fails : works
    // Most lists move nowhere.
    if (works === fails && works === scope.dirs) return
    if (next === undefined) walk.scope = { ...scope, dirs: works, missed: fails }
    else walk.scope = { ...scope, dirs: next === '&&' ? works : fails, missed: null }
  }
  pushItems(
    walk,
    commands.flatMap((command, i) => [command, { type: 'Step', run: after(i) }]),
  )
}
