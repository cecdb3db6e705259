/**
 * The rule on how large one edit may be.
 * Knows the size that was read from the call. Must not know files or stages.
 */
import type { Call, Denial } from '../engine/types.ts'

/** Denies an edit over the limit, and one whose size nobody can tell. */
export function ruleOnEdits(call: Call, editLinesMax: number | null): Denial | null {
  if (editLinesMax === null || call.isOwn) return null
  const hint = `split it into parts of at most ${editLinesMax} lines`
  if (call.editLines !== null) {
    if (call.editLines <= editLinesMax) return null
    const reason = `this edit has ${call.editLines} lines, but only ${editLinesMax} are allowed`
    return { code: 'EDIT_TOO_LARGE', reason, hint }
  }
  // A shell's own writes have no size before they happen; a file tool has to say it.
  const isSilent = call.act === 'edit' || call.act === 'write' || isServerEdit(call)
  if (!isSilent) return null
  const reason = `the size of this edit is unknown, and only ${editLinesMax} lines are allowed`
  return { code: 'EDIT_TOO_LARGE', reason, hint: `${hint}, with the old and the new text` }
}

function isServerEdit(call: Call): boolean {
  return call.act === 'mcp' && call.shell === null && call.edits.length > 0
}
