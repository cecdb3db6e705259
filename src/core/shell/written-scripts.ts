/** Scripts that a text first writes and then runs: their contents are only known at run time. */

import { shellCallOf } from './shell-call.ts'
import { type Facts, hideCode } from './shell-facts.ts'
import type { SimpleCommand } from './shell-reading.ts'
import { baseName, shells } from './wrappers.ts'

/** Programs that can put a file in place, beside redirections. */
const placing = /^(tee|sponge|cp|mv|install|ln|dd|sed|gsed|curl|wget|tar|patch|git|rsync|unzip)$/

/** Notes every script file that the same text may have made. */
export function noteWrittenScripts(facts: Facts): void {
  const scripts = facts.commands.filter(isScript)
  if (scripts.length === 0) return
  const written = facts.redirections.filter((one) => one.kind === 'write')
  const names = new Set(written.map((one) => (one.target === null ? null : baseName(one.target))))
  for (const { words } of facts.commands) {
    if (!placing.test(baseName(words[0] ?? ''))) continue
    for (const word of words.slice(1))
      names.add(word === null ? null : baseName(word.slice(word.indexOf('=') + 1)))
  }
  const isFed = isFedByThem(facts, names)
  for (const { words, text } of scripts) {
    const isMade = words.slice(1).some((word) => word !== null && names.has(baseName(word)))
    const isOpen = words.slice(1).some((word) => word === null || /[*?[]/.test(word))
    const isUnknown = names.size > 0 && (names.has(null) || isOpen)
    if (!isMade && !isUnknown && !isFed) continue
    hideCode(facts, 'a script that the same text may have written', text.slice(0, 80))
  }
}

function isScript({ words, starts }: SimpleCommand): boolean {
  const name = baseName(words[0] ?? '')
  if (name === 'source' || name === '.') return words.length > 1
  if (!shells.has(name)) return false
  const { takesScript, isAsking } = shellCallOf(starts)
  return !takesScript && !isAsking
}

/** `bash < x.sh` */
function isFedByThem(facts: Facts, names: ReadonlySet<string | null>): boolean {
  const read = facts.redirections.filter((one) => one.kind === 'read')
  return read.some(({ target }) => target !== null && names.has(baseName(target)))
}
