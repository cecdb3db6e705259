/**
 * `pawl completion`: completion scripts for shells, made from the table of verbs and their help.
 */
import { optionsOf, subcommandsOf, type VerbHelp } from '../help.ts'
import type { Io, Verb, VerbEntry } from '../io.ts'
import { oneWord, readOptions, refuseMore, usage } from '../options.ts'

const help: VerbHelp = {
  usage: ['completion bash', 'completion zsh', 'completion fish'],
  about: `\
Completes commands, subcommands, options and file names. Add one line to the
settings of your shell:
  bash  eval "$(pawl completion bash)"      in ~/.bashrc
  zsh   eval "$(pawl completion zsh)"       in ~/.zshrc, after compinit
  fish  pawl completion fish | source       in ~/.config/fish/config.fish`,
  examples: ['completion bash', 'completion fish > ~/.config/fish/completions/pawl.fish'],
  exits: { 0: 'printed', 2: 'usage error' },
}

/** The verb; it is given the table that it stands in. */
export const completionVerb = (verbs: readonly VerbEntry[]): Verb => ({
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files } = readOptions('completion', args, {})
    const [name] = files
    if (name === undefined) throw usage('completion', 'name a shell: bash, zsh or fish')
    refuseMore('completion', files, 1)
    const shell = oneWord('completion', name, ['bash', 'zsh', 'fish'])
    io.out(scripts[shell](await entriesOf(verbs)))
    return 0
  },
})

type Entry = {
  readonly name: string
  readonly summary: string
  readonly subcommands: readonly string[]
  readonly options: ReturnType<typeof optionsOf>
}

async function entriesOf(verbs: readonly VerbEntry[]): Promise<readonly Entry[]> {
  const shown = verbs.filter(({ isInternal }) => isInternal !== true)
  return Promise.all(
    shown.map(async ({ name, summary, load }) => {
      const loaded = (await load()).help
      return { name, summary, subcommands: subcommandsOf(loaded), options: optionsOf(loaded) }
    }),
  )
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** The words behind a verb: its options where a `-` was typed, else its subcommands. */
function caseLines(entries: readonly Entry[]): string {
  return entries
    .map(({ name, subcommands, options }) => {
      const flags = ['--help', ...options.map(([option]) => option)].join(' ')
      return `    ${name}) flags='${flags}' subs='${subcommands.join(' ')}' ;;\n`
    })
    .join('')
}

function namesOf(entries: readonly Entry[]): string {
  return entries.map(({ name }) => name).join(' ')
}

function bashScript(entries: readonly Entry[]): string {
  return `\
# bash completion for pawl
_pawl() {
  local cur=\${COMP_WORDS[COMP_CWORD]} flags='--help --version' subs='${namesOf(entries)}'
  if [ "$COMP_CWORD" -gt 1 ]; then
    flags='' subs=''
    case \${COMP_WORDS[1]} in
${caseLines(entries)}    esac
    [ "$COMP_CWORD" -gt 2 ] && subs=''
  fi
  case $cur in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$subs" -- "$cur")) ;;
  esac
}
complete -o default -F _pawl pawl
`
}

function zshScript(entries: readonly Entry[]): string {
  return `\
#compdef pawl
_pawl() {
  local flags='--help --version' subs='${namesOf(entries)}' verb=$words[2]
  if (( CURRENT > 2 )); then
    flags='' subs=''
    case $verb in
${caseLines(entries)}    esac
    (( CURRENT > 3 )) && subs=''
  fi
  if [[ $PREFIX == -* ]]; then
    compadd -- \${=flags}
  elif [[ -n $subs ]]; then
    compadd -- \${=subs}
    (( CURRENT > 2 )) && _files
  else
    _files
  fi
}
compdef _pawl pawl
`
}

function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ name, summary, subcommands, options }) => [
    `complete -c pawl -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...subcommands.map((word) => `complete -c pawl -n '__pawl_at 2 ${name}' -f -a ${word}`),
    ...[['--help', 'show help'] as const, ...options].map(
      ([option, about]) =>
        `complete -c pawl -n '__pawl_in ${name}' -l ${option.slice(2)} -d ${quoted(about)}`,
    ),
  ])
  return `\
# fish completion for pawl
function __pawl_in
  set -l words (commandline -opc)
  test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"
end
function __pawl_at
  test (count (commandline -opc)) -eq $argv[1]; and __pawl_in $argv[2]
end
${lines.join('\n')}
`
}

/** https://fishshell.com/docs/current/language.html#quotes */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
