/**
 * Plays a case: compiles its definition, starts a run of it, sends each step and compares
 * what is seen. Pure: the clock is the case's own.
 */
import { compileDefinition } from '../core/dialects/compile-definition.ts'
import { viewMember } from '../core/dialects/run-view.ts'
import { type AgentSignal, toCommand } from '../core/dialects/to-command.ts'
import { readTree } from '../core/dialects/validate-tree.ts'
import type {
  Family,
  FamilyDecision,
  FamilyMember,
  Library,
  Recorded,
} from '../core/engine/family.ts'
import {
  commandFamily,
  mainOf,
  memberOfBranch,
  openLeaf,
  startFamily,
} from '../core/engine/family.ts'
import { needsWorkspace } from '../core/engine/needs-workspace.ts'
import { newSession } from '../core/engine/session-past.ts'
import type { Actor, Command, Reply } from '../core/engine/types.ts'
import type { FileChange } from '../core/evidence/meets-requirement.ts'
import type { Finding } from '../core/finding.ts'
import { hasErrors } from '../core/finding.ts'
import type { JsonObject } from '../core/json.ts'
import { linkMachine } from '../core/machine/check.ts'
import type { Machine, Policy } from '../core/machine/machine.ts'
import { microUsd } from '../core/money.ts'
import { compilePolicy } from '../core/policy/compile-policy.ts'
import { policySchema } from '../core/policy/schema.ts'
import type { Node } from '../core/source/source.ts'
import { member } from '../core/source/source.ts'
import { readCall } from '../core/tools/read-call.ts'
import type { Case, CaseStep } from './case-schema.ts'
import { compareCheck, compareStep, type Failure } from './compare-step.ts'
import type { Coverage } from './coverage.ts'
import { emptyCoverage, noteCoverage } from './coverage.ts'

export type CaseResult = {
  readonly id: string
  readonly title: string
  readonly level: 'must' | 'should'
  readonly ok: boolean
  readonly failures: readonly Failure[]
  /** What the definition has been found to have; with places in the case's own file. */
  readonly findings: readonly Finding[]
  /** Null when the definition never started. */
  readonly coverage: Coverage | null
  /** All that its runs recorded, and how they stand after the last step. */
  readonly log: readonly Recorded[]
  readonly family: Family | null
}

/** A case together with the trees of its definitions, which know their places. */
export type CaseSource = {
  readonly case: Case
  readonly definition: Node
  readonly definitions: ReadonlyMap<string, Node>
  /** The policy laid over the run; null: none. */
  readonly policy: Node | null
}

/** Inside an hour, a day and a month, as the format promises. */
const clockStart = Date.UTC(2026, 2, 11, 10, 30)

const agent: Actor = { kind: 'agent', name: 'agent' }
const system: Actor = { kind: 'system', name: 'pawl' }

/** The trees of a case's definitions, out of the tree of the case itself. */
export function caseSource(one: Case, node: Node, definition: Node | null): CaseSource {
  const others = member(node, 'definitions')
  const entries = others?.kind === 'object' ? others.members : []
  return {
    case: one,
    definition: definition ?? (member(node, 'definition') as Node),
    definitions: new Map(entries.map((entry) => [entry.key, entry.node])),
    policy: member(node, 'policy') ?? null,
  }
}

/** Plays one case to its end; every failure is told, not only the first. */
export function playCase(source: CaseSource): CaseResult {
  const { id, title } = source.case
  const level = source.case.level ?? 'must'
  const { machine, library, policies, findings } = compileAll(source)
  const check = compareCheck(source.case.check, findings)
  if (machine === null) {
    const failures = [...check.failures]
    if (!check.mayRefuse) failures.push(neverStarts(findings))
    const unplayed = { coverage: null, log: [], family: null }
    return { id, title, level, ok: failures.length === 0, failures, findings, ...unplayed }
  }
  const { failures, ...played } = playSteps(source.case, { machine, library, policies })
  const all = [...check.failures, ...failures]
  return { id, title, level, ok: all.length === 0, failures: all, findings, ...played }
}

function neverStarts(findings: readonly Finding[]): Failure {
  const errors = findings.filter((one) => one.severity === 'error')
  const actual = errors.map((one) => `${one.code} at ${one.pointer}: ${one.message}`)
  return { step: null, path: 'definition', expected: 'a definition that starts', actual }
}

type Compiled = {
  readonly machine: Machine | null
  readonly library: Library
  readonly policies: readonly Policy[]
  readonly findings: readonly Finding[]
}

function compileAll(source: CaseSource): Compiled {
  const options = { hostTools: source.case.tools?.map((tool) => tool.name) ?? null }
  const main = compileDefinition(source.definition, options)
  const findings = [...main.findings]
  const machines = new Map<string, Machine>()
  for (const [name, node] of source.definitions) {
    const compiled = compileDefinition(node, options)
    findings.push(...compiled.findings.filter((one) => one.severity === 'error'))
    const first = compiled.machines[0]
    if (first !== undefined) machines.set(name, first)
  }
  const machine = main.machines[0] ?? null
  for (const task of main.machines) if (!machines.has(task.name)) machines.set(task.name, task)
  const library: Library = (name) => machines.get(name)
  if (machine !== null) findings.push(...linkMachine(machine, library, [...machines.keys()]))
  const policies = layPolicy(source.policy, findings)
  return { machine: hasErrors(findings) ? null : machine, library, policies, findings }
}

/** The case's policy, as an operator lays it over a run; what is wrong with it is a finding. */
function layPolicy(node: Node | null, findings: Finding[]): readonly Policy[] {
  if (node === null) return []
  const read = readTree(policySchema, node)
  findings.push(...read.findings)
  return read.value === null ? [] : [compilePolicy(read.value, '/policy', 'case')]
}

type Stage = {
  readonly machine: Machine
  readonly library: Library
  readonly policies: readonly Policy[]
}

type Played = {
  readonly failures: readonly Failure[]
  readonly coverage: Coverage
  readonly log: readonly Recorded[]
  readonly family: Family
}

function playSteps(one: Case, { machine, library, policies }: Stage): Played {
  const failures: Failure[] = []
  const stage = one.start?.stage ?? null
  const vars = (one.start?.vars ?? {}) as JsonObject
  let at = clockStart
  const started = startFamily(
    { runId: 'case', machine },
    { type: 'StartRun', stage, vars, branch: null },
    { library, at, actor: agent, policies },
  )
  let coverage = noteCoverage(emptyCoverage(machine), ownRecord(started, machine))
  if (started.reply.kind === 'refused') {
    const { code, reason } = started.reply
    failures.push({
      step: null,
      path: 'start',
      expected: 'a run that starts',
      actual: `${code}: ${reason}`,
    })
    return { failures, coverage, log: started.recorded, family: started.family }
  }
  let family = started.family
  let files: CaseFiles = { version: 0, changes: [] }
  let before: readonly Recorded[] = started.recorded
  const log = [...started.recorded]
  for (const [index, step] of one.steps.entries()) {
    at += waitOf(step)
    if ('change' in step) files = withChanges(files, [step.change], at)
    const answered = sendStep(family, step, {
      library,
      policies,
      at,
      workspace: one.workspace ?? '/workspace',
      files,
    })
    family = answered.family
    files = withChanges(files, editedIn(answered.recorded), at)
    log.push(...answered.recorded)
    // What the start recorded belongs to a look in front of everything else.
    const recorded = index === 0 && 'look' in step ? before : answered.recorded
    before = []
    coverage = noteCoverage(coverage, ownRecord(answered, machine))
    const addressed = addressOf(family, step)
    failures.push(
      ...compareStep({
        step,
        index,
        reply: answered.reply,
        recorded,
        view: viewMember(family, addressed),
      }),
    )
  }
  return { failures, coverage, log, family }
}

/** The files of a case: nobody reads them, and every change makes them others. */
type CaseFiles = { readonly version: number; readonly changes: readonly FileChange[] }

function withChanges(files: CaseFiles, paths: readonly string[], at: number): CaseFiles {
  if (paths.length === 0) return files
  const changes = paths.map((path) => ({ path, at }))
  return { version: files.version + 1, changes: [...changes, ...files.changes] }
}

function editedIn(recorded: readonly Recorded[]): readonly string[] {
  return recorded.flatMap(({ event }) => (event.type === 'call.reported' ? event.edited : []))
}

/** What runs of this machine recorded; an invoked one walks its own stages. */
function ownRecord({ family, recorded }: FamilyDecision, machine: Machine): readonly Recorded[] {
  const own = family.members.filter((member) => member.machine.hash === machine.hash)
  const ids = new Set(own.map((member) => member.runId))
  return recorded.filter((one) => ids.has(one.runId))
}

function addressOf(family: Family, step: CaseStep): FamilyMember {
  const named = step.run === undefined ? undefined : memberOfBranch(family, step.run)
  return named ?? mainOf(family)
}

type Situation = {
  readonly library: Library
  readonly policies: readonly Policy[]
  readonly at: number
  readonly workspace: string
  readonly files: CaseFiles
}

function sendStep(family: Family, step: CaseStep, situation: Situation): FamilyDecision {
  const { library, policies, at, workspace, files } = situation
  const nothing: FamilyDecision = { family, reply: { kind: 'accepted' }, recorded: [], effects: [] }
  const branch = step.run ?? null
  if (branch !== null && memberOfBranch(family, branch) === undefined) {
    return { ...nothing, reply: unknownRun(branch) }
  }
  if ('look' in step || 'wait' in step || 'change' in step) return nothing
  const leaf = openLeaf(family, addressOf(family, step))
  const { command, actor } = commandOf(step, leaf.machine, workspace)
  const isAsked = needsWorkspace(family, { command, branch }, policies)
  const { version, changes } = files
  const seen = isAsked
    ? { workspace: { folder: workspace, fingerprint: `v${version}`, changes } }
    : {}
  const context = { library, at, actor, policies, session: newSession, ...seen }
  return commandFamily(family, { command, branch }, context)
}

function unknownRun(name: string): Reply {
  const reason = `no branch \`${name}\` is open`
  return { kind: 'refused', code: 'BRANCH_UNKNOWN', reason, hint: '' }
}

type ActorCommand = { readonly command: Command; readonly actor: Actor }
type Acting = Exclude<CaseStep, { look: unknown } | { wait: unknown } | { change: unknown }>

function commandOf(step: Acting, machine: Machine, workspace: string): ActorCommand {
  if ('call' in step) {
    const spoken = { tool: step.call.tool, input: (step.call.input ?? {}) as JsonObject }
    return {
      command: { type: 'CheckCall', call: readCall(spoken, { machine, workspace }) },
      actor: agent,
    }
  }
  if ('report' in step) {
    const isJob = step.report.seen_by === 'job'
    return { command: reportOf(step.report), actor: isJob ? system : agent }
  }
  if ('approve' in step || 'refuse' in step) {
    const granted = 'approve' in step
    const { by, note } = granted ? step.approve : step.refuse
    const command = {
      type: 'ResolveApproval',
      approvalId: null,
      granted,
      note: note ?? '',
    } as const
    return { command, actor: actorOf(by ?? 'person') }
  }
  if ('pause' in step) {
    const command = { type: 'PauseRun', release: step.pause.release ?? false } as const
    return { command, actor: actorOf(step.pause.by ?? 'agent') }
  }
  if ('resume' in step) {
    return { command: { type: 'ResumeRun' }, actor: actorOf(step.resume.by ?? 'agent') }
  }
  if ('force' in step) {
    const vars = (step.force.vars ?? {}) as JsonObject
    const command = { type: 'ForceStage', stage: step.force.stage, vars } as const
    return { command, actor: actorOf(step.force.by ?? 'person') }
  }
  return { command: toCommand(machine, utteranceOf(step)), actor: agent }
}

type Speaking = Extract<CaseStep, { signal: unknown } | { answer: unknown } | { submit: unknown }>

function utteranceOf(step: Speaking): AgentSignal {
  if ('signal' in step) {
    const data = (step.data ?? null) as JsonObject | null
    return { kind: 'signal', name: step.signal, data }
  }
  if ('answer' in step) return { kind: 'answer', answer: step.answer, stage: step.stage ?? null }
  return { kind: 'submit', inputs: step.submit as JsonObject, goTo: step.go_to_step ?? null }
}

function reportOf(report: Extract<CaseStep, { report: unknown }>['report']): Command {
  return {
    type: 'ReportCall',
    callId: null,
    grade: report.seen_by ?? 'host',
    report: {
      ok: report.ok ?? true,
      output: outputOf(report.output),
      exitCode: report.exit_code ?? null,
      bytes: report.bytes ?? null,
      costMicroUsd: microUsd(report.cost_usd ?? 0),
    },
  }
}

/** A result that the author wrote as a value is what a tool would print: its JSON. */
function outputOf(output: unknown): string | null {
  if (output === undefined || output === null) return null
  return typeof output === 'string' ? output : JSON.stringify(output)
}

function actorOf(by: string): Actor {
  return by === 'agent' ? agent : { kind: 'person', name: by }
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function waitOf(step: CaseStep): number {
  if (!('wait' in step)) return 0
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(step.wait) ?? []
  return Number(count ?? 0) * units[(unit ?? 'ms') as keyof typeof units]
}
