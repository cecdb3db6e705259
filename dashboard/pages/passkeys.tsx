/**
 * Passkeys: the keys that sign decisions. Adds and removes those of whoever is signed in, and
 * confirms the first key of somebody else.
 */
import { type FormEvent, useState } from 'react'
import { type ApiProblem, wordsOf } from '../data/api-client.ts'
import { live } from '../data/live-state.ts'
import {
  addPasskey,
  confirmChange,
  isPasskeyPlace,
  type ListedPasskey,
  ownKeys,
  type PasskeyOverview,
  removePasskey,
} from '../data/passkeys.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'
import { PageHead, ProblemBox, Skeleton, Time } from '../parts/basics.tsx'
import { MessageText } from '../parts/message-text.tsx'
import { showToast } from '../parts/toast.tsx'

type Act = (work: () => Promise<string>) => Promise<void>

/** The page. */
export function PasskeysPage() {
  const { answer, problem, again } = useApiQuery('passkeys.list', {})
  const [failed, setFailed] = useState<ApiProblem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const act: Act = async (work) => {
    setBusy(true)
    setFailed(null)
    try {
      showToast(await work())
    } catch (thrown) {
      setFailed(wordsOf(thrown))
    }
    setBusy(false)
    again()
  }
  return (
    <>
      <PageHead
        title="Passkeys"
        about="A passkey signs each of your decisions, so that no program can decide in your name."
      />
      <div className="stack wide">
        {problem === null ? null : <ProblemBox problem={problem} />}
        {failed === null ? null : <ProblemBox problem={failed} />}
        {answer === null ? (
          <Skeleton lines={6} />
        ) : (
          <>
            <ProofNote overview={answer} />
            <Waiting overview={answer} isBusy={isBusy} act={act} />
            <NewKey overview={answer} isBusy={isBusy} act={act} />
            <Keys overview={answer} isBusy={isBusy} act={act} />
          </>
        )}
      </div>
    </>
  )
}

type PartProps = {
  readonly overview: PasskeyOverview
  readonly isBusy: boolean
  readonly act: Act
}

const protectedText =
  'A stolen token, key or link cannot decide. `pawl log --verify` checks each signature.'
const loweredText =
  '`config.json` sets `approvals.proof` to `token`, so a program that runs as you can approve.'
const openText =
  'A program that runs as you can read your token and approve. A passkey prevents that.'

/** What a decision proves now, and what is weaker without a passkey. */
function ProofNote({ overview }: { readonly overview: PasskeyOverview }) {
  const { isRequired, setting, resetsCount } = overview
  return (
    <section className="card pad stack" aria-label="Protection">
      <div className="row">
        <span className={`badge ${isRequired ? 'good' : 'warn'}`}>
          {isRequired ? 'signed' : 'not signed'}
        </span>
        <strong>
          {isRequired ? 'Every decision must be signed.' : 'Decisions are not protected.'}
        </strong>
      </div>
      <p className="soft wrap">
        <MessageText
          text={isRequired ? protectedText : setting === 'token' ? loweredText : openText}
        />
      </p>
      {resetsCount === 0 ? null : (
        <p className="soft wrap">
          Passkeys were reset {resetsCount === 1 ? 'once' : `${resetsCount} times`} offline.
        </p>
      )}
    </section>
  )
}

function Waiting({ overview, isBusy, act }: PartProps) {
  if (overview.proposals.length === 0) return null
  const canSign = ownKeys(overview).length > 0
  return (
    <section className="card" aria-label="Waiting for a signature">
      <header>
        <h2>Waiting for a signature</h2>
      </header>
      <ul className="list">
        {overview.proposals.map(({ id, kind, person, label, expiresAt }) => (
          <li key={id} className="row pad">
            <span className="grow wrap">
              <strong>{kind === 'add' ? 'Add' : 'Remove'}</strong> {label} of {person}
              <span className="soft small">
                , expires <Time at={expiresAt} />
              </span>
            </span>
            {canSign ? (
              <button
                className="button"
                type="button"
                disabled={isBusy}
                onClick={() =>
                  act(async () => {
                    await confirmChange(id)
                    return 'Confirmed.'
                  })
                }
              >
                Confirm
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {canSign ? (
        <p className="body small soft">
          Confirm only what the person named here has just asked for, on the device with a passkey
          that already counts.
        </p>
      ) : (
        <p className="body small soft">Someone who has a passkey must confirm it on this page.</p>
      )}
    </section>
  )
}

function NewKey({ overview, isBusy, act }: PartProps) {
  const { me } = useValueStore(live)
  if (!isPasskeyPlace(overview)) {
    const [there] = overview.origins
    return (
      <p className="note-box wrap">
        Passkeys do not work at {location.origin}.{' '}
        {there === undefined ? null : (
          <MessageText text={`Run \`pawl open\`, which opens ${there}.`} />
        )}
      </p>
    )
  }
  if (me?.access === 'viewer') return null
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget).get('label')
    const label = String(typed ?? '').trim() || deviceName()
    void act(async () =>
      (await addPasskey(label))
        ? 'Passkey added. Your decisions are signed from now on.'
        : 'The new passkey waits for a signature with one that already counts.',
    )
  }
  return (
    <form className="card pad row flow" onSubmit={submit} aria-label="Add a passkey">
      <label className="field grow">
        <span>Name of this device or key</span>
        <input
          className="input"
          name="label"
          maxLength={60}
          defaultValue={deviceName()}
          autoComplete="off"
        />
      </label>
      <button className="button main-act" type="submit" disabled={isBusy}>
        Add passkey
      </button>
    </form>
  )
}

function deviceName(): string {
  const known = [/iPhone/, /iPad/, /Android/, /Mac/, /Windows/, /Linux/]
  const found = known.find((one) => one.test(navigator.userAgent))
  return found === undefined ? 'Passkey' : found.source
}

function Keys({ overview, isBusy, act }: PartProps) {
  const own = ownKeys(overview)
  const keys = overview.items.filter((key) => key.isActive)
  if (keys.length === 0) return null
  return (
    <section className="card" aria-label="Registered passkeys">
      <header>
        <h2 className="grow">Registered passkeys</h2>
        <span className="soft small">{keys.length}</span>
      </header>
      <ul className="list">
        {keys.map((key) => (
          <li key={key.credentialId} className="row pad">
            <KeyText passkey={key} />
            {own.includes(key) ? (
              <button
                className="button plain"
                type="button"
                disabled={isBusy}
                onClick={() =>
                  act(async () => {
                    await removePasskey(key.credentialId)
                    return 'Passkey removed.'
                  })
                }
              >
                Remove
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {own.length === 1 ? (
        <p className="body small soft">
          Add a second one, on another device: it is the easiest way back if you lose this one.
        </p>
      ) : null}
    </section>
  )
}

function KeyText({ passkey }: { readonly passkey: ListedPasskey }) {
  const { person, label, rpId, addedAt, confirmedBy } = passkey
  return (
    <span className="grow wrap">
      <strong>{person}</strong> · {label}
      <span className="small soft" style={{ display: 'block' }}>
        for {rpId}, added <Time at={addedAt} />
        {confirmedBy === null ? ', the first passkey' : `, confirmed by ${confirmedBy}`}
      </span>
    </span>
  )
}
