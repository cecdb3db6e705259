/**
 * The part of a plugin that starts the hook client, which the plugins for several hosts share. It
 * runs inside of the host: `setting` there holds the shell text, and what is no answer of the
 * client is thrown.
 */

// WHY no backticks in it: what is read here is what runs.
export const askHookText = `function ask(payload, cwd) {
  return new Promise((resolve, reject) => {
    const block = (why) => reject(new Error("Pawl blocks this call: " + why))
    const client = spawn("/bin/sh", ["-c", setting.hookCommand], { cwd })
    let stdout = ""
    let stderr = ""
    const limit = setTimeout(() => {
      client.kill("SIGKILL")
      block("the hook took too long")
    }, answerMsMax)
    client.stdout.setEncoding("utf8").on("data", (chunk) => (stdout += chunk))
    client.stderr.setEncoding("utf8").on("data", (chunk) => (stderr += chunk))
    // It may end without reading everything; then its answer says why.
    client.stdin.on("error", () => undefined)
    client.on("error", (fault) => {
      clearTimeout(limit)
      block(fault.message)
    })
    client.on("close", (code) => {
      clearTimeout(limit)
      if (code === 0 || code === 2) resolve({ exit: code, stdout, stderr })
      else block(stderr.trim() || "the hook could not run")
    })
    client.stdin.end(payload)
  })
}`
