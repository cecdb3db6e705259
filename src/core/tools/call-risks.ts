/**
 * What a person should look at before they approve a call: risky parts of a command, and files
 * outside of the workspace or with secrets in them.
 * Knows inputs. Must not know policies, and decides nothing.
 */
import type { Json, JsonObject } from '../json.ts'
import { isOutside } from '../shell/leaves-workspace.ts'
import { baseName, shells } from '../shell/wrappers.ts'
import type { RiskKind } from '../shell-view/risk-kinds.ts'
import { isCredentialFile, riskyParts } from '../shell-view/risky-parts.ts'
import { pathsIn } from './input-paths.ts'
import { commonToolOf } from './tool-names.ts'

export type CallRisk = {
  readonly kind: RiskKind
  /** One sentence without a full stop. */
  readonly why: string
  /** The part of the input that it is about. */
  readonly text: string
  /** Where that stands in the command; null: it is not a part of a command. */
  readonly begin: number | null
}

/** The command in an input, as its shell gets it; null: there is none. */
export function commandIn(input: JsonObject): string | null {
  const command = input.command ?? input.cmd
  if (typeof command === 'string') return command
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return null
  const [shell = '', flag = '', script] = command as readonly string[]
  const isScript = shells.has(baseName(shell)) && /^-\w*c$/.test(flag) && script !== undefined
  return isScript ? script : (command as readonly string[]).join(' ')
}

/** Characters of a risky part that are told; the command itself is shown beside it. */
const textCharsMax = 400

/** Tools whose command a shell reads. */
const shellTools: ReadonlySet<string> = new Set(['Bash', 'Monitor', 'process.run'])

type RiskyCall = { readonly tool: string; readonly input: JsonObject }

/** Everything risky about a call, in the order of its text. */
export function callRisks(
  { tool, input }: RiskyCall,
  workspace: string | null,
): readonly CallRisk[] {
  const command = commandIn(input)
  const known = commonToolOf(tool)
  if (command !== null && known === 'PowerShell') {
    const why = 'commands of PowerShell are not analysed'
    return [{ kind: 'unreadable', why, text: command.slice(0, textCharsMax), begin: 0 }]
  }
  if (command !== null && (known === null || shellTools.has(known))) {
    const parts = riskyParts(command, workspace)
    // What an unknown tool means by a command need not be shell.
    const told = known === null ? parts.filter(({ kind }) => kind !== 'unreadable') : parts
    return told.map(({ kind, why, begin, end }) => ({
      ...{ kind, why, begin },
      text: command.slice(begin, Math.min(end, begin + textCharsMax)),
    }))
  }
  return pathsIn(input as { readonly [key: string]: Json }).paths.flatMap((text) => {
    const found: CallRisk[] = []
    if (isCredentialFile(text)) {
      found.push({ kind: 'credentials', why: `\`${text}\` holds secrets`, text, begin: null })
    }
    if (isOutside(text, workspace)) {
      const why = `\`${text}\` is outside of the workspace`
      found.push({ kind: 'outside', why, text, begin: null })
    }
    return found
  })
}
