/**
 * The hooks of Codex: the language of Claude Code, with exceptions that were measured. A field too
 * many undoes an answer, `ask` lets the call run, and a changed input counts only beside `allow`.
 */

import type { HookOutput } from '../../api/hook-question.ts'
import { block, type Heard, type HostDialect, say, type Word } from '../heard.ts'
import { eventOf, readAs, withFields } from './claude.ts'

export const codex: HostDialect = {
  host: 'codex',
  read: (payload) => readAs('codex', payload, eventOf),
  answer,
  asks: false,
}

function answer({ name, event }: Heard, word: Word): HookOutput {
  if (word.kind !== 'pass') {
    if (event.kind !== 'stop' && event.kind !== 'agent-stop') return block(word.reason)
    return say({ decision: 'block', reason: word.reason })
  }
  const { input, context, isOwn } = word
  switch (event.kind) {
    case 'call': {
      // WHY no context: beside `allow` it is lost; it is told after the call.
      if (input === null) return say({})
      const changed = { permissionDecision: 'allow', updatedInput: input }
      return say(withFields('PreToolUse', changed))
    }
    case 'permission':
      if (!isOwn) return say({})
      return say(withFields('PermissionRequest', { decision: { behavior: 'allow' } }))
    case 'report':
    case 'prompt':
    case 'begin':
    case 'agent-begin':
      return say(context === '' ? {} : withFields(name, { additionalContext: context }))
    default:
      return say({})
  }
}
