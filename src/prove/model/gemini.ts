/** Google's generateContent API, as Gemini CLI uses it. */
import { asObject, type JsonObject } from '../../core/json.ts'
import {
  dataEvent,
  type ModelApi,
  type ModelInput,
  type ModelReply,
  type ModelRequest,
  objectsIn,
  payloadText,
  promptWords,
  replyTokens,
  trailing,
} from './model-api.ts'

export const geminiApi: ModelApi = {
  path: /:(generateContent|streamGenerateContent)$/,
  callPrefix: 'call_',
  read,
  whole,
  pieces: (speech) => [dataEvent(whole(speech))],
}

/** The host tells about itself before the user's words. */
const firstMessagesCount = 3

function read(body: JsonObject, url: string): ModelRequest {
  const contents = objectsIn(body.contents)
  const users = contents.filter((one) => one.role === 'user')
  const told = trailing(contents, (one) => one.role !== 'model')
  const config = asObject(body.generationConfig)
  return {
    model: /models\/([^:]+):/.exec(url)?.[1] ?? '',
    isStream: url.includes(':streamGenerateContent'),
    tools: objectsIn(body.tools)
      .flatMap((one) => objectsIn(one.functionDeclarations))
      .map((one) => payloadText(one.name)),
    firstWords: users
      .slice(0, firstMessagesCount)
      .map((one) => promptWords(one.parts))
      .join('\n'),
    system: promptWords(asObject(body.systemInstruction)?.parts),
    told: told.flatMap((one) => objectsIn(one.parts)).flatMap(toldIn),
    replySchema: asObject(config?.responseJsonSchema ?? config?.responseSchema),
  }
}

function toldIn(part: JsonObject): readonly ModelInput[] {
  const answer = asObject(part.functionResponse)
  if (answer !== null) {
    const text = JSON.stringify(answer.response ?? null)
    return [{ callId: payloadText(answer.id) || null, text, isError: false }]
  }
  return typeof part.text === 'string' ? [{ callId: null, text: part.text, isError: false }] : []
}

function whole({ id, model, text, calls, promptTokens }: ModelReply): JsonObject {
  const words = text === null ? [] : [{ text }]
  const uses = calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }))
  const content = { role: 'model', parts: [...words, ...uses] }
  return {
    candidates: [{ index: 0, content, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: promptTokens,
      candidatesTokenCount: replyTokens,
      totalTokenCount: promptTokens + replyTokens,
    },
    modelVersion: model,
    responseId: `resp${id}`,
  }
}
