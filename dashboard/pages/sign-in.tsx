/** Signing in, with a code from the link in the terminal or pasted by hand. */
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type ApiProblem, wordsOf } from '../data/api-client.ts'
import { beginLive } from '../data/live-state.ts'
import { linkTo } from '../data/route.ts'
import { signIn } from '../data/session.ts'
import { ProblemBox, Skeleton } from '../parts/basics.tsx'
import { Logo } from '../parts/icons.tsx'

type SignInProps = {
  readonly code: string
  /** The page to go to once signed in; empty: home. */
  readonly next: readonly string[]
}

/** The page for whoever is not signed in. */
export function SignInPage({ code, next }: SignInProps) {
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [isBusy, setBusy] = useState(code !== '')
  const used = useRef('')
  const enter = async (wanted: string): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      await signIn(wanted)
      // WHY replaced: a code in the history of a browser is of no use, and looks like one.
      history.replaceState(null, '', linkTo(...next))
      dispatchEvent(new HashChangeEvent('hashchange'))
      await beginLive()
    } catch (thrown) {
      setProblem(wordsOf(thrown))
    }
    setBusy(false)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code is used once
  useEffect(() => {
    if (code === '' || used.current === code) return
    used.current = code
    void enter(code)
  }, [code])
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget).get('code')
    void enter(codeIn(String(typed ?? '')))
  }
  return (
    <main className="sign-in">
      <div className="stack wide">
        <div className="brand" style={{ padding: 0 }}>
          <Logo />
          Pawl
        </div>
        <div className="stack">
          <h1>Sign in from your terminal</h1>
          <p className="soft">
            Run this on the machine where Pawl runs, and open the link it prints:
          </p>
          <pre className="code">pawl open</pre>
        </div>
        {problem === null ? null : <ProblemBox problem={problem} />}
        {isBusy ? (
          <Skeleton lines={2} />
        ) : (
          <form className="stack" onSubmit={submit}>
            <label className="field">
              <span>Or paste the link or its code</span>
              <input className="input mono" name="code" autoComplete="off" spellCheck={false} />
            </label>
            <button className="button main-act" type="submit">
              Sign in
            </button>
          </form>
        )}
      </div>
    </main>
  )
}

function codeIn(text: string): string {
  return text.trim().replace(/^.*#\/sign-in\//, '')
}
