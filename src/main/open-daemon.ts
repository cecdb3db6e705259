/** Wires a daemon together: store, runtime, doors, and timers. */
import { faultStack } from '../daemon/fault-stack.ts'
import { openPeerFinder } from '../daemon/find-peer.ts'
import { openGuardAlarms } from '../daemon/guard-alarms.ts'
import { cleanUpHourly } from '../daemon/hourly-cleanup.ts'
import { installJobHelper } from '../daemon/install-job-helper.ts'
import type { LogLine } from '../daemon/log-file.ts'
import { newId } from '../daemon/new-id.ts'
import { openScheduledWork } from '../daemon/scheduled-work.ts'
import { reportAtStart } from '../daemon/startup-report.ts'
import { type HookWatch, openHookWatch } from '../daemon/watch-hooks.ts'
import { openAnchorWriter } from '../daemon/write-anchors.ts'
import { openAgentSessions } from '../doors/api/agent-sessions.ts'
import { type Api, type ApiOptions, openApi } from '../doors/api/api.ts'
import type { CheckHook } from '../doors/api/hook-exchange.ts'
import { openOtlpExporter } from '../doors/api/otlp.ts'
import { openSpending, type Spending } from '../doors/hook/spending/open-spending.ts'
import { type HttpDoor, type HttpDoorOptions, openHttpDoor } from '../doors/http/open-http-door.ts'
import { openSocketDoor } from '../doors/socket/open-socket-door.ts'
import { openTokenCheck } from '../home/check-token.ts'
import { type Config, readConfig } from '../home/config.ts'
import { ensureDaemonKey } from '../home/daemon-key.ts'
import { findPageFolder, keepPort, lastPort, openSignInFile } from '../home/dashboard-state.ts'
import type { Home } from '../home/home.ts'
import { openHookFiles } from '../home/hook-files.ts'
import { openHookCheck } from '../home/hook-secrets.ts'
import { readInstalls } from '../home/installs.ts'
import { pawlFolders } from '../home/pawl-folders.ts'
import { openPeople } from '../home/people-file.ts'
import { readProof } from '../home/proof-file.ts'
import { ensureTokens } from '../home/tokens.ts'
import { userName } from '../home/user-name.ts'
import { openJobs } from '../jobs/open-jobs.ts'
import { postJson, signed } from '../notify/post-json.ts'
import { readSecretFile } from '../notify/read-secret.ts'
import { openClock } from '../runtime/clock.ts'
import { openPrices } from '../runtime/costs/prices.ts'
import { openPolicies } from '../runtime/definitions/policies.ts'
import { openBypassTokens } from '../runtime/gateway/bypass-tokens.ts'
import { type OpenRuntime, openRuntime, type RuntimeOptions } from '../runtime/open-runtime.ts'
import { relyingPartyOf } from '../runtime/passkeys/webauthn.ts'
import type { Store } from '../runtime/ports.ts'
import { openWorkspaceObserver } from '../runtime/workspace/observe-workspace.ts'
import { boxesToCome, openDaemonBoxes } from './open-boxes-in-daemon.ts'
import { openDaemonHookAnswerer, openHooks } from './open-hooks.ts'
import { openMcp } from './open-mcp.ts'
import { type Notify, openNotify } from './open-notify.ts'
import { openStore } from './open-store.ts'
import { startProxy } from './start-proxy.ts'

type DaemonSettings = {
  readonly home: Home
  /** Null: as the configuration says. */
  readonly port: number | null
  readonly log: LogLine
  readonly version: string
  /** Whether the daemon before did not end by itself. */
  readonly left: boolean
  /** Ends the daemon. */
  readonly stop: (why: string) => void
}

/** A daemon that serves. */
export type Served = {
  readonly url: string
  /** Where people open the page. */
  readonly pageUrl: string
  /** What the start found to say. */
  readonly found: readonly string[]
  /** A new address that signs one browser in to the page. */
  readonly signInLink: () => string
  /** Takes no more requests, ends what was begun, and lets go of everything. */
  readonly close: () => Promise<void>
}

const dayMs = 86_400_000

/** Opens everything; what was opened is closed again when something does not open. */
export async function openDaemon(settings: DaemonSettings): Promise<Served> {
  const { home, log, version } = settings
  const config = readConfig(home.config)
  const opened: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    // The doors first, the store last.
    for (let next = opened.pop(); next !== undefined; next = opened.pop()) await next()
  }
  try {
    const key = ensureDaemonKey(home)
    const agents = openAgentSessions(key, Date.now)
    const allowed = { agents, sharedAgentToken: config.sharedAgentToken }
    const tokens = openTokenCheck(ensureTokens(home), peopleOf(settings), allowed)
    const [checkHook, store] = [openHookCheck(key), await openStore(home, config)]
    // Asked only once it is there: a call comes through a door, and doors open last.
    const watched: { watch: HookWatch | null } = { watch: null }
    const brokenHooks = (folder: string): readonly string[] => watched.watch?.brokenAt(folder) ?? []
    const pages: PageUrls = { urls: [] }
    const coming = boxesToCome()
    const about = { ...settings, brokenHooks, pages, files: coming.files }
    const { runtime, notify } = await openRuntimeOn(store, config, about)
    opened.push(runtime.close)
    await Promise.all([runtime.passkeys.refresh(), runtime.attempts.load()])
    const found = [...(await reportAtStart(store, settings)), ...sharedTokenRemark(config)]
    const alarms = openGuardAlarms({ announce: notify.announce, now: Date.now, log })
    const watch = openHookWatch({ home, runtime, alarms, log })
    watched.watch = watch
    opened.push(
      openScheduledWork(runtime, { watch, sweep: notify.sweep, log }),
      cleanUpHourly(store, log),
      writeAnchors(store, config, log),
    )
    const spans = spansOf(config, log)
    opened.push(spans.close)
    const signIns = openSignInFile(home, userName())
    const jobs = openJobs({ runtime, home, config: config.jobs, newId, log })
    opened.push(jobs.close)
    const spending = spendingOf(runtime, store, log)
    opened.push(spending.close)
    const proxy = await startProxy({ home, config, log, runtime, store, tokens })
    opened.push(proxy.close)
    const context = openDaemonHookAnswerer(runtime, watch, { home, log, config, spending, alarms })
    const noticed = (): readonly string[] => [...watch.known(), ...runtime.attempts.list()]
    const boxes = openDaemonBoxes({ runtime, home, log, context, config: config.jobs, coming })
    opened.push(boxes.close)
    const findPeer = openPeerFinder({ helper: () => installJobHelper(home) })
    const api = openApi({
      ...{ runtime, tokens, checkHook, agents, signIns, jobs, boxes, findPeer, people: notify },
      answerHook: context.answerHttp,
      hosts: () => hostsOf(home, watch),
      about: aboutOf(version, config, () => [...found, ...proxy.found, ...noticed()]),
      stop: () => settings.stop('requested by a client'),
      onFault: (fault) => log('error', 'a request failed', { fault: faultStack(fault) }),
      ...spans.hear,
    })
    coming.api = api
    // WHY before the doors: a client that has seen the socket may be a hook, and asks at once.
    opened.push(await openHooks(context, countWrong(checkHook, runtime), { home, log, config }))
    found.push(...(await boxes.recover()))
    const { url, pageUrl, close: closeDoors } = await openDoors({ api, watch }, settings, config)
    pages.urls = [pageUrl, ...(config.publicUrl === null ? [] : [config.publicUrl])]
    notify.serveAt(pageUrl)
    opened.push(closeDoors)
    const signInLink = (): string => `${pageUrl}/#/sign-in/${signIns.invite('admin').code}`
    return { url, pageUrl, found: [...found, ...proxy.found], signInLink, close }
  } catch (fault) {
    await close()
    throw fault
  }
}

function spendingOf(runtime: OpenRuntime, documents: Store, log: LogLine): Spending {
  const warn = (what: string, about?: Parameters<LogLine>[2]) => log('warning', what, about)
  return openSpending({ runtime, documents, log: warn })
}

function writeAnchors(store: Store, { anchors }: Config, log: LogLine): () => Promise<unknown> {
  return openAnchorWriter({
    ...{ store, settings: anchors, now: Date.now, log },
    post: ({ url, secretFile }, line) => {
      const secret = secretFile === null ? null : readSecretFile(secretFile)
      return postJson(url, line, signed(secret, newId(), line))
    },
  })
}

function sharedTokenRemark({ sharedAgentToken }: Config): readonly string[] {
  const what = '`agent.token` can change every run (`credentials.sharedAgentToken` in config.json)'
  return sharedAgentToken ? [what] : []
}

/** What a start has found stays; what is wrong now is said as long as it is. */
function aboutOf(
  version: string,
  { elicitation }: Config,
  found: () => readonly string[],
): ApiOptions['about'] {
  return {
    version,
    elicitation,
    get found() {
      return found()
    },
  }
}

/** The check of hooks over the socket, which leaves a trace of every wrong secret. */
function countWrong(check: CheckHook, { attempts }: Pick<OpenRuntime, 'attempts'>): CheckHook {
  const attempt = { what: 'hooks over the socket', by: 'an unknown secret', code: 'TOKEN_INVALID' }
  return (secret, place) => {
    const isRight = check(secret, place)
    if (!isRight) attempts.note(attempt)
    return isRight
  }
}

/** Where people reach the page; known once the doors are open. */
type PageUrls = { urls: readonly string[] }

async function openRuntimeOn(
  store: Store,
  config: Config,
  about: DaemonSettings &
    Pick<RuntimeOptions, 'brokenHooks' | 'files'> & { readonly pages: PageUrls },
): Promise<{ readonly runtime: OpenRuntime; readonly notify: Notify }> {
  const { home, log, brokenHooks, pages, files } = about
  const latest = await latestMoment(store)
  // WHY not from the far future: one wrong clock would move time for every run, for good.
  const notBefore = latest > Date.now() + dayMs ? 0 : latest
  if (notBefore !== latest) log('warning', 'a stored run has a time in the future', { at: latest })
  const clock = openClock({ wall: Date.now, steady: () => performance.now(), notBefore })
  const { publicUrl } = config
  const [folders, hookFiles] = [pawlFolders(home), openHookFiles(home)]
  const notify: Notify = openNotify({
    settings: config.notify,
    publicUrl,
    documents: store,
    clock,
    runtime: () => runtime,
    log,
  })
  const runtime: OpenRuntime = openRuntime({
    store,
    clock,
    newId,
    policies: openPolicies(home.folder, clock.now),
    passes: openBypassTokens(home.passes),
    approvalMs: config.approvalMs,
    passkeys: { proof: config.proof, parties: () => pages.urls.flatMap(relyingPartyOf) },
    prices: openPrices({
      base: config.prices,
      now: clock.now,
      remark: (why) => log('warning', 'prices could not be read', { why }),
    }),
    guarded: () => [...folders, ...hookFiles()],
    observeWorkspace: openWorkspaceObserver({ helper: () => installJobHelper(home) }),
    ...(brokenHooks === undefined ? {} : { brokenHooks }),
    ...(files === undefined ? {} : { files }),
    retention: config.retention,
    deliver: notify.deliver,
    outboxFor: notify.outboxFor,
    log: (what, fault) => log('error', what, fault === null ? {} : { fault: faultStack(fault) }),
  })
  return { runtime, notify }
}

/** The latest moment on record: a clock that was set back must not make time repeat itself. */
async function latestMoment(store: Store): Promise<number> {
  const query = { statuses: null, workspace: null, definition: null, after: null, limit: 1 }
  const { items } = await store.listRuns(query)
  return items[0]?.updatedAt ?? 0
}

async function openDoors(
  { api, watch }: { readonly api: Api; readonly watch: HookWatch },
  { home, port, version, log }: DaemonSettings,
  { port: portSet, publicUrl }: Config,
): Promise<Pick<HttpDoor, 'url' | 'pageUrl' | 'close'>> {
  const onFault = (fault: unknown): void => log('warning', 'mcp', { fault: faultStack(fault) })
  const mcp = openMcp(api, { version, onFault })
  const door = { api, host: '127.0.0.1', publicUrl, mounts: mcp.mounts, ...findPageFolder() }
  const http = await openHttp(door, home, port ?? portSet)
  try {
    // Last of all: whoever reaches the socket reaches a daemon that serves.
    const socket = await openSocketDoor({ api, path: home.socket })
    watch.guardSockets([home.socket, home.hookSocket])
    const close = async (): Promise<void> => {
      watch.guardSockets([])
      await Promise.all([socket.close(), mcp.close(), http.close()])
    }
    return { url: http.url, pageUrl: http.pageUrl, close }
  } catch (fault) {
    await http.close()
    throw fault
  }
}

function hostsOf(home: Home, watch: HookWatch): ReturnType<NonNullable<ApiOptions['hosts']>> {
  const installs = readInstalls(home).map(({ host, workspace }) => {
    return { host, workspace, problems: [...watch.problemsIn(workspace, null)] }
  })
  const proof = readProof(home)
  const hosts = proof?.hosts.map(({ ms: _, ...column }) => column) ?? []
  return { installs, proof: proof === null ? null : { ...proof, hosts } }
}

/** WHY the port of last time: a page that is open finds its daemon again after a restart. */
async function openHttp(
  door: Omit<HttpDoorOptions, 'port'>,
  home: Home,
  wanted: number,
): Promise<HttpDoor> {
  const known = wanted === 0 ? lastPort(home) : wanted
  const http = await openHttpDoor({ ...door, port: known }).catch((fault: unknown) => {
    // Somebody else has it now, and may have what browsers sent there.
    if (known === lastPort(home)) door.api.signIns?.endAll()
    if (wanted !== 0 || known === 0) throw fault
    return openHttpDoor({ ...door, port: 0 })
  })
  keepPort(home, http.port)
  return http
}

type Spans = {
  readonly hear: Pick<ApiOptions, 'onSpan'>
  readonly close: () => Promise<void>
}

/** Spans go out only where somebody has said where to. */
function spansOf({ otlpUrl }: Config, log: LogLine): Spans {
  if (otlpUrl === null) return { hear: {}, close: async () => undefined }
  const onTrouble = (what: string): void => log('warning', 'spans were lost', { what })
  const exporter = openOtlpExporter({ endpoint: otlpUrl, serviceName: 'pawl', onTrouble })
  return { hear: { onSpan: exporter.onSpan }, close: exporter.close }
}

function peopleOf({ home, log }: DaemonSettings): ReturnType<typeof openPeople> {
  const what = 'tokens of people are no longer accepted'
  return openPeople(home, (fault) => log('error', what, { fault: faultStack(fault) }))
}
