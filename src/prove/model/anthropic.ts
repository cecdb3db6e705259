/** Anthropic's messages API, as Claude Code uses it. */
import type { JsonObject } from '../../core/json.ts'
import {
  type ModelApi,
  type ModelInput,
  type ModelReply,
  type ModelRequest,
  namedEvent,
  objectsIn,
  payloadText,
  promptWords,
  replyTokens,
  trailing,
} from './model-api.ts'

export const anthropicApi: ModelApi = {
  path: /\/messages$/,
  callPrefix: 'toolu_',
  read,
  whole,
  pieces,
}

function read(body: JsonObject): ModelRequest {
  const messages = objectsIn(body.messages)
  const users = messages.filter((one) => one.role === 'user')
  const told = trailing(messages, (one) => one.role !== 'assistant')
  return {
    model: payloadText(body.model),
    isStream: body.stream === true,
    tools: objectsIn(body.tools).map((one) => payloadText(one.name)),
    firstWords: promptWords(users[0]?.content),
    system: promptWords(body.system),
    // The first message is the task, which nobody has to be told again.
    told: told.filter((one) => one !== messages[0]).flatMap(toldIn),
  }
}

function toldIn({ content }: JsonObject): readonly ModelInput[] {
  if (typeof content === 'string') return [{ callId: null, text: content, isError: false }]
  return objectsIn(content).map((block) =>
    block.type === 'tool_result'
      ? {
          callId: payloadText(block.tool_use_id),
          text: promptWords(block.content),
          isError: block.is_error === true,
        }
      : { callId: null, text: promptWords(block), isError: false },
  )
}

function whole({ id, model, text, calls, promptTokens }: ModelReply): JsonObject {
  const words = text === null && calls.length > 0 ? [] : [{ type: 'text', text: text ?? '' }]
  const uses = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [...words, ...uses],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: promptTokens,
      output_tokens: replyTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  }
}

function pieces(speech: ModelReply): readonly string[] {
  const message = whole(speech)
  return [
    namedEvent('message_start', { message: { ...message, content: [], stop_reason: null } }),
    ...objectsIn(message.content).flatMap(blockPieces),
    namedEvent('message_delta', {
      delta: { stop_reason: payloadText(message.stop_reason), stop_sequence: null },
      usage: { output_tokens: replyTokens },
    }),
    namedEvent('message_stop', {}),
  ]
}

function blockPieces(block: JsonObject, index: number): readonly string[] {
  const isText = block.type === 'text'
  const empty = isText ? { text: '' } : { input: {} }
  const delta = isText
    ? { type: 'text_delta', text: payloadText(block.text) }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
  return [
    namedEvent('content_block_start', { index, content_block: { ...block, ...empty } }),
    namedEvent('content_block_delta', { index, delta }),
    namedEvent('content_block_stop', { index }),
  ]
}
