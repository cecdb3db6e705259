/**
 * Definitions that an agent wrote: checked and stored, but no run can start with one before a
 * person has activated it. A draft is bound to its text: another text of the same name is another
 * draft, so a person activates exactly what they have read.
 */
import type { Clock } from '../clock.ts'
import { dataOf, tooMuch } from '../documents/scoped-documents.ts'
import { PawlError } from '../pawl-error.ts'
import type { DocumentStore, StoredDocument } from '../ports.ts'
import type { By, DefinitionOffer, DefinitionOfferItem, Definitions } from '../runtime.ts'
import { compileSource } from './compile-source.ts'

export type DefinitionDraft = {
  /** `NAME@HASH`. */
  readonly id: string
  readonly name: string
  readonly dialect: string
  readonly source: string
  readonly format: 'json' | 'yaml'
  /** `kind:name` of who offered it. */
  readonly by: string
  readonly at: number
}

export type Drafts = {
  /** Checks a text and keeps it if it has no errors. Fault `REQUEST_INVALID`: too many. */
  readonly offer: (
    offer: DefinitionOffer,
    by: Pick<By, 'actor'>,
  ) => Promise<DefinitionOfferItem<DefinitionDraft>>
  /** In order of the name. */
  readonly list: () => Promise<readonly DefinitionDraft[]>
  /** By its id, or by its name where only one has it. Fault `DEFINITION_UNKNOWN`. */
  readonly read: (idOrName: string) => Promise<DefinitionDraft>
  /** It becomes a definition, or the next version of the one that has its name. */
  readonly activate: (idOrName: string) => ReturnType<Definitions['create']>
  readonly remove: (idOrName: string) => Promise<void>
}

const collection = 'drafts'
const draftsMax = 100
const charsMax = 256 * 1024
const hashChars = 12

type Options = {
  readonly store: DocumentStore
  readonly clock: Clock
  readonly definitions: Definitions
}

export function openDrafts({ store, clock, definitions }: Options): Drafts {
  const list = async (): Promise<readonly DefinitionDraft[]> => {
    const page = { collection, prefix: '', after: null, limit: draftsMax }
    return (await store.listDocuments(page)).items.map(draftOf)
  }
  const read = async (idOrName: string): Promise<DefinitionDraft> => {
    const all = await list()
    const found = all.filter(({ id, name }) => id === idOrName || name === idOrName)
    const [only, second] = found
    if (only !== undefined && second === undefined) return only
    throw unknown(idOrName, found)
  }
  const remove = async ({ id }: DefinitionDraft): Promise<void> => {
    await store.writeDocuments([
      { collection, key: id, expected: null, data: null, at: clock.now() },
    ])
  }
  return {
    list,
    read,
    offer: async (offer, { actor }) => {
      const { good, findings, source, format, sourceHash } = compileSource(offer)
      if (good === null) return { ok: false, findings }
      if (source.length > charsMax) throw tooMuch('it is too long for a draft', 'split it')
      const { name, dialect } = good
      const id = `${name}@${sourceHash.slice(0, hashChars)}`
      const by = `${actor.kind}:${actor.name}`
      const known = await store.readDocument(collection, id)
      if (known !== null) return { ok: true, value: draftOf(known), findings }
      if ((await store.countDocuments(collection, '')) >= draftsMax) {
        const hint = 'ask a person to activate or remove some (`pawl definitions drafts`)'
        throw tooMuch(`there are already ${draftsMax} drafts`, hint)
      }
      const at = clock.now()
      const data = JSON.stringify({ name, dialect, source, format, by })
      await store.writeDocuments([{ collection, key: id, expected: null, data, at }])
      return { ok: true, value: { id, name, dialect, source, format, by, at }, findings }
    },
    activate: async (idOrName) => {
      const draft = await read(idOrName)
      const { name, source, format } = draft
      const offer = { source, format }
      const offered = await definitions.create(offer).catch((fault: unknown) => {
        const isTaken = fault instanceof PawlError && fault.code === 'DEFINITION_EXISTS'
        if (!isTaken) throw fault
        return definitions.update(name, offer)
      })
      if (offered.ok) await remove(draft)
      return offered
    },
    remove: async (idOrName) => remove(await read(idOrName)),
  }
}

function draftOf(document: StoredDocument): DefinitionDraft {
  // WHY the cast: it was written above.
  const kept = dataOf(document) as unknown as Omit<DefinitionDraft, 'id' | 'at'>
  return { ...kept, id: document.key, at: document.at }
}

function unknown(idOrName: string, found: readonly DefinitionDraft[]): PawlError {
  const ids = found.map(({ id }) => `\`${id}\``).join(', ')
  if (found.length === 0) {
    const hint = '`pawl definitions drafts` lists them'
    return new PawlError('DEFINITION_UNKNOWN', `there is no draft \`${idOrName}\``, { hint })
  }
  const message = `several drafts are named \`${idOrName}\``
  return new PawlError('DEFINITION_UNKNOWN', message, { hint: `use an id: ${ids}` })
}
