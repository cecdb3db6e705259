/**
 * A command that a new user types as it stands, in a shell that has a model and nothing else of
 * ours: no folder is trusted, and no permission is given.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostEnv } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { openModel } from '../../src/prove/model/open-model.ts'
import type { Script } from '../../src/prove/model/script.ts'
import type { SandboxEnv } from '../../src/prove/sandbox-env.ts'

const typedMsMax = 180_000

/** Types a command in the project, with a scripted model; gives what was printed. */
export async function typeCommand(
  world: SandboxEnv,
  command: string,
  script: Script,
): Promise<string> {
  const model = await openModel({ script })
  try {
    nameModel(world, model.url)
    return await runShell(command, world.project, shellEnv(world, model.url))
  } finally {
    await model.close()
  }
}

/** What a model does that was asked to write hello into hello.txt. */
export function helloScript({ host, project }: SandboxEnv): Script {
  const { write, patch } = drivers[host].toolCalls
  const call = write?.(join(project, 'hello.txt'), 'hello\n') ?? patch?.('hello.txt', 'hello')
  if (call === undefined) throw new Error(`${host} can not write`)
  return { turns: [{ tools: [call] }, { text: 'Done.' }], exhausted: 'Done.' }
}

/** The environment of a person in a shell, who has trusted nothing but has a model. */
function shellEnv(world: SandboxEnv, modelUrl: string): Record<string, string> {
  const { host, project, home } = world
  const sitting = {
    ...{ project, home, modelUrl, prompt: '', mcp: {} },
    ...({ hookTrust: 'asked', isResumed: false, isCodeMode: false, hasLittleRoom: false } as const),
  }
  const { GEMINI_CLI_TRUST_WORKSPACE: _, ...own } = hostEnv(host, world)
  return { ...own, ...drivers[host].start(sitting).env, ...world.env }
}

/** Codex takes the address of its model from a file; the driver names it on the command line. */
function nameModel({ home, host }: SandboxEnv, modelUrl: string): void {
  if (host !== 'codex') return
  const file = join(home, '.codex', 'config.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('http://127.0.0.1:9', modelUrl))
}

function runShell(command: string, cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(
      '/bin/sh',
      ['-c', command],
      { cwd, env, timeout: typedMsMax, killSignal: 'SIGKILL' },
      (_, stdout, stderr) => resolve(`${stdout}${stderr}`),
    )
    child.stdin?.end()
  })
}
