/**
 * The source of the plugin for opencode. It runs inside opencode, so it has no imports of ours; it
 * passes events to the hook client and applies the answers.
 *
 * It must not throw while it is loaded: opencode would continue without it. Before a tool call it
 * throws on every failure, which makes opencode block the call.
 *
 * WHY not over the daemon's socket: opencode runs on Bun, where a `node:net` socket that is closed
 * for writing is closed for reading too; and the client can start the daemon.
 */

import type { SetupContext } from '../desired-files.ts'
import { ownMark } from '../merge-entries.ts'
import { askHookText } from './ask-hook-text.ts'

/** The plugin for one workspace, or for every folder of a user. */
export function pluginText({ workspace, userFile, hookCommand }: SetupContext): string {
  const place = userFile === null ? workspace : null
  const setting = JSON.stringify({ workspace: place, hookCommand }, null, 2)
  const head = `// Pawl's guard for opencode, ${ownMark}; \`pawl uninit\` removes it.`
  return `${head}\n${body.replace('SETTING', () => setting)}`
}

// WHY no backticks in it: what is read here is what runs.
const body = String.raw`import { spawn } from "node:child_process"

const setting = SETTING
// Longer than the client takes at most.
const answerMsMax = 60000
// It takes milliseconds; opencode does not end later because of a Pawl that is silent.
const endMsMax = 1000
const levelsMax = 16

export const Pawl = async (context) => {
  const parents = new Map()
  const roots = new Set()
  const underway = new Set()
  const contexts = new Map()
  const standings = new Map()
  const paid = new Set()
  let isOver = false
  const client = context?.client
  const directory = context?.directory ?? setting.workspace ?? process.cwd()

  const parentOf = async (id) => {
    if (!parents.has(id)) {
      const found = await client?.session?.get?.({ path: { id } }).catch(() => null)
      if (found?.data?.id !== id) throw strange(id)
      parents.set(id, found.data.parentID ?? null)
    }
    return parents.get(id)
  }
  // The run is that of the session at the root, however deep a sub-agent is.
  const rootOf = async (id) => {
    let root = id
    for (let level = 0; level < levelsMax; level += 1) {
      const parent = await parentOf(root)
      if (parent === null) return root
      root = parent
    }
    throw strange(id)
  }
  const send = async (event, more) => {
    const root = await rootOf(more.sessionID)
    const parentID = root === more.sessionID ? null : root
    roots.add(root)
    const payload = { hook_event_name: event, parentID, directory, ...more }
    return ask(JSON.stringify(payload), setting.workspace ?? directory)
  }
  const tell = (event, more) => {
    const telling = send(event, more)
    const done = () => underway.delete(telling)
    underway.add(telling)
    telling.then(done, done)
    return telling
  }
  // WHY last: whatever is heard of a session after its end takes the run again.
  const settle = () => within(endMsMax, Promise.allSettled(underway))
  const end = async (sessionID) => {
    const telling = tell("session.deleted", { sessionID }).catch(unheard)
    await within(endMsMax, telling)
    roots.delete(sessionID)
  }

  return {
    "tool.execute.before": async (input, output) => {
      const { sessionID, callID, tool } = input
      const call = { sessionID, callID, tool, args: output.args }
      const answer = await tell("tool.execute.before", call)
      if (answer.exit !== 0) throw new Error(answer.stderr.trim() || "Pawl denied this call")
      // The hook of a user says nothing where nothing is guarded.
      if (setting.workspace === null && answer.stdout === "") return
      const said = JSON.parse(answer.stdout)
      if (said.allow !== true) throw new Error("Pawl did not allow this call")
      if (said.context) contexts.set(callID, said.context)
      if (said.args && output.args) {
        for (const key of Object.keys(output.args)) delete output.args[key]
        Object.assign(output.args, said.args)
      }
    },
    "tool.execute.after": async (input, output) => {
      const { sessionID, callID, tool, args } = input
      const { title, output: text, metadata } = output ?? {}
      const call = { sessionID, callID, tool, args, output: { title, output: text, metadata } }
      const answer = await tell("tool.execute.after", call).catch(unheard)
      const said = answer.exit === 2 ? answer.stderr : contextIn(answer)
      const words = [standings.get(sessionID), contexts.get(callID), said]
      standings.delete(sessionID)
      contexts.delete(callID)
      const added = words.filter(Boolean).join("\n\n")
      if (added && typeof output?.output === "string") output.output += "\n\n" + added
    },
    "chat.message": async (input, output) => {
      const texts = (output?.parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
      const prompt = texts.map((part) => part.text).join("\n")
      const { sessionID, agent } = input
      const answer = await tell("chat.message", { sessionID, agent, prompt }).catch(unheard)
      if (answer.exit === 2) throw new Error(answer.stderr.trim())
      const added = contextIn(answer)
      const last = texts.at(-1)
      if (added && last) last.text += "\n\n" + added
    },
    event: async ({ event }) => {
      const { type, properties = {} } = event ?? {}
      const { id, parentID = null } = properties.info ?? {}
      const sessionID = properties.sessionID ?? properties.info?.sessionID ?? id
      if (isOver || !sessionID) return
      if (type === "session.created") {
        parents.set(sessionID, parentID)
        await tell(type, { sessionID }).catch(unheard)
      }
      if (type === "session.deleted" && parentID === null) {
        parents.set(sessionID, null)
        await settle()
        await end(sessionID)
        parents.delete(sessionID)
      }
      const message = properties.info
      if (type === "message.updated" && message?.role === "assistant" && message.time?.completed) {
        const { id, modelID, cost, tokens } = message
        if (!paid.has(id)) {
          paid.add(id)
          if (paid.size > 1000) paid.delete(paid.values().next().value)
          const use = { sessionID, message: { id, modelID, cost, tokens } }
          await tell(type, use).catch(unheard)
        }
      }
      if (type === "session.compacted") {
        const standing = contextIn(await tell(type, { sessionID }).catch(unheard))
        if (standing) standings.set(sessionID, standing)
      }
      if (type === "session.idle") {
        const answer = await tell(type, { sessionID }).catch(unheard)
        if (isOver || answer.exit !== 2) return
        const parts = [{ type: "text", text: answer.stderr.trim() }]
        const go = { path: { id: sessionID }, body: { parts } }
        await (client?.session?.promptAsync ?? client?.session?.prompt)
          ?.call(client.session, go)
          .catch(unheard)
      }
    },
    // opencode waits for it before it ends; "opencode run" does that when its model stops.
    dispose: async () => {
      isOver = true
      await settle()
      await Promise.all([...roots].map(end))
    },
  }
}

function strange(id) {
  return new Error("Pawl blocks this call: unknown session " + id)
}

function within(limitMs, promise) {
  let timer
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer))
}

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
`.replace('ASK', () => askHookText)
