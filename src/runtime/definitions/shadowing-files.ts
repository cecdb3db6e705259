/**
 * Files of a workspace that have the name of a stored definition. Whoever writes the repository
 * could take a gate away with one, so it counts only once a person has accepted exactly its text.
 */
import { own } from '../../core/json.ts'
import { PawlError } from '../pawl-error.ts'
import { type DefinitionsContext, findStored } from './definitions.ts'

/** A definition as a workspace has it. */
export type WorkspaceFile = {
  readonly name: string
  readonly workspace: string
  readonly sourceHash: string
  /** Hashes of its machines by their names. */
  readonly machines: Readonly<Record<string, string>>
}

const collection = 'accepted-definition'
/** Of a hash, in messages and on the command line. */
const hashCharsShown = 16

function keyOf({ workspace, name }: Pick<WorkspaceFile, 'workspace' | 'name'>): string {
  return `${workspace}\n${name}`
}

/** Fault `DEFINITION_UNACCEPTED`: it hides another one that is stored, and nobody has agreed. */
export async function refuseShadowing(
  { store }: DefinitionsContext,
  file: WorkspaceFile,
): Promise<void> {
  const stored = await findStored(store, file.name)
  if (stored === null || isSameMachines(stored.latest.machines, file.machines)) return
  const document = await store.readDocument(collection, keyOf(file))
  if (document !== null && document.data === JSON.stringify(file.sourceHash)) return
  const { name, sourceHash, workspace } = file
  const message = `\`${name}\` in \`${workspace}\` differs from the stored definition of that name`
  const accept = `pawl definitions accept ${name} ${sourceHash.slice(0, hashCharsShown)}`
  const hint = `a person compares both, then runs \`${accept}\` there; or rename the one here`
  throw new PawlError('DEFINITION_UNACCEPTED', message, { hint })
}

type Machines = WorkspaceFile['machines']

/** WHY all of them: each task of a file can be started by its name. */
function isSameMachines(one: Machines, two: Machines): boolean {
  const [names, others] = [Object.keys(one), Object.keys(two)]
  if (names.length === 1 && others.length === 1) {
    return Object.values(one)[0] === Object.values(two)[0]
  }
  return names.length === others.length && names.every((name) => own(two, name) === own(one, name))
}

/** A person accepts the file whose hash begins like this. Fault `DEFINITION_UNKNOWN`. */
export async function acceptFile(
  { store, clock }: DefinitionsContext,
  file: WorkspaceFile,
  hash: string,
): Promise<void> {
  if (hash.length < hashCharsShown || !file.sourceHash.startsWith(hash)) {
    const message = `\`${file.name}\` in \`${file.workspace}\` is not the one with this hash`
    const hint = `its hash begins with ${file.sourceHash.slice(0, hashCharsShown)}; read it first`
    throw new PawlError('DEFINITION_UNKNOWN', message, { hint })
  }
  const data = JSON.stringify(file.sourceHash)
  const change = { collection, key: keyOf(file), expected: null, data, at: clock.now() }
  await store.writeDocuments([change])
}
