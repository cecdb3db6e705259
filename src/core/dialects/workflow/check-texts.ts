/**
 * Texts in a workflow that have their own syntax: commands, names of variables, file patterns. One
 * that can never do what its author meant is an error, not a rule that silently has no effect.
 */
import { globProblem } from '../../expr/glob.ts'
import type { Finding } from '../../finding.ts'
import { finding, joinPointer } from '../../finding.ts'
import { nearestName } from '../../machine/name-suggestions.ts'
import { isKnownToolName, knownToolNames } from '../../tools/tool-names.ts'
import type { WorkflowDefinition } from './schema.ts'

type State = WorkflowDefinition['states'][string]

/** Remarks on texts that cannot mean anything. */
export function checkTexts(definition: WorkflowDefinition): Finding[] {
  const states = Object.entries(definition.states).flatMap(([name, state]) => {
    const at = joinPointer('/states', name)
    return [...checkCommands(state, at), ...checkVariables(state, at)]
  })
  return [...states, ...checkPatterns(definition)]
}

function checkCommands(state: State, at: string): Finding[] {
  return (state.allowed_commands ?? []).flatMap((entry, index) => {
    const problem = commandProblem(entry)
    if (problem === null) return []
    const hint = 'an entry is the first words of a command, e.g. `npm test`'
    return [
      finding('SCHEMA_INVALID', joinPointer(at, 'allowed_commands', index), {
        message: problem,
        hint,
      }),
    ]
  })
}

function commandProblem(entry: string): string | null {
  if (entry.trim() === '') return 'an empty command would allow every command'
  // Quoted parts are words whatever they hold; outside, these signs are never part of a word.
  const unquoted = entry.replaceAll(/'[^']*'|"[^"]*"/g, '')
  const [sign] = /[;&|<>()`$\n\r]/.exec(unquoted) ?? []
  return sign === undefined
    ? null
    : `\`${entry}\` contains \`${sign.trim() || 'a line break'}\`, which is not a word`
}

function checkVariables(state: State, at: string): Finding[] {
  const findings: Finding[] = []
  const note = (name: string, place: string): void => {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return
    const message = `\`${name}\` cannot be the name of a variable`
    const hint = 'names have letters, digits and underscores'
    findings.push(finding('NAME_INVALID', place, { message, hint }))
  }
  for (const list of ['blocked_env', 'deny_env'] as const) {
    for (const [index, name] of (state[list] ?? []).entries())
      note(name, joinPointer(at, list, index))
  }
  const blocked = new Set([...(state.blocked_env ?? []), ...(state.deny_env ?? [])])
  for (const record of ['env_overrides', 'env'] as const) {
    for (const name of Object.keys(state[record] ?? {})) {
      note(name, joinPointer(at, record, name))
      if (!blocked.has(name)) continue
      const message = `\`${name}\` is both removed and set`
      const hint = 'block it or set it, not both: setting it already replaces the old value'
      findings.push(finding('VALUE_CONFLICT', joinPointer(at, record, name), { message, hint }))
    }
  }
  return findings
}

function checkPatterns(definition: WorkflowDefinition): Finding[] {
  return Object.entries(definition.interrupts ?? {}).flatMap(([name, interrupt]) => {
    const problem = globProblem(interrupt.trigger.file_pattern)
    if (problem === null) return []
    const at = joinPointer('/interrupts', name, 'trigger', 'file_pattern')
    const hint = 'a pattern looks like `db/**/*.sql`; write one interrupt per pattern'
    return [finding('PATTERN_INVALID', at, { message: problem, hint })]
  })
}

/** Remarks on listed tools that the host is known not to have. */
export function checkTools(
  definition: WorkflowDefinition,
  hostTools: readonly string[] | null,
): readonly Finding[] {
  if (hostTools === null) return checkAllHosts(definition)
  const known = new Set(hostTools)
  return Object.entries(definition.states).flatMap(([name, state]) =>
    (state.allowed_tools ?? []).flatMap((tool, index) => {
      if (known.has(tool)) return []
      const at = joinPointer('/states', name, 'allowed_tools', index)
      const message = `the host has no tool \`${tool}\``
      const hint = `it has ${hostTools.map((one) => `\`${one}\``).join(', ')}`
      return [finding('TOOL_UNKNOWN', at, { message, hint })]
    }),
  )
}

/** Without a host in particular: names that no host has, and no server could. */
function checkAllHosts(definition: WorkflowDefinition): readonly Finding[] {
  return Object.entries(definition.states).flatMap(([name, state]) =>
    (['allowed_tools', 'disallowed_tools'] as const).flatMap((field) =>
      (state[field] ?? []).flatMap((tool, index) => {
        if (isKnownToolName(tool)) return []
        const at = joinPointer('/states', name, field, index)
        const meant = nearestName(tool, knownToolNames)
        const message = `no host has a tool \`${tool}\``
        const hint =
          meant === undefined
            ? 'use the name that the host uses, or `mcp__server__tool` for one of a server'
            : `did you mean \`${meant}\`?`
        return [finding('TOOL_UNKNOWN', at, { message, hint })]
      }),
    ),
  )
}
