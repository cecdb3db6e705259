/** A hook for an answer of the daemon: loading, loaded or failed; reloads on demand. */
import { useCallback, useEffect, useState } from 'react'
import type { OperationAnswer, OperationInput } from '../../src/doors/api/contract.ts'
import type { OperationName } from '../../src/doors/api/operations-table.ts'
import { type ApiProblem, callApi, wordsOf } from './api-client.ts'

export type ApiQuery<T> = {
  /** Null: not there yet. Stays while it is asked again. */
  readonly answer: T | null
  readonly problem: ApiProblem | null
  readonly again: () => void
}

/** Asks when the input changes; `version`: asks again when that changes. */
export function useApiQuery<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  version: unknown = null,
): ApiQuery<OperationAnswer<Name>> {
  const [state, setState] = useState<
    Omit<ApiQuery<OperationAnswer<Name>>, 'again'> & { readonly of: string }
  >({
    answer: null,
    problem: null,
    of: '',
  })
  const [round, setRound] = useState(0)
  const wish = JSON.stringify(input)
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when these change
  useEffect(() => {
    const leaving = new AbortController()
    callApi(name, JSON.parse(wish), { signal: leaving.signal })
      .then((answer) => setState({ answer, problem: null, of: wish }))
      .catch((thrown: unknown) => {
        if (leaving.signal.aborted) return
        setState((was) => ({
          answer: was.of === wish ? was.answer : null,
          problem: wordsOf(thrown),
          of: wish,
        }))
      })
    return () => leaving.abort()
  }, [name, wish, version, round])
  const again = useCallback(() => setRound((was) => was + 1), [])
  const { answer, problem, of } = state
  return of === wish ? { answer, problem, again } : { answer: null, problem: null, again }
}
