/**
 * The source of the plugin for Cline. It runs in a process that Cline starts for plugins, so it has
 * no imports of ours; it passes events to the hook client and applies the answers. Cline reads MCP
 * servers only from the user's own settings, so the plugin of a folder also starts that of Pawl,
 * and offers its tools.
 *
 * It must not throw, nor take long, while it is loaded: Cline would continue without it. Before a
 * tool call it denies whatever could not be judged. It answers within Cline's own limit of three
 * seconds: what takes longer ends the session.
 */
import type { SetupContext } from '../desired-files.ts'
import { ownMark } from '../merge-entries.ts'
import { serverName } from '../pawl-entries.ts'
import { askHookText } from './ask-hook-text.ts'
import { serverClientText } from './server-client-text.ts'
import { serverEnv, serverWords } from './shared-entries.ts'

/** The plugin for one workspace, or for every folder of a user. */
export function clinePluginText(context: SetupContext): string {
  const { workspace, userFile, hookCommand } = context
  const isForAll = userFile !== null
  const server = {
    ...{ name: serverName, words: serverWords('cline', context), env: serverEnv(context) },
  }
  const setting = JSON.stringify(
    { workspace: isForAll ? null : workspace, hookCommand, server: isForAll ? null : server },
    null,
    2,
  )
  const head = `// Pawl's guard for Cline, ${ownMark}; \`pawl uninit\` removes it.`
  return `${head}\n${body.replace('SETTING', () => setting)}`
}

// WHY no backticks in it: what is read here is what runs.
const body = String.raw`import { spawn } from "node:child_process"

const setting = SETTING
// Cline waits three seconds for a hook, and for a plugin four, or as long as it is told.
const answerMsMax = 2500
const startMsMax = Math.max(2500, Number(process.env.CLINE_PLUGIN_IMPORT_TIMEOUT_MS || 0) - 1500)
const wordsMax = 20
const callsMax = 10000

// Cline's hub has the environment of whoever started it, which names the run of another session.
if (process.env.CLINE_NO_INTERACTIVE) delete process.env.PAWL_RUN

let session = null
let cwd = process.cwd()
// The agent that its user talks to; others were started by it.
let lead = null
let server = null
let words = []
// Calls that were let through: what Cline itself refused, or we, is no result of a call.
const running = new Set()

function send(event, more) {
  const payload = { hook_event_name: event, session_id: session, cwd, ...more }
  return ask(JSON.stringify(payload), setting.workspace ?? cwd)
}

function tell(event, more) {
  return send(event, more).catch(unheard)
}

function keep(text) {
  if (text) words = [...words, text].slice(-wordsMax)
}

function take() {
  const text = words.join("\n\n")
  words = []
  return text ? { appendContext: text } : undefined
}

function agentOf({ agentId, parentAgentId }) {
  return agentId === lead && !parentAgentId ? {} : { agent_id: agentId }
}

function callOf({ snapshot, toolCall, input }) {
  const call = { tool_name: toolCall.toolName, tool_use_id: toolCall.toolCallId }
  return { ...call, tool_input: input, ...agentOf(snapshot) }
}

export default {
  name: setting.workspace === null ? "pawl-user" : "pawl",
  manifest: { capabilities: ["hooks", "tools"] },
  async setup(api, ctx) {
    session = ctx?.session?.sessionId ?? null
    cwd = process.cwd()
    lead = null
    if (session === null) return
    const [answer] = await Promise.all([tell("setup", {}), offer(api)])
    keep(contextIn(answer))
  },
  hooks: {
    async beforeRun({ snapshot }) {
      lead ??= snapshot.parentAgentId ? null : snapshot.agentId
      if (agentOf(snapshot).agent_id !== undefined) return undefined
      const answer = await tell("beforeRun", { prompt: promptIn(snapshot.messages) })
      if (answer.exit === 2) return { stop: true, reason: answer.stderr.trim() }
      keep(contextIn(answer))
      return undefined
    },
    async beforeTool(event) {
      try {
        return await judge(event)
      } catch (fault) {
        return { skip: true, reason: fault.message }
      }
    },
    async afterTool(event) {
      if (!running.delete(event.toolCall.toolCallId)) return take()
      const { output, isError } = event.result
      const ended = { ...callOf(event), output, isError: isError === true }
      const answer = await tell("afterTool", ended)
      keep(answer.exit === 2 ? answer.stderr.trim() : contextIn(answer))
      return take()
    },
    async onEvent({ type, message }) {
      if (type !== "assistant-message" || !message?.metrics) return
      const { id, metrics, modelInfo } = message
      await tell("assistant-message", { message: { id, model: modelInfo?.id, metrics } })
    },
  },
}

async function judge(event) {
  const answer = await send("beforeTool", callOf(event))
  if (answer.exit !== 0) {
    return { skip: true, reason: answer.stderr.trim() || "Pawl denied this call" }
  }
  if (running.size >= callsMax) running.clear()
  running.add(event.toolCall.toolCallId)
  // The hook of a user says nothing where nothing is guarded.
  if (setting.workspace === null && answer.stdout === "") return undefined
  const said = JSON.parse(answer.stdout)
  if (said.allow !== true) throw new Error("Pawl did not allow this call")
  keep(said.context)
  return said.args ? { input: said.args } : undefined
}

async function offer(api) {
  if (setting.server === null) return
  try {
    server?.end()
    server = openServer()
    for (const tool of (await within(startMsMax, server.tools())) ?? []) register(api, tool)
  } catch {
    // Without Pawl's tools the agent works on; its calls are judged all the same.
    server?.end()
    server = null
  }
}

function register(api, { name, description, inputSchema }) {
  api.registerTool({
    name: setting.server.name + "__" + name,
    description: description ?? name,
    inputSchema: inputSchema ?? { type: "object", properties: {} },
    execute: async (input) => {
      if (server === null) throw new Error("Pawl's server has ended")
      const result = await server.request("tools/call", { name, arguments: input })
      const text = textIn(result?.content)
      if (result?.isError) throw new Error(text)
      return text
    },
  })
}

// What its user has typed is marked so; what an agent hands to another is not.
function promptIn(messages) {
  const last = (messages ?? []).filter(({ role }) => role === "user").at(-1)
  const text = (last?.content ?? []).map((part) => part.text ?? "").join("")
  return /^<user_input[^>]*>([^]*)<\/user_input>/.exec(text)?.[1] ?? null
}

// Only where nothing is decided: a call that could not be judged is denied before it comes here.
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

SERVER

ASK
`
  .replace('SERVER', () => serverClientText('cline'))
  .replace('ASK', () => askHookText)
