/**
 * The help text of a verb, in one layout for all verbs. Knows texts only.
 */
import { wrap } from './play/styled-text.ts'

type HelpOption = readonly [option: string, about: string]

export type VerbHelp = {
  /** Command lines, without `pawl`; a subcommand is the lower-case word behind the verb. */
  readonly usage: readonly string[]
  /** Paragraphs between the usage and the options, printed as they are. */
  readonly about?: string
  readonly options?: readonly HelpOption[]
  /** Paragraphs after the options, printed as they are. */
  readonly notes?: string
  /** Command lines that work, without `pawl`. */
  readonly examples: readonly string[]
  readonly exits: Readonly<Record<number, string>>
}

const columns = 80
/** Options up to this width have their text beside them, longer ones below. */
const optionWidthMax = 22

/** The whole text of `pawl VERB --help`. */
export function helpText(name: string, summary: string, help: VerbHelp): string {
  const { usage, about, options = [], notes, examples, exits } = help
  const parts = [
    `pawl ${name}: ${summary}`,
    section('Usage', usage.map(commandLine)),
    about?.trim(),
    options.length === 0 ? undefined : section('Options', optionLines(options)),
    notes?.trim(),
    section('Examples', examples.map(commandLine)),
    section('Exit codes', Object.entries(exits).flatMap(exitLines)),
  ]
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines].join('\n')
}

function commandLine(text: string): string {
  return `  pawl ${text}`
}

function optionLines(options: readonly HelpOption[]): string[] {
  const widths = options.map(([option]) => option.length).filter((one) => one <= optionWidthMax)
  const indent = Math.max(...widths) + 4
  return options.flatMap(([option, about]) => {
    const lines = wrap(about, columns - indent).map((line) => ' '.repeat(indent) + line)
    if (option.length > optionWidthMax) return [`  ${option}`, ...lines]
    const [first = '', ...rest] = lines
    return [`  ${option}`.padEnd(indent) + first.slice(indent), ...rest]
  })
}

function exitLines([code, meaning]: readonly [string, string]): string[] {
  return wrap(meaning, columns - 5).map((line, at) => `  ${at === 0 ? code : ' '}  ${line}`)
}

/** The subcommands of a verb, as its usage names them. */
export function subcommandsOf({ usage }: VerbHelp): readonly string[] {
  return [...new Set(usage.flatMap((line) => /^\S+ \[?([a-z]+)\b/.exec(line)?.[1] ?? []))]
}

/** The names of the options of a verb: `--json`. */
export function optionsOf({ options = [] }: VerbHelp): readonly HelpOption[] {
  return options.map(([option, about]) => [option.split(' ')[0] ?? '', about])
}
