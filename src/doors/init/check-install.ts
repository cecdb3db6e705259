/**
 * Checks whether what `pawl init` wrote is still in place. Reads only through the functions it is
 * given.
 */
import type { OffSwitch } from '../../core/hosts/host-descriptor.ts'
import { fromAgentHosts } from '../../core/hosts/registry.ts'
import { asObject, type Json } from '../../core/json.ts'
import { readSource } from '../../core/source/read-source.ts'
import { plainValue } from '../../core/source/source.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Install, InstalledFile } from './install.ts'
import { ownOf } from './merge-entries.ts'
import { hashOwn, type ReadFile, shapeOf } from './plan-files.ts'
import { faultOfHooks } from './toml-hooks.ts'

/** One thing that is wrong with what was written. */
export type InstallProblem = {
  readonly path: string
  /** `off`: our entries are there, and the host was told not to use them. */
  readonly kind: 'missing' | 'changed' | 'unreadable' | 'off'
  readonly message: string
}

/** What is not as it was left; nothing: all of it is there, whatever else was edited. */
export function checkInstall(install: Install, readFile: ReadFile): readonly InstallProblem[] {
  // What git leaves alone holds no host.
  const files = install.files.filter(({ path }) => !path.endsWith('info/exclude'))
  return files.flatMap((file) => {
    const text = readFile(file.path)
    const problem = text === null ? missing(file.path) : checkFile(file, text)
    return problem === null ? [] : [problem]
  })
}

function missing(path: string): InstallProblem {
  return { path, kind: 'missing', message: `\`${path}\` no longer has Pawl's entries` }
}

function checkFile(file: InstalledFile, text: string): InstallProblem | null {
  const { path } = file
  try {
    const shape = shapeOf(file)
    const own = ownOf(path, shape, text)
    if (own === null) return missing(path)
    if (hashOwn(own) !== file.sha256) {
      return { path, kind: 'changed', message: `Pawl's entries in \`${path}\` were changed` }
    }
    const fault = shape.kind === 'tables' ? faultOfHooks({ path, text }) : null
    if (fault !== null) {
      const message = `${path}: ${fault}, so the host runs no hook at all`
      return { path, kind: 'off', message }
    }
    const off = shape.kind === 'json' ? offSwitchIn(text) : null
    return off === null ? null : { path, kind: 'off', message: `\`${path}\` has ${off}` }
  } catch (fault) {
    if (!(fault instanceof PawlError)) throw fault
    return { path, kind: 'unreadable', message: fault.message }
  }
}

const offSwitches = fromAgentHosts<OffSwitch>((host) => host.offSwitches)

/** What in a file of settings tells a host to leave hooks alone; null: nothing does. */
export function offSwitchIn(text: string): string | null {
  const { root } = readSource(text, 'json')
  const settings = root === null ? null : plainValue(root)
  const found = offSwitches.find(({ setting, value }) => {
    const set = valueAt(settings, setting)
    return value === 'lists pawl' ? Array.isArray(set) && set.some(isOurs) : set === value
  })
  if (found === undefined) return null
  const { setting, value } = found
  if (value === 'lists pawl') return `\`pawl\` in \`${setting}\``
  return value ? `\`${setting}\`` : `\`${setting}: false\``
}

/** Hosts list what is turned off by its name, or by its file. */
function isOurs(listed: Json): boolean {
  return typeof listed === 'string' && /(?:^|[\\/])pawl(?:\.\w+)?$/.test(listed)
}

/** The value of a setting, by a path with dots. */
function valueAt(settings: Json, path: string): Json {
  const steps = path.split('.')
  return steps.reduce<Json>((value, step) => asObject(value)?.[step] ?? null, settings)
}
