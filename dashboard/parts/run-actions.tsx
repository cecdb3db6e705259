/** What a person can do with a run: pause, resume, cancel, export. */
import { useState } from 'react'
import { callApi, wordsOf } from '../data/api-client.ts'
import { type LiveRunHead, live } from '../data/live-state.ts'
import { useValueStore } from '../data/value-store.ts'
import { Icon } from './icons.tsx'
import { showToast } from './toast.tsx'

/** The buttons. */
export function RunActions({ head }: { readonly head: LiveRunHead }) {
  const { me } = useValueStore(live)
  const [isSure, setSure] = useState(false)
  const runId = head.id
  const act = async (what: () => Promise<unknown>, done: string): Promise<void> => {
    try {
      await what()
      showToast(done)
    } catch (thrown) {
      const { detail, hint } = wordsOf(thrown)
      showToast(hint === '' ? detail : `${detail}: ${hint}`)
    }
    setSure(false)
  }
  const mayAct = me !== null && me.access !== 'viewer' && head.endedAt === null
  return (
    <span className="row flow">
      {mayAct && head.status === 'running' ? (
        <button
          type="button"
          className="button"
          onClick={() => act(() => callApi('runs.pause', { runId }), 'The run is paused.')}
        >
          Pause
        </button>
      ) : null}
      {mayAct && head.status === 'paused' ? (
        <button
          type="button"
          className="button"
          onClick={() => act(() => callApi('runs.resume', { runId }), 'The run continues.')}
        >
          Resume
        </button>
      ) : null}
      {mayAct ? (
        <button
          type="button"
          className="button danger"
          onBlur={() => setSure(false)}
          onClick={() =>
            isSure
              ? act(
                  () => callApi('runs.cancel', { runId, reason: 'cancelled on the page' }),
                  'The run was cancelled.',
                )
              : setSure(true)
          }
        >
          {isSure ? 'Cancel for good?' : 'Cancel run'}
        </button>
      ) : null}
      <button
        type="button"
        className="button"
        onClick={() => act(() => download(runId), 'The run was exported to a file.')}
      >
        <Icon name="down" />
        Export
      </button>
    </span>
  )
}

/** The whole run as `pawl import` takes it in. */
async function download(runId: string): Promise<void> {
  const copy = await callApi('runs.export', { runId })
  const url = URL.createObjectURL(new Blob([JSON.stringify(copy)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${runId}.json`
  link.click()
  URL.revokeObjectURL(url)
}
