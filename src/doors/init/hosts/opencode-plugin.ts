/**
 * The text of the plugin that holds opencode. It runs inside opencode, so it brings all it needs;
 * it only carries what happens to the daemon and does what the daemon says.
 *
 * Nothing may be thrown while it is loaded: opencode would go on without it. Before a tool is used
 * everything that fails is thrown, which is how opencode is told to block.
 */
import { ownMark } from '../merge.ts'
import type { Setting } from '../wanted.ts'

/** The plugin for one workspace. */
export function pluginText(setting: Setting): string {
  const { workspace, node, program, socket, tokenFile } = setting
  const own = { workspace, node, program, socket, tokenFile }
  return `// Pawl's guard for opencode, ${ownMark}; \`pawl uninit\` removes it.\n${body.replace(
    'SETTING',
    () => JSON.stringify(own, null, 2),
  )}`
}

// WHY no backticks in it, and single characters written as such: what is read here is what runs.
const body = String.raw`import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createConnection } from "node:net"

const setting = SETTING
const silenceMsMax = 5000
const totalMsMax = 55000
const answerBytesMax = 16 * 1024 * 1024

export const Pawl = async (context) => {
  const parents = new Map()
  const contexts = new Map()
  const client = context?.client
  const directory = context?.directory ?? setting.workspace

  const parentOf = async (id) => {
    if (!parents.has(id)) {
      const found = await client?.session?.get?.({ path: { id } }).catch(() => null)
      parents.set(id, found?.data?.parentID ?? null)
    }
    return parents.get(id)
  }
  const tell = async (event, more) => {
    const parentID = await parentOf(more.sessionID)
    return ask(JSON.stringify({ hook_event_name: event, parentID, directory, ...more }))
  }

  return {
    "tool.execute.before": async (input, output) => {
      const { sessionID, callID, tool } = input
      const call = { sessionID, callID, tool, args: output.args }
      const answer = await tell("tool.execute.before", call)
      if (answer.exit !== 0) throw new Error(answer.stderr.trim() || "Pawl refused this call")
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
      const words = [contexts.get(callID), answer.exit === 2 ? answer.stderr : contextIn(answer)]
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
      if (type === "session.created") {
        const { id, parentID = null } = properties.info ?? {}
        if (!id) return
        parents.set(id, parentID)
        await tell(type, { sessionID: id }).catch(unheard)
      }
      if (type === "session.idle") {
        const { sessionID } = properties
        const answer = await tell(type, { sessionID }).catch(unheard)
        if (answer.exit !== 2) return
        const parts = [{ type: "text", text: answer.stderr.trim() }]
        const go = { path: { id: sessionID }, body: { parts } }
        await (client?.session?.promptAsync ?? client?.session?.prompt)
          ?.call(client.session, go)
          .catch(unheard)
      }
    },
  }
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

async function ask(payload) {
  const body = Buffer.from(payload)
  try {
    return await overSocket(body)
  } catch (fault) {
    if (fault.isAbsent !== true) throw fault
    return overProgram(body)
  }
}

// Nobody there to ask: nothing was sent, so it may be asked again.
function absent(message) {
  return Object.assign(new Error("Pawl does not answer: " + message), { isAbsent: true })
}

function header() {
  const run = process.env.PAWL_RUN
  let token
  try {
    token = readFileSync(setting.tokenFile, "utf8").trim()
  } catch (fault) {
    throw absent(fault.message)
  }
  const workspace = encodeURIComponent(setting.workspace)
  const words = [token, "opencode", workspace, run ? encodeURIComponent(run) : "-"]
  return Buffer.from("PAWL-HOOK 1 " + words.join(" ") + "\n")
}

function overSocket(body) {
  const whole = Buffer.concat([header(), body])
  return new Promise((resolve, reject) => {
    let isConnected = false
    let got = Buffer.alloc(0)
    let silence
    const socket = createConnection({ path: setting.socket, allowHalfOpen: true })
    const finish = (fault, answer) => {
      clearTimeout(silence)
      clearTimeout(total)
      socket.destroy()
      if (fault) reject(fault)
      else resolve(answer)
    }
    const fail = (why) => finish(new Error("Pawl blocks this call: " + why))
    const wait = () => {
      clearTimeout(silence)
      silence = setTimeout(() => fail("the daemon is silent"), silenceMsMax)
    }
    const total = setTimeout(() => fail("the daemon took too long"), totalMsMax)
    wait()
    socket.on("connect", () => {
      isConnected = true
      socket.end(whole)
    })
    socket.on("data", (chunk) => {
      wait()
      got = Buffer.concat([got, chunk])
      if (got.length > answerBytesMax) fail("the answer is too long")
    })
    socket.on("error", (fault) => {
      if (isConnected) fail(fault.message)
      else finish(absent(fault.message))
    })
    socket.on("end", () => {
      const answer = answerIn(got)
      if (answer === null) fail("the daemon answered what is no answer")
      else finish(null, answer)
    })
    socket.on("close", () => fail("the daemon hung up"))
  })
}

function answerIn(bytes) {
  let at = 0
  while (bytes[at] === 126 && bytes[at + 1] === 10) at += 2
  const end = bytes.indexOf(10, at)
  const line = bytes.subarray(at, Math.max(end, 0)).toString()
  const found = /^PAWL 1 (0|2) (\d{1,9}) (\d{1,9})$/.exec(line)
  if (!found) return null
  const [exit, out, err] = found.slice(1).map(Number)
  const rest = bytes.subarray(end + 1)
  if (rest.length !== out + err) return null
  return { exit, stdout: rest.subarray(0, out).toString(), stderr: rest.subarray(out).toString() }
}

// The program starts the daemon, asks it, and ends as the answer says.
function overProgram(body) {
  return new Promise((resolve, reject) => {
    const args = [setting.program, "hook", "opencode", setting.workspace]
    const child = spawn(setting.node, args, { stdio: ["pipe", "pipe", "pipe"] })
    let stdout = ""
    let stderr = ""
    const total = setTimeout(() => child.kill("SIGKILL"), totalMsMax)
    child.stdout.on("data", (chunk) => (stdout += chunk))
    child.stderr.on("data", (chunk) => (stderr += chunk))
    child.stdin.on("error", () => undefined)
    child.on("error", (fault) => {
      clearTimeout(total)
      reject(new Error("Pawl blocks this call: it can not be started: " + fault.message))
    })
    child.on("close", (code) => {
      clearTimeout(total)
      if (code === 0 || code === 2) resolve({ exit: code, stdout, stderr })
      else reject(new Error("Pawl blocks this call: " + (stderr.trim() || "its program failed")))
    })
    child.stdin.end(body)
  })
}
`
