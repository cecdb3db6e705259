/**
 * The layout around every page: navigation, connection state, and the current page. Large pages
 * are loaded when they are first opened.
 */
import {
  type ComponentType,
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useState,
} from 'react'
import { openEarlyKeys } from './data/early-keys.ts'
import { endLive, type Live, live } from './data/live-state.ts'
import { loadChunk } from './data/load-chunk.ts'
import { linkTo, type PageRoute, useRoute } from './data/route.ts'
import { signOut } from './data/session.ts'
import { useGlobalKeys } from './data/use-global-keys.ts'
import { useValueStore } from './data/value-store.ts'
import { HomePage } from './pages/home.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { Empty, Skeleton } from './parts/basics.tsx'
import { countOf } from './parts/format-values.ts'
import { Icon, Logo, type PageIconName } from './parts/icons.tsx'
import { theme, turnTheme } from './parts/theme.ts'
import { Toast } from './parts/toast.tsx'

type Page = ComponentType<{ readonly route: PageRoute }>

const ApprovalPage = lazyPage(() => import('./pages/approval.tsx'), 'ApprovalPage')
const RunsPage = lazyPage(() => import('./pages/runs.tsx'), 'RunsPage')
const RunPage = lazyPage(() => import('./pages/run.tsx'), 'RunPage')
const DefinitionsPage = lazyPage(() => import('./pages/definitions.tsx'), 'DefinitionsPage')
const DefinitionPage = lazyPage(() => import('./pages/definition.tsx'), 'DefinitionPage')
const PoliciesPage = lazyPage(() => import('./pages/policies.tsx'), 'PoliciesPage')
const PasskeysPage = lazyPage(() => import('./pages/passkeys.tsx'), 'PasskeysPage')
const SpendPage = lazyPage(() => import('./pages/spend.tsx'), 'SpendPage')

/** A page whose code is loaded when it is first opened. */
function lazyPage<Name extends string>(load: () => Promise<Record<Name, Page>>, name: Name): Page {
  const Loaded = lazy(async () => {
    const page: Page = (await loadChunk(load))[name]
    return { default: page }
  })
  return Loaded
}

const Palette = lazy(async () => ({
  default: (await loadChunk(() => import('./parts/palette.tsx'))).Palette,
}))
const KeyList = lazy(async () => ({
  default: (await loadChunk(() => import('./parts/key-list.tsx'))).KeyList,
}))

const paletteKeys = openEarlyKeys(window)

/** Stands for the palette until it is there, and keeps what is typed into it. */
function KeysBefore() {
  useLayoutEffect(() => paletteKeys.begin(), [])
  return null
}

const pages: Readonly<Record<string, Page>> = {
  home: HomePage,
  // Home lists what waits.
  approvals: ({ route }) => (route.id === '' ? <HomePage /> : <ApprovalPage route={route} />),
  runs: ({ route }) => (route.id === '' ? <RunsPage route={route} /> : <RunPage route={route} />),
  definitions: ({ route }) =>
    route.id === '' ? <DefinitionsPage route={route} /> : <DefinitionPage route={route} />,
  policies: PoliciesPage,
  spend: SpendPage,
  passkeys: PasskeysPage,
}

const items: readonly {
  readonly page: string
  readonly icon: PageIconName
  readonly name: string
}[] = [
  { page: 'home', icon: 'home', name: 'Home' },
  { page: 'runs', icon: 'runs', name: 'Runs' },
  { page: 'definitions', icon: 'definitions', name: 'Definitions' },
  { page: 'policies', icon: 'policies', name: 'Policies' },
  { page: 'spend', icon: 'spend', name: 'Spend' },
  { page: 'passkeys', icon: 'key', name: 'Passkeys' },
]

/** The whole page. */
export function App() {
  const state = useValueStore(live)
  const route = useRoute()
  useTitle(state)
  const [dialog, setDialog] = useState<'palette' | 'keys' | null>(null)
  const showPalette = useCallback(() => setDialog('palette'), [])
  const showKeys = useCallback(() => setDialog('keys'), [])
  useGlobalKeys({ onPalette: showPalette, onHelp: showKeys })
  if (route.page === 'sign-in') return <SignInPage code={route.id} next={route.rest} />
  if (state.link === 'none') return <SignInPage code="" next={[]} />
  const Page = pages[route.page]
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <Side state={state} page={route.page} onSearch={showPalette} />
      <div>
        {state.link === 'lost' ? (
          <div className="lost-bar" role="alert">
            The daemon does not respond. This page reconnects automatically.
          </div>
        ) : null}
        <main id="main" className="main" tabIndex={-1}>
          <Suspense fallback={<Skeleton lines={6} />}>
            {Page === undefined ? (
              <Empty icon="search" title="Page not found" />
            ) : (
              <Page key={`${route.page}/${route.id}`} route={route} />
            )}
          </Suspense>
        </main>
      </div>
      <Toast />
      <Suspense fallback={dialog === 'palette' ? <KeysBefore /> : null}>
        {dialog === 'palette' ? (
          <Palette
            early={paletteKeys}
            pages={items}
            onClose={() => setDialog(null)}
            onKeys={showKeys}
          />
        ) : null}
        {dialog === 'keys' ? <KeyList onClose={() => setDialog(null)} /> : null}
      </Suspense>
    </div>
  )
}

/** WHY: who works in another window sees here that something waits. */
function useTitle({ approvals }: Live): void {
  const count = approvals?.length ?? 0
  useEffect(() => {
    document.title = count === 0 ? 'Pawl' : `(${count}) Pawl`
  }, [count])
}

type SideProps = {
  readonly state: Live
  readonly page: string
  readonly onSearch: () => void
}

function Side({ state, page, onSearch }: SideProps) {
  const waiting = state.approvals?.length ?? 0
  return (
    <nav className="side" aria-label="Pages">
      <a className="brand" href="#/">
        <Logo />
        Pawl
      </a>
      <button type="button" className="item search-item" onClick={onSearch}>
        <Icon name="search" />
        <span className="wide-only">Search</span>
        <span className="narrow-only">More</span>
        <kbd className="kbd">Ctrl K</kbd>
      </button>
      {items.map((item) => (
        <a
          key={item.page}
          className={`item ${item.page === 'passkeys' ? 'wide-only' : ''}`}
          href={linkTo(item.page)}
          aria-current={isCurrent(item.page, page) ? 'page' : undefined}
        >
          <Icon name={item.icon} />
          {item.name}
          {item.page === 'home' && waiting > 0 ? (
            <span className="count" title={countOf(waiting, 'pending approval')}>
              {waiting}
            </span>
          ) : null}
        </a>
      ))}
      <Foot state={state} />
    </nav>
  )
}

function isCurrent(item: string, page: string): boolean {
  return item === page || (item === 'home' && page === 'approvals')
}

function Foot({ state }: { readonly state: Live }) {
  const shade = useValueStore(theme)
  const words = { none: 'signed out', loading: 'loading', live: 'live', lost: 'no connection' }
  const leave = async (): Promise<void> => {
    await signOut()
    endLive()
  }
  return (
    <div className="foot small">
      <div className="row">
        <span className={`link-dot ${state.link}`} />
        <span className="grow cut" title={state.me?.name}>
          {words[state.link]}
          {state.me === null ? '' : ` · ${state.me.access}`}
        </span>
      </div>
      <div className="row">
        <button className="button plain grow" type="button" onClick={turnTheme}>
          <Icon name={shade === 'dark' ? 'sun' : 'moon'} />
          {shade === 'dark' ? 'Light' : 'Dark'}
        </button>
        <button className="button plain" type="button" onClick={leave} title="Sign out">
          <Icon name="out" />
          <span className="hidden-text">Sign out</span>
        </button>
      </div>
    </div>
  )
}
