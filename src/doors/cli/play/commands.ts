/**
 * The commands of a walk, beside the signals of the definition. One table for reading,
 * completing and explaining them.
 */
export type CommandWord = {
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly group: 'agent' | 'person' | 'walk'
}

export const commandWords: readonly CommandWord[] = [
  {
    name: 'send',
    usage: 'send NAME [key=value …]',
    summary: 'send a signal or an answer exactly as written, known or not',
    group: 'agent',
  },
  {
    name: 'submit',
    usage: 'submit [field=value …]',
    summary: 'submit fields of a form; the word `submit` is optional',
    group: 'agent',
  },
  {
    name: 'goto',
    usage: 'goto STEP [field=value …]',
    summary: 'submit, and choose the next step',
    group: 'agent',
  },
  {
    name: 'call',
    usage: 'call TOOL [key=value … | JSON | command]',
    summary: 'check a tool call; without a tool: the queued call',
    group: 'agent',
  },
  { name: 'call!', usage: 'call! TOOL …', summary: 'the same, and report success', group: 'agent' },
  {
    name: 'ok',
    usage: 'ok [output]',
    summary: 'report that the allowed call succeeded',
    group: 'agent',
  },
  {
    name: 'fail',
    usage: 'fail [output]',
    summary: 'report that the allowed call failed',
    group: 'agent',
  },
  {
    name: 'report',
    usage: 'report ok=true exit_code=0 output=… bytes=… cost_usd=…',
    summary: 'report the call in detail',
    group: 'agent',
  },
  {
    name: 'done',
    usage: 'done BRANCH',
    summary: 'mark a branch of a fork as done',
    group: 'agent',
  },
  {
    name: 'approve',
    usage: 'approve [note]',
    summary: 'approve the pending move or call',
    group: 'person',
  },
  {
    name: 'refuse',
    usage: 'refuse [note]',
    summary: 'refuse the pending move or call',
    group: 'person',
  },
  {
    name: 'pause',
    usage: 'pause [person | release]',
    summary: 'pause the run as the agent, as a person, or with its rules lifted',
    group: 'person',
  },
  {
    name: 'resume',
    usage: 'resume [person]',
    summary: 'resume the paused run',
    group: 'person',
  },
  {
    name: 'force',
    usage: 'force STAGE [key=value …]',
    summary: 'put the run into a stage (needs `debug` in the definition)',
    group: 'person',
  },
  {
    name: 'wait',
    usage: 'wait 61s',
    summary: 'move the clock forward: ms, s, m, h, d',
    group: 'person',
  },
  { name: 'look', usage: 'look', summary: 'show the current stage', group: 'walk' },
  { name: 'vars', usage: 'vars', summary: 'show all values', group: 'walk' },
  { name: 'log', usage: 'log', summary: 'show every event so far', group: 'walk' },
  { name: 'map', usage: 'map', summary: 'list the stages and routes', group: 'walk' },
  { name: 'draw', usage: 'draw', summary: 'draw the definition', group: 'walk' },
  { name: 'undo', usage: 'undo [count]', summary: 'undo one input, or more', group: 'walk' },
  { name: 'restart', usage: 'restart', summary: 'start again', group: 'walk' },
  {
    name: 'save',
    usage: 'save FILE',
    summary: 'save the session as a case for `pawl test`; `save!` overwrites',
    group: 'walk',
  },
  { name: 'help', usage: 'help [COMMAND]', summary: 'explain the commands', group: 'walk' },
  { name: 'quit', usage: 'quit', summary: 'end the session', group: 'walk' },
]

/** Other spellings of the same commands. */
const commandAliases: Readonly<Record<string, string>> = {
  exit: 'quit',
  q: 'quit',
  '?': 'help',
  'save!': 'save!',
}

/** The name of the command a word stands for; null when it is none. */
export function commandNamed(word: string): string | null {
  if (Object.hasOwn(commandAliases, word)) return commandAliases[word] as string
  return commandWords.some((one) => one.name === word) ? word : null
}
