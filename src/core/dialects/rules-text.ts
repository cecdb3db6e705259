/**
 * The rules of a stage as short text: one line for each kind of rule that exists, long lists cut.
 * The complete lists are in the data (`rules` of a view).
 */
import type { AgentHostId } from '../hosts/registry.ts'
import { usdText } from '../money.ts'
import { windowText } from '../policy/limits.ts'
import { lookingText, spellTools } from '../tools/spell-tools.ts'
import { paragraphs } from './presentation.ts'
import type { BudgetLeft, Remaining, RuleSummary } from './rule-summary.ts'

/** Entries of one list that are told, and their characters; the rest is counted. */
const listedMax = 12
const listCharsMax = 300

/** One kind of rule: `commands`, and what is to be said about them. */
type RuleLine = { readonly label: RuleLabel; readonly text: string }
type RuleLabel =
  | 'tools'
  | 'commands'
  | 'variables'
  | 'files'
  | 'limits'
  | 'rates'
  | 'mail'
  | 'jobs'
  | 'budget'

/** A line for each kind of rule that exists; tools as a host offers them, where one is known. */
export function ruleLines(rules: RuleSummary, host: AgentHostId | null = null): RuleLine[] {
  const lines: readonly RuleLine[] = [
    { label: 'tools', text: toolsText(rules, host) },
    { label: 'commands', text: commandsText(rules, host) },
    { label: 'variables', text: variablesText(rules) },
    { label: 'files', text: pathsText(rules) },
    { label: 'limits', text: limitsText(rules) },
    { label: 'rates', text: ratesText(rules) },
    { label: 'mail', text: mailText(rules) },
    { label: 'jobs', text: isolationText(rules) },
    { label: 'budget', text: listText(rules.budgets.map(budgetLeftText)) },
  ]
  return lines.filter(({ text }) => text !== '')
}

/** All of them as one text. */
export function rulesText(rules: RuleSummary, host: AgentHostId | null = null): string {
  const lines = ruleLines(rules, host).map(
    ({ label, text }) => `${label.charAt(0).toUpperCase()}${label.slice(1)}: ${text}.`,
  )
  return lines.join('\n')
}

/** The author's words and the rules below them. */
export function withRules(words: string, rules: RuleSummary): string {
  return paragraphs([words, rulesText(rules)])
}

type Briefed = { readonly brief: string; readonly rules: RuleSummary }

/** A brief without the rules at its end: for whoever shows them apart. */
export function briefWithoutRules({ brief, rules }: Briefed): string {
  const end = rulesText(rules)
  return end !== '' && brief.endsWith(end) ? brief.slice(0, -end.length).trimEnd() : brief
}

function toolsText(
  { tools, toolsDenied, toolsAmong }: RuleSummary,
  host: AgentHostId | null,
): string {
  const except = listText(spellTools(toolsDenied, host).names)
  if (tools === 'all') return except === '' ? '' : `all except ${except}`
  const spelled = spellTools(tools, host)
  const names = spelled.names.length === 0 ? 'none' : listText(spelled.names)
  const among = toolsAmong === null ? '' : ` among ${toolsAmong.map(any).join(', ')}`
  const looking = lookingText(spelled, host)
  return [`${names}${among}`, looking, except === '' ? '' : `never ${except}`]
    .filter((part) => part !== '')
    .join('; ')
}

function any(beginning: string): string {
  return `${beginning}*`
}

function commandsText(rules: RuleSummary, host: AgentHostId | null): string {
  const { programsDenied } = rules
  const never = programsDenied.length === 0 ? '' : `never ${listText(programsDenied.map(quoted))}`
  return [listedCommandsText(rules, host), never].filter((part) => part !== '').join('; ')
}

function listedCommandsText(
  { commands, commandTool }: RuleSummary,
  host: AgentHostId | null,
): string {
  if (commands === null) return ''
  const names = commands.length === 0 ? 'none' : `only ${listText(commands.map(quoted))}`
  const [tool = commandTool] = spellTools([commandTool], host).names
  return commandTool === 'Bash' ? names : `${names} with ${tool}`
}

function variablesText({ envBlocked, envSet }: RuleSummary): string {
  const parts = [
    envBlocked.length === 0 ? '' : `${listText(envBlocked)} blocked`,
    envSet.length === 0 ? '' : `${listText(envSet)} set for you`,
  ]
  return parts.filter((part) => part !== '').join('; ')
}

function pathsText({ paths }: RuleSummary): string {
  if (paths === null) return ''
  const parts = [
    'only in the workspace',
    paths.read.length === 0 ? '' : `may also read ${listText(paths.read.map(quoted))}`,
    paths.write.length === 0 ? '' : `may also write ${listText(paths.write.map(quoted))}`,
  ]
  return parts.filter((part) => part !== '').join('; ')
}

function limitsText(rules: RuleSummary): string {
  const { calls, runCalls, files, editLinesMax, filesWritable, bytes } = rules
  const parts: string[] = []
  if (filesWritable !== null) parts.push(writableText(filesWritable))
  if (calls !== null) parts.push(`${leftText(calls)} calls left here`)
  if (runCalls !== null) parts.push(`${leftText(runCalls)} calls left in the run`)
  if (files !== null) {
    const { max, changed } = files
    const left = { left: Math.max(0, max - changed.length), max }
    const which = changed.length === 0 ? '' : ` (changed: ${listText(changed.map(quoted))})`
    parts.push(`${leftText(left)} files left to change${which}`)
  }
  if (editLinesMax !== null) parts.push(`at most ${editLinesMax} lines per edit`)
  if (bytes !== null) parts.push(`${leftText(bytes)} bytes of results left`)
  return parts.join(', ')
}

/** Which files may be changed: those that match, without the excluded ones. */
export function writableText(patterns: readonly string[]): string {
  const allowed = patterns.filter((one) => !one.startsWith('!')).map(quoted)
  const excluded = patterns.filter((one) => one.startsWith('!')).map((one) => quoted(one.slice(1)))
  const which =
    allowed.length === 0 ? 'may change any file' : `may change only ${listText(allowed)}`
  return excluded.length === 0 ? which : `${which}, except ${listText(excluded)}`
}

function leftText({ left, max }: Remaining): string {
  return `${left} of ${max}`
}

function ratesText({ rates }: RuleSummary): string {
  const texts = rates.map(({ capability, windowMs, ...rate }) => {
    return `${capability} ${leftText(rate)} calls left in ${windowText(windowMs)}`
  })
  return listText(texts)
}

function mailText({ mail }: RuleSummary): string {
  if (mail === null) return ''
  const { mailsMax, from, to } = mail
  const parts = [
    mailsMax === null ? '' : `at most ${mailsMax} in the run`,
    from === null ? '' : `from ${from.length === 0 ? 'nobody' : listText(from)}`,
    to === null ? '' : `to ${to.length === 0 ? 'nobody' : listText(to)}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

function isolationText({ minIsolation }: RuleSummary): string {
  if (minIsolation === null) return ''
  return minIsolation === 'full' ? 'isolation full' : `isolation ${minIsolation} or stronger`
}

function budgetLeftText({ of, period, spentMicroUsd, maxMicroUsd }: BudgetLeft): string {
  const left = usdText(Math.max(0, maxMicroUsd - spentMicroUsd))
  const whose = period === 'run' ? `the run of ${of}` : `${of}, ${period}`
  return `${left} of ${usdText(maxMicroUsd)} left for ${whose}`
}

/** Names in a row; where there are too many, it is said where all of them are. */
function listText(names: readonly string[]): string {
  let shown = 0
  let chars = 0
  for (const name of names) {
    chars += name.length + 2
    if (shown > 0 && (shown === listedMax || chars > listCharsMax)) break
    shown += 1
  }
  const more = names.length - shown
  const text = names.slice(0, shown).map(shortened).join(', ')
  return more === 0 ? text : `${text}, … (the state of the run lists all ${names.length})`
}

/** One entry must not fill the whole line. */
function shortened(text: string): string {
  return text.length <= listCharsMax ? text : `${text.slice(0, listCharsMax)}…`
}

function quoted(text: string): string {
  return `\`${text}\``
}
