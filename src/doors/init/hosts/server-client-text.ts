/**
 * The part of a plugin that offers the tools of Pawl's MCP server, for hosts on which a plugin
 * stands in for the server. It runs inside of the host: `setting.server` there says how the
 * server is started.
 */

/** `client`: the name that the server is told. */
export function serverClientText(client: string): string {
  return body.replace('CLIENT', () => client)
}

// WHY no backticks in it: what is read here is what runs.
const body = String.raw`// How long a call waits for its result.
const resultMsMax = 600000
const lineCharsMax = 16000000

// A client of Pawl's MCP server: one message per line.
function openServer() {
  const [program, ...args] = setting.server.words
  const env = { ...process.env, ...setting.server.env }
  const stdio = ["pipe", "pipe", "ignore"]
  const child = spawn(program, args, { cwd: setting.workspace, env, stdio })
  const waiting = new Map()
  let last = 0
  let rest = ""
  const fail = (why) => {
    for (const { reject } of waiting.values()) reject(new Error("Pawl's server " + why))
    waiting.clear()
  }
  const write = (message) =>
    child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = (last += 1)
      const limit = setTimeout(() => waiting.get(id)?.reject(new Error("no answer")), resultMsMax)
      limit.unref()
      const done = (settle) => (value) => {
        clearTimeout(limit)
        waiting.delete(id)
        settle(value)
      }
      waiting.set(id, { resolve: done(resolve), reject: done(reject) })
      write({ id, method, params })
    })
  const hear = (line) => {
    const message = JSON.parse(line)
    if (message.method !== undefined) {
      const error = { code: -32601, message: "not offered" }
      if (message.id !== undefined) write({ id: message.id, error })
      return
    }
    const one = waiting.get(message.id)
    if (message.error) one?.reject(new Error(message.error.message))
    else one?.resolve(message.result)
  }
  child.on("error", (fault) => fail(fault.message))
  child.on("exit", () => fail("has ended"))
  child.stdin.on("error", () => undefined)
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop()
    try {
      if (rest.length > lineCharsMax) throw new Error("too long")
      for (const line of lines) if (line.trim()) hear(line)
    } catch {
      child.kill()
    }
  })
  return {
    request,
    end: () => child.kill(),
    tools: async () => {
      const clientInfo = { name: "CLIENT", version: "1" }
      const protocolVersion = "2025-06-18"
      await request("initialize", { protocolVersion, capabilities: {}, clientInfo })
      write({ method: "notifications/initialized" })
      return (await request("tools/list", {})).tools
    },
  }
}

function textIn(content) {
  const read = (part) => (part.type === "text" ? part.text : "[" + part.type + "]")
  return (content ?? []).map(read).join("\n")
}

function within(limitMs, promise) {
  let timer
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer))
}`
