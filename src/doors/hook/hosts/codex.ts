/**
 * The hooks of Codex: the format of Claude Code, with measured exceptions. Codex ignores an answer
 * with an unknown field, treats `ask` as allowed, and uses a changed input only together with
 * `allow`.
 */
import { codexHost } from '../../../core/hosts/codex.ts'
import { type JsonObject, own } from '../../../core/json.ts'
import type { HookReply } from '../../api/hook-exchange.ts'
import {
  blockAnswer,
  type HookAnswer,
  type HookInput,
  type HookProtocol,
  jsonAnswer,
} from '../hook-protocol.ts'
import { objectField, textField } from '../payload.ts'
import {
  type ModelUse,
  minus,
  momentIn,
  type TranscriptState,
  useOf,
} from '../spending/model-use.ts'
import { eventParts, readAs, withFields } from './claude.ts'

export const codexHooks: HookProtocol = {
  host: 'codex',
  read: (payload) => readAs('codex', payload, eventParts),
  answer,
  // Beside `allow` it is lost.
  tells: ({ event }) => event.kind !== 'call' && event.kind !== 'permission',
  asks: codexHost.canAskUser,
  transcript: { mark: /"(?:token_count|turn_context)"/, read: readUse },
}

function answer({ name, event }: HookInput, word: HookAnswer): HookReply {
  if (word.kind !== 'pass') {
    if (event.kind !== 'stop' && event.kind !== 'agent-stop') return blockAnswer(word.reason)
    return jsonAnswer({ decision: 'block', reason: word.reason })
  }
  const { input, context, isOwn } = word
  switch (event.kind) {
    case 'call': {
      // WHY no context: beside `allow` it is lost; it is told after the call.
      if (input === null) return jsonAnswer({})
      const changed = { permissionDecision: 'allow', updatedInput: input }
      return jsonAnswer(withFields('PreToolUse', changed))
    }
    case 'permission':
      if (!isOwn) return jsonAnswer({})
      return jsonAnswer(withFields('PermissionRequest', { decision: { behavior: 'allow' } }))
    case 'report':
    case 'prompt':
    case 'begin':
    case 'agent-begin':
      return jsonAnswer(context === '' ? {} : withFields(name, { additionalContext: context }))
    default:
      return jsonAnswer({})
  }
}

/** WHY the total as a name: the same count is told again with every limit that changes. */
function readUse(line: JsonObject, carried: TranscriptState): ModelUse | 'odd' | null {
  const payload = objectField(line, 'payload') ?? {}
  if (line.type === 'turn_context') {
    carried.model = textField(payload, 'model') ?? carried.model
    return null
  }
  const info = payload.type === 'token_count' ? objectField(payload, 'info') : null
  const last = info === null ? null : objectField(info, 'last_token_usage')
  const total = info === null ? null : objectField(info, 'total_token_usage')
  if (last === null || total === null) return null
  const [cacheRead, cacheWrite] = [
    own(last, 'cached_input_tokens') ?? 0,
    own(last, 'cache_write_input_tokens') ?? 0,
  ]
  return useOf({
    ...{ id: `total ${own(total, 'total_tokens')}`, at: momentIn(line), model: carried.model },
    // What came from a cache or went into one is part of the input here.
    input: minus(own(last, 'input_tokens'), cacheRead, cacheWrite),
    output: own(last, 'output_tokens'),
    ...{ cacheRead, cacheWrite },
  })
}
