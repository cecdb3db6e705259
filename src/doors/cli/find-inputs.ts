/** Finds the files that a command line names, directly or through their folders. */
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { listFiles } from '../../runtime/definitions/list-files.ts'
import {
  readDefinition,
  type SourceFile,
  statOf,
} from '../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { realFolder } from '../../runtime/sessions/folders.ts'

/** A file to read. */
export type InputFile = {
  /** The full path. */
  readonly path: string
  /** How it is called in messages: from the folder of the caller, with `/`. */
  readonly shown: string
  /** Named by the caller, or met in a folder. */
  readonly from: 'name' | 'folder'
}

export type InputFiles = {
  readonly inputs: readonly InputFile[]
  readonly faults: readonly PawlError[]
}

/** The files that the names mean, each once. A name that means nothing is a fault of its own. */
export function findInputs(
  names: readonly string[],
  cwd: string,
  isWanted: (name: string) => boolean,
): InputFiles {
  const inputs = new Map<string, InputFile>()
  const faults: PawlError[] = []
  for (const name of names) {
    const path = resolve(cwd, name)
    try {
      if (statOf(path, name).isDirectory()) {
        for (const one of listFiles(path, { depth: 'deep', isWanted })) {
          if (!inputs.has(one)) inputs.set(one, { ...shownAs(one, cwd), from: 'folder' })
        }
      } else {
        inputs.set(path, { ...shownAs(path, cwd), from: 'name' })
      }
    } catch (fault) {
      if (!(fault instanceof PawlError)) throw fault
      faults.push(fault)
    }
  }
  return { inputs: [...inputs.values()], faults }
}

function shownAs(path: string, cwd: string): { path: string; shown: string } {
  return { path, shown: shownPath(path, cwd) }
}

/** A path as the caller would write it. */
export function shownPath(path: string, cwd: string): string {
  const near = relative(cwd, path)
  const isOutside = near === '' || isAbsolute(near) || near.split(sep)[0] === '..'
  return (isOutside ? path : near).replaceAll(sep, '/')
}

/** The folder of the agent, under its own name; without a name, the current one. */
export function workspaceOf(name: string | null, cwd: string): string {
  const path = resolve(cwd, name ?? '.')
  if (name === null || statOf(path, name).isDirectory()) return realFolder(path)
  const hint = 'name the folder of the project'
  throw new PawlError('USAGE', `\`${name}\` is not a folder`, { hint })
}

/** Reads a file of the command line; what can't be read is a fault, given back. */
export function readInput(input: InputFile): SourceFile | PawlError {
  try {
    return readDefinition(input.path, input.shown)
  } catch (fault) {
    if (fault instanceof PawlError) return fault
    throw fault
  }
}
