/**
 * Findings about what stages permit: open stages, power gained without approval, commands that can
 * run anything.
 * Knows tool rules and gates. Must not know how a call is judged.
 */
import { type Finding, finding } from '../finding.ts'
import { whyDead, whyTooBroad } from './check-commands.ts'
import { type CheckContext, isOpenEnded, stageOf } from './check-context.ts'
import type { Edge } from './graph.ts'
import { reachableFrom } from './graph.ts'
import { quotedList } from './name-suggestions.ts'
import { type Power, powerOfRule, powers, powerWords } from './tool-power.ts'

/**
 * OPEN_STAGE: every tool may be used there.
 * WHY: not for a process or a form. There, all tools is the documented default, and what they may
 *      do is the policy's business; the finding would stand beside every stage. For the same
 *      reason it is left out where a policy denies whatever it does not name.
 */
export function checkOpenStages(survey: CheckContext): readonly Finding[] {
  const { machine } = survey
  if (machine.dialect !== 'workflow' || machine.policy?.otherwise === 'deny') return []
  return Object.values(machine.stages).flatMap((stage) => {
    const { allow, deny, among } = stage.rule.tools
    if (stage.final !== null || allow !== 'all' || among !== null) return []
    const but = deny.length === 0 ? '' : ` except ${quotedList(deny)}`
    const message = `every tool${but} may be used in \`${stage.name}\``
    const hint = `list the tools that \`${stage.name}\` needs; an empty list allows none`
    return [finding('OPEN_STAGE', stage.origin, { message, hint })]
  })
}

/**
 * ESCALATION_UNGATED: in dangerous work, a way from reading to more, that no person approves.
 * A stage that permits no tool only passes the agent on: what counts is where it came from
 * without a gate. A detour is left out: only an edit begins one, so that it gains nothing.
 */
export function checkEscalation(survey: CheckContext): readonly Finding[] {
  const { machine, names, index } = survey
  if (machine.danger === 'safe') return []
  const own = new Set(machine.ownTools)
  const power = new Map<string, Power>()
  for (const stage of Object.values(machine.stages)) {
    // A final stage ends the run: what it would permit is nobody's gain.
    const isFinal = stage.final !== null
    power.set(stage.name, isFinal ? powers.none : powerOfRule(stage.rule, own))
  }
  const isCalm = (name: string | null) => (power.get(name ?? '') ?? powers.none) <= powers.read
  const ungated = survey.edges.filter((edge) => {
    return !edge.hasGate && edge.kind !== 'detour' && isOpenEnded(survey, edge.from)
  })
  const links: number[][] = names.map(() => [])
  for (const { from, to } of ungated) {
    const target = index.get(to ?? '')
    if (target === undefined || !isCalm(from) || !isCalm(to)) continue
    links[index.get(from ?? '') ?? -1]?.push(target)
  }
  const seeds = names.flatMap((name, node) => {
    const isFirst = name === machine.initial && isCalm(name)
    return isFirst || power.get(name) === powers.read ? [node] : []
  })
  const isExposed = reachableFrom(links, seeds)
  return ungated.flatMap((edge) => {
    if (!isCalm(edge.from) || !isExposed[index.get(edge.from ?? '') ?? -1]) return []
    const gained = edge.kind === 'named' ? mostPowerful(power) : power.get(edge.to ?? '')
    return gained === undefined || gained <= powers.read ? [] : [escalation(edge, gained)]
  })
}

function mostPowerful(power: ReadonlyMap<string, Power>): Power {
  let most: Power = powers.none
  for (const one of power.values()) if (one > most) most = one
  return most
}

function escalation(edge: Edge, gained: Power): Finding {
  const when = edge.signal === null ? '' : ` on \`${edge.signal}\``
  const where = edge.to === null ? 'any other' : `\`${edge.to}\``
  const message =
    `\`${edge.from}\` leads${when} to ${where}, where the agent can ${powerWords[gained]}, ` +
    'and no approval is required'
  const hint = 'require approval for this route, or remove the tool'
  return finding('ESCALATION_UNGATED', edge.origin, { message, hint })
}

/**
 * COMMAND_TOO_BROAD: an entry of a command list that can run any other command.
 * COMMAND_NEVER_MATCHES: one that is written so that it allows nothing.
 */
export function checkCommands(survey: CheckContext): readonly Finding[] {
  return survey.names.flatMap((name) => {
    const stage = stageOf(survey, name)
    if (stage === undefined) return []
    return (stage.rule.commands ?? []).flatMap((command) => {
      const place = { pointer: stage.origin, saying: command }
      const broad = whyTooBroad(command)
      if (broad !== null) {
        const message = `\`${name}\` allows \`${command}\`, which can run anything: ${broad}`
        const hint = 'write more of the command, e.g. the script or the subcommand'
        return [finding('COMMAND_TOO_BROAD', place, { message, hint })]
      }
      const dead = whyDead(command)
      if (dead === null) return []
      const none = dead.isLiteral ? 'no command but itself' : 'no command'
      const message = `\`${name}\` lists \`${command}\`, which matches ${none}: ${dead.why}`
      return [finding('COMMAND_NEVER_MATCHES', place, { message, hint: dead.hint })]
    })
  })
}
