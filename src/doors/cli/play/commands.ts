/**
 * The words a walk understands beside the signals of the definition. One table for reading,
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
    summary: 'send a signal or answer exactly as written, known or not',
    group: 'agent',
  },
  {
    name: 'submit',
    usage: 'submit [field=value …]',
    summary: 'submit fields of a form; the word itself may be left out',
    group: 'agent',
  },
  {
    name: 'goto',
    usage: 'goto STEP [field=value …]',
    summary: 'submit and name the step to go to',
    group: 'agent',
  },
  {
    name: 'call',
    usage: 'call TOOL [key=value … | JSON | command]',
    summary: 'ask whether a tool may be called; alone: the call that is queued',
    group: 'agent',
  },
  { name: 'call!', usage: 'call! TOOL …', summary: 'the same, and report it ok', group: 'agent' },
  {
    name: 'ok',
    usage: 'ok [output]',
    summary: 'report that the allowed call went well',
    group: 'agent',
  },
  { name: 'fail', usage: 'fail [output]', summary: 'report that it failed', group: 'agent' },
  {
    name: 'report',
    usage: 'report ok=true exit_code=0 output=… bytes=… cost_usd=…',
    summary: 'report it in detail',
    group: 'agent',
  },
  {
    name: 'done',
    usage: 'done BRANCH',
    summary: 'say that a branch of a fork is done',
    group: 'agent',
  },
  {
    name: 'approve',
    usage: 'approve [note]',
    summary: 'grant what waits for a person',
    group: 'person',
  },
  {
    name: 'refuse',
    usage: 'refuse [note]',
    summary: 'refuse what waits for a person',
    group: 'person',
  },
  {
    name: 'pause',
    usage: 'pause [person | release]',
    summary: 'put the run aside, as the agent, a person, or lifting its rules',
    group: 'person',
  },
  {
    name: 'resume',
    usage: 'resume [person]',
    summary: 'take it up again',
    group: 'person',
  },
  {
    name: 'force',
    usage: 'force STAGE [key=value …]',
    summary: 'jump to a stage, where the definition permits it',
    group: 'person',
  },
  { name: 'wait', usage: 'wait 61s', summary: 'move the clock: ms, s, m, h, d', group: 'person' },
  { name: 'look', usage: 'look', summary: 'show where the run stands', group: 'walk' },
  { name: 'vars', usage: 'vars', summary: 'show all values', group: 'walk' },
  { name: 'log', usage: 'log', summary: 'show every event so far', group: 'walk' },
  { name: 'map', usage: 'map', summary: 'list the stages and the ways between', group: 'walk' },
  { name: 'draw', usage: 'draw', summary: 'draw the definition', group: 'walk' },
  { name: 'undo', usage: 'undo [count]', summary: 'go back one input, or more', group: 'walk' },
  { name: 'restart', usage: 'restart', summary: 'begin again', group: 'walk' },
  {
    name: 'save',
    usage: 'save FILE',
    summary: 'write the walk as a case for `pawl test`; `save!` overwrites',
    group: 'walk',
  },
  { name: 'help', usage: 'help [word]', summary: 'explain the words', group: 'walk' },
  { name: 'quit', usage: 'quit', summary: 'leave', group: 'walk' },
]

/** Other spellings of the same words. */
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
