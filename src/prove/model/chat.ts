/** OpenAI's chat completions API, as opencode uses it. */
import { asObject, type JsonObject } from '../../core/json.ts'
import {
  argumentsOf,
  dataEvent,
  type ModelApi,
  type ModelReply,
  type ModelRequest,
  objectsIn,
  payloadText,
  promptWords,
  replyTokens,
  trailing,
} from './model-api.ts'

export const chatApi: ModelApi = {
  path: /\/chat\/completions$/,
  callPrefix: 'call_',
  read,
  whole,
  pieces,
}

function read(body: JsonObject): ModelRequest {
  const messages = objectsIn(body.messages)
  const wordsOf = (role: string): readonly string[] =>
    messages.filter((one) => one.role === role).map((one) => promptWords(one.content))
  return {
    model: payloadText(body.model),
    isStream: body.stream === true,
    tools: objectsIn(body.tools).map((one) => payloadText(asObject(one.function)?.name)),
    firstWords: wordsOf('user')[0] ?? '',
    system: wordsOf('system').join('\n'),
    told: trailing(messages, (one) => one.role !== 'assistant').map((one) => ({
      callId: payloadText(one.tool_call_id) || null,
      text: promptWords(one.content),
      isError: false,
    })),
  }
}

function usageOf({ promptTokens }: ModelReply): JsonObject {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: replyTokens,
    total_tokens: promptTokens + replyTokens,
  }
}

function whole(speech: ModelReply): JsonObject {
  const calls = toolCalls(speech)
  const message = {
    role: 'assistant',
    content: speech.text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  const choice = { index: 0, finish_reason: finishOf(speech), message }
  return { ...headOf(speech), object: 'chat.completion', choices: [choice], usage: usageOf(speech) }
}

function pieces(speech: ModelReply): readonly string[] {
  const calls = toolCalls(speech)
  const head = { ...headOf(speech), object: 'chat.completion.chunk' }
  const chunk = (delta: JsonObject, finish: string | null): string =>
    dataEvent({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })
  return [
    chunk({ role: 'assistant', content: speech.text ?? '' }, null),
    ...(calls.length > 0 ? [chunk({ tool_calls: calls }, null)] : []),
    chunk({}, finishOf(speech)),
    dataEvent({ ...head, choices: [], usage: usageOf(speech) }),
    'data: [DONE]\n\n',
  ]
}

function headOf({ id, at, model }: ModelReply): JsonObject {
  return { id: `chatcmpl-${id}`, created: at, model }
}

function finishOf({ calls }: ModelReply): string {
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

function toolCalls({ calls }: ModelReply): readonly JsonObject[] {
  return calls.map((call, index) => ({
    index,
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }))
}
