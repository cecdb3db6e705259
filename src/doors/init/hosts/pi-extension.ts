/**
 * The source of the extension for Pi. It runs inside Pi, so it has no imports of ours; it passes
 * events to the hook client and applies the answers. Pi has no MCP servers, so the extension of a
 * folder also starts that of Pawl, and offers its tools.
 *
 * It must not throw while it is loaded: Pi would continue without it. Before a tool call it throws
 * on every failure, which makes Pi block the call.
 */
import type { SetupContext } from '../desired-files.ts'
import { ownMark } from '../merge-entries.ts'
import { serverName } from '../pawl-entries.ts'
import { askHookText } from './ask-hook-text.ts'
import { serverClientText } from './server-client-text.ts'
import { serverEnv, serverWords } from './shared-entries.ts'

/** The extension for one workspace, or for every folder of a user. */
export function extensionText(context: SetupContext): string {
  const { workspace, userFile, hookCommand } = context
  const isForAll = userFile !== null
  const server = { name: serverName, words: serverWords('pi', context), env: serverEnv(context) }
  const setting = JSON.stringify(
    { workspace: isForAll ? null : workspace, hookCommand, server: isForAll ? null : server },
    null,
    2,
  )
  const head = `// Pawl's guard for Pi, ${ownMark}; \`pawl uninit\` removes it.`
  return `${head}\n${body.replace('SETTING', () => setting)}`
}

// WHY no backticks in it: what is read here is what runs.
const body = String.raw`import { spawn } from "node:child_process"

const setting = SETTING
// Longer than the client takes at most.
const answerMsMax = 60000
// It takes milliseconds; Pi does not end later because of a Pawl that is silent.
const endMsMax = 1000
// How long a session waits for the tools of Pawl.
const startMsMax = 20000
const wordsMax = 20

export default function (pi) {
  let words = []
  let server = null

  const send = (event, ctx, more) => {
    const session_id = ctx.sessionManager.getSessionId()
    const payload = { hook_event_name: event, session_id, cwd: ctx.cwd, ...more }
    return ask(JSON.stringify(payload), setting.workspace ?? ctx.cwd)
  }
  const tell = (event, ctx, more) => send(event, ctx, more).catch(unheard)
  const keep = (text) => {
    if (text) words = [...words, text].slice(-wordsMax)
  }
  const take = () => {
    const text = words.join("\n\n")
    words = []
    return text
  }

  pi.on("tool_call", async (event, ctx) => {
    const { toolName, toolCallId, input } = event
    const call = { tool_name: toolName, tool_use_id: toolCallId, tool_input: input }
    const answer = await send("tool_call", ctx, call)
    if (answer.exit !== 0) {
      return { block: true, reason: answer.stderr.trim() || "Pawl denied this call" }
    }
    // The hook of a user says nothing where nothing is guarded.
    if (setting.workspace === null && answer.stdout === "") return undefined
    const said = JSON.parse(answer.stdout)
    if (said.allow !== true) throw new Error("Pawl did not allow this call")
    keep(said.context)
    if (said.args) {
      for (const key of Object.keys(input)) delete input[key]
      Object.assign(input, said.args)
    }
    return undefined
  })
  pi.on("tool_result", async (event, ctx) => {
    const { toolName, toolCallId, input, content, isError } = event
    const call = { tool_name: toolName, tool_use_id: toolCallId, tool_input: input }
    const answer = await tell("tool_result", ctx, { ...call, output: textIn(content), isError })
    keep(answer.exit === 2 ? answer.stderr.trim() : contextIn(answer))
    const text = take()
    return text ? { content: [...content, { type: "text", text }] } : undefined
  })
  pi.on("input", async (event, ctx) => {
    const { text, source } = event
    const answer = await tell("input", ctx, { prompt: text, source })
    if (answer.exit !== 2) {
      keep(contextIn(answer))
      return { action: "continue" }
    }
    const why = answer.stderr.trim()
    if (ctx.hasUI) ctx.ui.notify(why, "error")
    else console.error(why)
    return { action: "handled" }
  })
  pi.on("before_agent_start", async () => {
    const content = take()
    return content ? { message: { customType: "pawl", content, display: false } } : undefined
  })
  pi.on("agent_before_settle", async (event, ctx) => {
    if (event.outcome !== "completed") return undefined
    const answer = await tell("agent_before_settle", ctx, {})
    if (answer.exit !== 2) return undefined
    const content = answer.stderr.trim()
    const entry = { type: "custom_message", customType: "pawl", content, display: true }
    return { entries: [...event.entries, entry], continue: true }
  })
  pi.on("message_end", async (event, ctx) => {
    const { role, responseId, timestamp, model, usage } = event.message ?? {}
    if (role !== "assistant" || !usage) return undefined
    const id = [ctx.sessionManager.getSessionId(), timestamp, responseId].join(":")
    await tell("message_end", ctx, { message: { id, model, usage } })
    return undefined
  })
  pi.on("session_compact", async (_, ctx) => {
    keep(contextIn(await tell("session_compact", ctx, {})))
  })
  pi.on("session_start", async (_, ctx) => {
    const [answer] = await Promise.all([
      tell("session_start", ctx, {}),
      server === null ? offer() : undefined,
    ])
    keep(contextIn(answer))
  })
  pi.on("session_shutdown", async (event, ctx) => {
    server?.end()
    server = null
    if (event.reason !== "reload") await within(endMsMax, tell("session_shutdown", ctx, {}))
  })

  const offer = async () => {
    if (setting.server === null) return
    try {
      server = openServer()
      for (const tool of await within(startMsMax, server.tools()) ?? []) register(tool)
    } catch {
      // Without Pawl's tools the agent works on; its calls are judged all the same.
      server?.end()
      server = null
    }
  }
  const register = ({ name, description, inputSchema }) =>
    pi.registerTool({
      name: "mcp__" + setting.server.name + "__" + name,
      label: name,
      description: description ?? name,
      parameters: inputSchema ?? { type: "object", properties: {} },
      execute: async (_, input) => {
        if (server === null) throw new Error("Pawl's server has ended")
        const result = await server.request("tools/call", { name, arguments: input })
        const text = textIn(result?.content)
        if (result?.isError) throw new Error(text)
        return { content: [{ type: "text", text }], details: undefined }
      },
    })
}

SERVER
// Only where nothing is decided: a call that could not be judged is blocked before it comes here.
function unheard() {
  return { exit: 0, stdout: "", stderr: "" }
}

function contextIn(answer) {
  try {
    return JSON.parse(answer.stdout).context
  } catch {
    return undefined
  }
}

ASK
`
  .replace('SERVER', () => serverClientText('pi'))
  .replace('ASK', () => askHookText)
