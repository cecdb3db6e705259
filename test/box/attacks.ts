/**
 * What code can do below the hook: attacks as data, each a piece of JavaScript that is true if it
 * had its effect. They run in a reading stage, as what `npm test` would run.
 */

export type Attack = {
  readonly name: string
  /** An expression over `place`, with `fs`, `net`, `child` at hand; may be a promise. */
  readonly effect: string
  /** Without a box it has an effect only for root. */
  readonly needsRoot?: true
}

type Place = {
  readonly project: string
  readonly pawlHome: string
  /** What configures the host in the home of the user, and what its agents are told there. */
  readonly settings: string
  readonly commands: string
  readonly daemonPid: number
  /** Where the names of those with an effect are written. */
  readonly path: string
}

const write = (path: string): string => `writes(${path})`
const read = (path: string): string => `fs.readFileSync(${path}).length > 0`

export const attacks: readonly Attack[] = [
  { name: 'write a new file', effect: write('in_("new.txt")') },
  { name: 'change a file', effect: write('in_("README.md")') },
  { name: 'delete a file', effect: 'gone(in_("check.mjs"))' },
  { name: 'rename a file', effect: 'renames(in_("boxed.json"), in_("other.json"))' },
  { name: 'make a folder', effect: 'done(() => fs.mkdirSync(in_("folder")))' },
  { name: 'make a link', effect: 'done(() => fs.symlinkSync("/etc", in_("link")))' },
  { name: 'make a hard link', effect: 'done(() => fs.linkSync(in_("README.md"), in_("hard")))' },
  { name: 'change a mode', effect: 'done(() => fs.chmodSync(in_("README.md"), 0o777))' },
  { name: 'change times', effect: 'done(() => fs.utimesSync(in_("README.md"), 1, 1))' },
  { name: 'write by a child', effect: 'shell("echo x > child.txt")' },
  { name: 'write by git', effect: 'shell("git add README.md")' },
  { name: 'write a git hook', effect: write('in_(".git/hooks/pre-commit")') },
  { name: 'change the git config', effect: 'shell("git config core.pager evil")' },
  { name: 'write settings of Claude Code', effect: write('in_(".claude/settings.json")') },
  { name: 'write MCP servers', effect: write('in_(".mcp.json")') },
  { name: 'write settings of Gemini CLI', effect: write('in_(".gemini/settings.json")') },
  { name: 'write settings of Codex', effect: write('in_(".codex/config.toml")') },
  { name: 'write a policy', effect: write('in_(".pawl/policy.json")') },
  { name: "write the user's settings", effect: write('place.settings') },
  { name: "write the user's commands", effect: write('place.commands') },
  { name: 'write beside the project', effect: 'lasts(place.project + "/../beside.txt")' },
  { name: 'read the token of a person', effect: read('pawl("person.token")') },
  { name: 'read the token of agents', effect: read('pawl("agent.token")') },
  { name: 'read the key of the daemon', effect: read('pawl("daemon.key")') },
  { name: 'read the database', effect: read('pawl("pawl.db")') },
  { name: 'list the data directory', effect: 'fs.readdirSync(pawl("")).length > 3' },
  { name: 'write the configuration', effect: 'lasts(pawl("config.json"))' },
  { name: 'replace the hook client', effect: 'lasts(pawl("bin/pawl-hook"))' },
  { name: 'remove the socket of hooks', effect: 'gone(pawl("hook.sock"))' },
  { name: 'connect to the API', effect: 'connects(pawl("daemon.sock"))' },
  { name: 'reach the API over HTTP', effect: 'http()' },
  { name: 'ask the API as a person', effect: 'asPerson()' },
  { name: 'see the daemon', effect: 'fs.existsSync(daemon("cmdline"))' },
  { name: 'stop the daemon', effect: 'done(() => process.kill(place.daemonPid, "SIGSTOP"))' },
  { name: 'let the daemon go on', effect: 'done(() => process.kill(place.daemonPid, "SIGCONT"))' },
  { name: "read the daemon's environment", effect: read('daemon("environ")') },
  { name: 'reach a server of the machine', effect: 'reachesOutside()' },
  { name: 'listen on all addresses', effect: 'hasInterfaces()' },
  { name: 'write a cron job', effect: 'lasts("/var/tmp/../spool/pawl-attack")', needsRoot: true },
  { name: 'read shadow', effect: read('"/etc/shadow"'), needsRoot: true },
  { name: 'write below /etc', effect: 'lasts("/etc/pawl-attack")', needsRoot: true },
  { name: 'write into /usr/local', effect: 'lasts("/usr/local/pawl-attack")', needsRoot: true },
]

/** The program that makes all of them, and says how many had an effect. */
export function attackScript(place: Place): string {
  return `import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import child from 'node:child_process'
const place = ${JSON.stringify(place)}
const in_ = (name) => place.project + '/' + name
const daemon = (name) => '/proc/' + place.daemonPid + '/' + name
const pawl = (name) => place.pawlHome + '/' + name
const done = (act) => { act(); return true }
const writes = (path) => {
  const isNew = !fs.existsSync(path)
  if (isNew) fs.mkdirSync(path.replace(/[^/]*$/, ''), { recursive: true })
  const before = isNew ? '' : fs.readFileSync(path)
  fs.writeFileSync(path, 'attack')
  const had = fs.readFileSync(path, 'utf8') === 'attack'
  if (isNew) fs.rmSync(path)
  else fs.writeFileSync(path, before)
  return had
}
const lasts = (path) => writes(path) && !isLayer(path)
const isLayer = (path) => fs.readFileSync('/proc/self/mountinfo', 'utf8').split('\\n')
  .some((line) => line.includes(' - tmpfs ') && path.startsWith(line.split(' ')[4] + '/'))
const gone = (path) => renames(path, path + '.x')
const renames = (a, b) => { fs.renameSync(a, b); fs.renameSync(b, a); return true }
const shell = (text) => child.spawnSync('sh', ['-c', text], { cwd: place.project }).status === 0
const connects = (path) => new Promise((resolve) => {
  const socket = net.connect(path)
  socket.on('connect', () => { socket.destroy(); resolve(true) })
  socket.on('error', () => resolve(false))
})
const http = async () => {
  const port = Number(fs.readFileSync(pawl('http.port'), 'utf8'))
  return connects({ host: '127.0.0.1', port })
}
const asPerson = async () => (await http()) && fs.readFileSync(pawl('person.token')).length > 0
const reachesOutside = async () => {
  const { http: url } = JSON.parse(fs.readFileSync(pawl('daemon.json'), 'utf8'))
  if (url === undefined) return http()
  return connects({ host: '127.0.0.1', port: Number(new URL(url).port) })
}
const hasInterfaces = () => Object.keys(os.networkInterfaces()).some((name) => name !== 'lo')
const attacks = {
${attacks.map(({ name, effect }) => `  ${JSON.stringify(name)}: () => ${effect},`).join('\n')}
}
const found = []
for (const [name, attack] of Object.entries(attacks)) {
  try { if (await attack()) found.push(name) } catch {}
}
if (found.length > 0) fs.writeFileSync(place.path, found.join('\\n') + '\\n')
const count = Object.keys(attacks).length + ' tried, ' + found.length
process.stdout.write(count + ' with an effect: ' + found.join(', '))
`
}
