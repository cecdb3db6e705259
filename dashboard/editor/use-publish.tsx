/** Publishing a text: asks first if it permits more than the version in force. */
import { type ReactNode, useState } from 'react'
import type { PermissionChange } from '../../src/core/machine/permission-change.ts'
import { callApi, wordsOf } from '../data/api-client.ts'
import { showToast } from '../parts/toast.tsx'
import { needsAgreement, permissionChanges } from './permission-changes.ts'
import { PublishDialog } from './permission-list.tsx'

export type StoredVersion = { readonly id: string; readonly version: number }

type Question = {
  readonly text: string
  readonly version: number
  readonly changes: readonly PermissionChange[]
}

export type Publishing = {
  readonly publish: (text: string) => Promise<void>
  /** The question, while there is one. */
  readonly dialog: ReactNode
}

/** `id`: the definition that gets a version; null: a new one. */
export function usePublish(
  id: string | null,
  onStored: (stored: StoredVersion, text: string) => void,
): Publishing {
  const [question, setQuestion] = useState<Question | null>(null)
  const store = async (text: string): Promise<void> => {
    setQuestion(null)
    const { definition } = await (id === null
      ? callApi('definitions.create', { source: text })
      : callApi('definitions.update', { id, source: text }))
    showToast(`Version ${definition.version} of ${definition.name} is published. New runs use it.`)
    onStored(definition, text)
  }
  const ask = async (text: string): Promise<void> => {
    // WHY read again: somebody else may have published since this page was opened.
    const current = id === null ? null : await callApi('definitions.read', { id })
    const changes = current === null ? [] : permissionChanges(current.source, text)
    if (current === null || !needsAgreement(changes)) return store(text)
    setQuestion({ text, version: current.version, changes })
  }
  const told = (act: (text: string) => Promise<void>) => (text: string) =>
    act(text).catch((thrown: unknown) => {
      const { detail, hint } = wordsOf(thrown)
      showToast(hint === '' ? detail : `${detail}: ${hint}`)
    })
  return {
    publish: told(ask),
    dialog:
      question === null ? null : (
        <PublishDialog
          version={question.version}
          changes={question.changes}
          onPublish={() => told(store)(question.text)}
          onClose={() => setQuestion(null)}
        />
      ),
  }
}
