/** Programs that were started in the box of a call, in words. */
import type { RanPrograms } from './call.ts'

const shownMax = 12

/** `node, git ×3, curl (denied), 2 more`; some may be those of calls at the same time. */
export function ranProgramsText({ programs, more = 0, isShared }: RanPrograms): string {
  const counts = new Map<string, number>()
  for (const { path, count, isDenied } of programs) {
    const name = `${programName(path)}${isDenied ? ' (denied)' : ''}`
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`))
  const rest = [...counts.values()].slice(shownMax).reduce((sum, count) => sum + count, more)
  const all = [...names.slice(0, shownMax), ...(rest === 0 ? [] : [`${rest} more`])].join(', ')
  return isShared ? `${all} (during this call and others)` : all
}

/** Names of programs that the stage forbids, and that something tried to start. */
export function deniedPrograms({ programs }: RanPrograms): readonly string[] {
  return [...new Set(programs.flatMap((one) => (one.isDenied ? [programName(one.path)] : [])))]
}

function programName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
