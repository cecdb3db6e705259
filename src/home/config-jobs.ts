/** The `jobs` section of `config.json`: the limits of jobs, and how long they are kept. */
import { availableParallelism, totalmem } from 'node:os'
import { z } from 'zod'
import { withPick } from '../core/dialects/validate-tree.ts'
import { type IsolationLevel, isolationLevels } from '../core/machine/isolation-levels.ts'
import { destinationsMax, type Network, portDefault, readPattern } from '../runner/destinations.ts'
import type { RunnerLimits } from '../runner/runner-settings.ts'
import { PawlError } from '../runtime/pawl-error.ts'

const homePathsMax = 200

const positive = z.number().gt(0)

const destinations = z.array(
  z.strictObject({
    host: z.string().describe('A host name, `*.example.org` for all subdomains, or an IP address.'),
    ports: z
      .array(z.int().min(1).max(65_535))
      .min(1)
      .optional()
      .describe('Allowed ports. Default: 443.'),
  }),
)
const noneOrAll = z.enum(['none', 'all'])
const network = withPick(z.union([noneOrAll, destinations]), (node) =>
  node.kind === 'list' ? destinations : noneOrAll,
)

export const jobsSchema = z
  .strictObject({
    cpus: positive.optional().describe('CPU cores that one job may use. Default: all.'),
    memoryMegabytes: positive
      .optional()
      .describe("Memory that one job may use. Default: half of the machine's."),
    processes: z.int().min(1).optional().describe('Maximum number of processes in one job.'),
    outputMegabytes: positive.optional().describe('How much output is kept for each stream.'),
    fileMegabytes: positive.optional().describe('Maximum size of one file that a job writes.'),
    tmpMegabytes: positive.optional().describe("Size of a job's `/tmp`."),
    cpuSeconds: z.int().min(1).optional().describe('CPU time that each process may use.'),
    leaseSeconds: z
      .number()
      .min(0)
      .max(3_600)
      .optional()
      .describe('How long jobs keep running while no daemon is running.'),
    running: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe('Maximum number of jobs that run at the same time.'),
    keepDays: positive.optional().describe('Ended jobs older than this are removed.'),
    keepMegabytes: positive
      .optional()
      .describe('If ended jobs take more space than this, the oldest are removed.'),
    minIsolation: z
      .enum(isolationLevels)
      .optional()
      .describe(
        'The minimum isolation level for jobs. If it is not available, they are not started.',
      ),
    home: z
      .array(z.string().min(1))
      .max(homePathsMax)
      .optional()
      .describe(
        'Files and folders of your home that jobs may read, beside installed programs: `.npm`.',
      ),
    network: network.optional().describe('Hosts that jobs may connect to. Default: none.'),
  })
  .describe('Limits on jobs, and how long they are kept.')

export type JobsConfig = {
  readonly limits: RunnerLimits
  readonly minIsolation: IsolationLevel
  readonly network: Network
  /** What jobs see of a home, beside programs. */
  readonly home: readonly string[]
}

const megabyte = 1024 * 1024
const dayMs = 86_400_000

export function jobsConfigOf(file: z.infer<typeof jobsSchema> = {}): JobsConfig {
  const bytes = (value: number | undefined, otherwise: number): number =>
    Math.round((value ?? otherwise) * megabyte)
  return {
    limits: {
      cpus: file.cpus ?? availableParallelism(),
      memoryBytes: bytes(file.memoryMegabytes, Math.floor(totalmem() / 2 / megabyte)),
      processes: file.processes ?? 512,
      outputBytes: bytes(file.outputMegabytes, 10),
      fileBytes: bytes(file.fileMegabytes, 10_240),
      tmpBytes: bytes(file.tmpMegabytes, 1_024),
      cpuSeconds: file.cpuSeconds ?? null,
      leaseMs: Math.round((file.leaseSeconds ?? 30) * 1_000),
      jobsRunningMax: file.running ?? 1_000,
      keepMs: (file.keepDays ?? 7) * dayMs,
      keepCount: 5_000,
      keepBytes: bytes(file.keepMegabytes, 2_048),
    },
    // Below that nothing would end with its job.
    minIsolation: file.minIsolation ?? 'contained',
    network: networkOf(file.network ?? 'none'),
    home: file.home ?? [],
  }
}

/** Faults `CONFIG_INVALID`: an entry allows too much, or nothing that can be read. */
function networkOf(file: z.infer<typeof network>): Network {
  if (typeof file === 'string') return file
  if (file.length > destinationsMax) {
    const hint = `the limit is ${destinationsMax}`
    throw new PawlError('CONFIG_INVALID', `\`jobs.network\` has ${file.length} entries`, { hint })
  }
  return file.map(({ host: text, ports = [portDefault] }) => {
    const host = readPattern(text)
    if (host !== null) return { host, ports }
    const hint = 'write a name, `*.` and a name with a dot, or an address; no port, no `https://`'
    const what = `\`${text.slice(0, 300)}\` in \`jobs.network\` is not a host`
    throw new PawlError('CONFIG_INVALID', what, { hint })
  })
}
