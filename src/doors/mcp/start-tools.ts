/** Tools that list definitions, start or resume a run, and check a new definition. */
import { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'
import { isOpen, openStatuses } from '../../runtime/runs/open-statuses.ts'
import { PawlProblem, problem, problemOfRefusal } from '../api/problem.ts'
import type { ToolCaller } from './caller-mark.ts'
import { definitionFor, definitionsFor } from './definitions.ts'
import type { RunPlace } from './resolve-run.ts'
import { runSummaryText } from './run-summary.ts'
import { jsonObjectShape, sendCommand, signalOutcomeSchema } from './signal-tools.ts'
import { readPlace, type ToolContext, tool } from './tool-context.ts'
import type { ToolResult } from './tool-result.ts'

const nameText = z.string().min(1).max(500)
const listMax = 500

export const listTool = tool({
  name: 'list_workflows',
  title: 'List workflows',
  description: 'List the Pawl workflows, checklists and forms that can be loaded here.',
  input: z.strictObject({}),
  more: {
    workflows: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, dialect: { type: 'string' } },
        required: ['name', 'dialect'],
      },
    },
  },
  effect: 'looks',
  run: async (context, { who }) => {
    const workflows = await definitionsFor(context)
    const place = context.places.own(who)
    const reading = place === null ? null : await readPlace(context, place)
    const lines = workflows.map(({ name, dialect }) => `${name} (${dialect})`)
    const list = lines.length === 0 ? 'There are none; a person has to add one.' : lines.join('\n')
    const active =
      reading === null ? '' : `\n\nLoaded: ${reading.view.name}, ${reading.view.status}.`
    return { reading, text: `${list}${active}`, more: { workflows } }
  },
})

/** What runs of a definition are called. */
async function runNamesOf(context: ToolContext, name: string): Promise<readonly string[]> {
  return (await definitionFor(context, name))?.tasks ?? [name]
}

const loadInput = z.strictObject({
  name: nameText.describe('a name from list_workflows'),
  task: nameText.optional().describe("one of the form's tasks"),
  resume: z.boolean().optional().describe('continue its open run, if there is one'),
  branch: nameText.optional().describe('work on this branch of its open fork'),
})

type Load = z.output<typeof loadInput>

export const loadTool = tool({
  name: 'load_workflow',
  title: 'Load a workflow',
  description:
    'Start a Pawl run of a Pawl workflow, checklist or form. Its rules then apply to your tool ' +
    'calls. With `resume`, continue the open run.',
  input: loadInput,
  more: { resumed: { type: 'boolean' }, ...signalOutcomeSchema },
  effect: 'moves',
  run: async (context, { who, input }) => {
    const { resume = false, branch } = input
    const place = branch === undefined && !resume ? null : await openRunOf(context, who, input)
    if (branch !== undefined) return takeBranch(context, who, { place, branch })
    if (place !== null) return resumeRun(context, who, place)
    await refuseSecond(context, who)
    return begin(context, who, input)
  },
})

/**
 * The caller's run, else the latest one here that is open, if it is one of this definition. A
 * session has it from then on.
 */
async function openRunOf(
  context: ToolContext,
  who: ToolCaller,
  { name, branch }: Load,
): Promise<RunPlace | null> {
  const names = await runNamesOf(context, name)
  const mine = context.places.own(who)
  if (mine !== null) {
    const { head } = await readPlace(context, mine)
    if (isOpen(head.status) && names.includes(head.definition)) return mine
  }
  // WHY: a branch is part of what the hook holds a session to, which is the run of the session.
  if (branch !== undefined && who.session !== null) return null
  const statuses = [...openStatuses]
  const { workspace } = context
  const { items } = await context.link.ask('runs.list', { workspace, statuses, limit: listMax })
  const found = items.filter((one) => names.includes(one.definition)).map(({ id }) => id)
  if (who.session !== null && found.length > 0) await refuseSecond(context, who)
  const runId = who.session === null ? found[0] : await claimOne(context, who.session, found)
  return runId === undefined ? null : { runId, branch: null }
}

/** Runs that a session tries to have. */
const claimsMax = 50

/** The first run that no other session has. Problem `NOT_PERMITTED`: there are only others. */
async function claimOne(
  { link }: ToolContext,
  session: string,
  runIds: readonly string[],
): Promise<string | undefined> {
  let why: PawlProblem | null = null
  for (const runId of runIds.slice(0, claimsMax)) {
    try {
      return (await link.ask('runs.claim', { runId, session })).runId
    } catch (fault) {
      if (!(fault instanceof PawlProblem) || fault.code !== 'NOT_PERMITTED') throw fault
      why ??= fault
    }
  }
  if (why !== null) throw why
  return undefined
}

async function takeBranch(
  context: ToolContext,
  who: ToolCaller,
  { place, branch }: { readonly place: RunPlace | null; readonly branch: string },
): Promise<ToolResult> {
  const branches = place === null ? {} : (await readPlace(context, place)).view.branches
  if (place === null || branches[branch] === undefined) {
    const names = Object.keys(branches).map((one) => `\`${one}\``)
    const isOthers = place === null && who.session !== null
    const none = isOthers ? 'you have no run of it' : 'no fork is open'
    const hint = names.length === 0 ? none : `open branches: ${names.join(', ')}`
    const reason = `there is no open branch \`${branch}\``
    const refusal = { kind: 'refused', code: 'BRANCH_UNKNOWN', reason, hint } as const
    throw new PawlProblem(problemOfRefusal(refusal))
  }
  const mine = { runId: place.runId, branch }
  const reading = await readPlace(context, mine)
  context.places.keep(who, mine)
  return { reading, text: runSummaryText(reading, context), more: { resumed: true } }
}

async function resumeRun(
  context: ToolContext,
  who: ToolCaller,
  place: RunPlace,
): Promise<ToolResult> {
  const { runId } = place
  const before = await readPlace(context, place)
  const told =
    before.head.status === 'paused'
      ? await sendCommand(context, place, (commandId) =>
          context.link.ask('runs.resume', { runId }, { commandId }),
        )
      : { reading: before, text: runSummaryText(before, context) }
  context.places.keep(who, place)
  return { ...told, more: { ...told.more, resumed: true } }
}

/** WHY: a second workflow with wider rules would be the way around those of the first. */
async function refuseSecond(context: ToolContext, who: ToolCaller): Promise<void> {
  const mine = context.places.own(who)
  if (mine === null) return
  const { head, view } = await readPlace(context, mine)
  if (!isOpen(head.status)) return
  throw new PawlProblem(
    problem('RUN_EXISTS', {
      detail: `\`${head.definition}\` is already loaded and ${view.status} in \`${view.stage}\``,
      hint: `continue it (\`resume: true\`), or ask a person to run \`pawl cancel ${head.id}\``,
    }),
  )
}

async function begin(context: ToolContext, who: ToolCaller, input: Load): Promise<ToolResult> {
  const { name: definition, task } = input
  const { workspace, link } = context
  const { session } = who
  const vars = await carriedVars(context, who, definition)
  const wish = { definition, workspace, vars, ...(task === undefined ? {} : { task }) }
  const told = await sendCommand(context, null, (commandId) => {
    if (session === null) return link.ask('runs.start', wish, { commandId })
    const whole = { ...wish, session }
    return link.ask('runs.start', whole, { commandId }).catch((fault: unknown) => {
      // An older daemon does not know that runs belong to sessions.
      if (!isUnknownField(fault, 'session')) throw fault
      return link.ask('runs.start', wish, { commandId })
    })
  }).catch((fault: unknown) => tellDraft(context, definition, fault))
  const runId = told.reading?.head.id
  if (runId !== undefined) context.places.keep(who, { runId, branch: null })
  return { ...told, more: { ...told.more, resumed: false } }
}

/** A definition that nobody knows may wait for a person. */
async function tellDraft({ link }: ToolContext, name: string, fault: unknown): Promise<never> {
  if (!(fault instanceof PawlProblem) || fault.code !== 'DEFINITION_UNKNOWN') throw fault
  const { items } = await link.ask('drafts.list', {})
  const draft = items.find((one) => one.name === name || one.id === name)
  if (draft === undefined) throw fault
  throw new PawlProblem({
    ...fault.problem,
    detail: `\`${draft.name}\` is a draft and waits for a person`,
    hint: `ask a person to run \`pawl definitions activate ${draft.id}\`, then load it again`,
  })
}

/** Characters of variables that a form hands on to the next one. */
const carriedCharsMax = 200_000

/**
 * What a form begins with: the global variables of the form before it in this conversation.
 * WHY only between forms: in a workflow a value is evidence, and has to be earned there.
 */
async function carriedVars(
  context: ToolContext,
  who: ToolCaller,
  next: string,
): Promise<JsonObject> {
  const last = context.places.own(who)
  if (last === null) return {}
  const { view } = await readPlace(context, last)
  const { dialect, vars } = view
  if (dialect !== 'steps' || JSON.stringify(vars).length > carriedCharsMax) return {}
  return (await definitionFor(context, next))?.dialect === 'steps' ? vars : {}
}

function isUnknownField(fault: unknown, name: string): boolean {
  if (!(fault instanceof PawlProblem) || fault.code !== 'REQUEST_INVALID') return false
  return fault.detail.includes(`"${name}"`)
}

const definitionInput = z.strictObject({
  name: nameText.optional().describe('its name; default: the one in the definition'),
  definition: jsonObjectShape.optional().describe('the definition as a value'),
  source: z.string().optional().describe('the same as text, JSON or YAML'),
  overwrite: z.boolean().optional().describe('no effect: a draft changes nothing until activated'),
})

export const createTool = tool({
  name: 'create_workflow',
  title: 'Draft a workflow',
  description:
    'Check a definition that you wrote: returns errors and warnings. Without errors it is stored ' +
    'as a draft, which a person can activate.',
  input: definitionInput,
  more: {
    findings: { type: 'array', items: { type: 'object' } },
    draft: { type: 'string', description: 'id of the draft, for `pawl definitions activate`' },
  },
  effect: 'moves',
  run: async (context, { input }) => {
    const offer = await offerOf(input)
    const { draft, findings } = await context.link.ask('drafts.create', offer).catch(tellFindings)
    const text = [
      `\`${draft.name}\` has no errors and waits as a draft. A person has to activate it with ` +
        `\`pawl definitions activate ${draft.id}\`; then it can be loaded.`,
      ...linesOf(findings),
    ].join('\n')
    const told = findings.map((one) => ({ ...one }))
    return { reading: null, text, more: { findings: told, draft: draft.id } }
  },
})

type NewDefinition = z.output<typeof definitionInput>

/** WHY the name is put in: by it the agent loads it, whatever the definition calls itself. */
async function offerOf({ name, definition, source }: NewDefinition) {
  if (name === undefined || (definition === undefined) === (source === undefined)) {
    return {
      ...(definition === undefined ? {} : { definition }),
      ...(source === undefined ? {} : { source }),
    }
  }
  // WHY loaded here: few calls need what reads definitions.
  const { renameDefinition } = await import('../../core/dialects/rename-definition.ts')
  return { source: renameDefinition(source ?? JSON.stringify(definition, null, 2), name) }
}

/** A refusal says in words what is wrong, and where. */
function tellFindings(fault: unknown): never {
  const findings = fault instanceof PawlProblem ? fault.problem.findings : undefined
  if (!(fault instanceof PawlProblem) || findings === undefined) throw fault
  throw new PawlProblem({ ...fault.problem, hint: linesOf(findings).join('\n') })
}

type Findings = NonNullable<PawlProblem['problem']['findings']>

function linesOf(findings: Findings): readonly string[] {
  return findings
    .slice(0, linesMax)
    .map((one) => `${one.severity} ${one.code} at ${one.pointer || '/'}: ${one.message}`)
}

/** Remarks that are told in words; all of them are among the values. */
const linesMax = 50
