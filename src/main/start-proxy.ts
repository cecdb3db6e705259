/**
 * The outbound proxy as part of a daemon: its secrets, its upstream, and mail that an earlier
 * process left open.
 */
import type { LogLine } from '../daemon/log-file.ts'
import { repeatEvery } from '../daemon/repeat-timer.ts'
import type { TokenCheck } from '../doors/api/caller.ts'
import type { Config } from '../home/config.ts'
import type { ProxyConfig } from '../home/config-proxy.ts'
import type { Home } from '../home/home.ts'
import { readSecret } from '../home/secret-file.ts'
import { missingSecrets, proxySecretFiles } from '../home/settings-problems.ts'
import { openResendUpstream } from '../proxy/mail/resend-upstream.ts'
import { type MailSender, openMailSender } from '../proxy/mail/send-mail.ts'
import { openSentMailLog } from '../proxy/mail/sent-mail.ts'
import { openSmtpUpstream } from '../proxy/mail/smtp-upstream.ts'
import type { MailUpstream } from '../proxy/mail/upstream.ts'
import { openProxy } from '../proxy/open-proxy.ts'
import { type KeyedHost, openCredentialContext } from '../proxy/secrets/inject-credential.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import type { Store } from '../runtime/ports.ts'
import type { Runtime } from '../runtime/runtime.ts'

type ProxyDependencies = {
  readonly home: Home
  readonly config: Config
  readonly log: LogLine
  readonly runtime: Runtime
  readonly store: Store
  readonly tokens: TokenCheck
}

type StartedProxy = {
  /** What a start has to say of it. */
  readonly found: readonly string[]
  readonly close: () => Promise<void>
}

const resendUrl = 'https://api.resend.com'
const resumeMs = 15_000

/** Starts the proxy, where it is set up. */
export async function startProxy(around: ProxyDependencies): Promise<StartedProxy> {
  const { config, log, runtime, tokens } = around
  const settings = config.proxy
  if (settings === null) return { found: [], close: async () => undefined }
  const { askWaitMs } = config.hooks
  const warn = (what: string, about: object): void => log('warning', what, { ...about })
  const post = settings.mail === undefined ? null : startPost(around, settings.mail)
  const hosts = (settings.hosts ?? []).map((host) => keyedHost(around.home, host))
  const proxy = await openProxy({
    port: settings.port ?? 0,
    isToken: (presented) => tokens(presented) !== null,
    runOf: runtime.proxyKeys.runOf,
    post,
    keyed: openCredentialContext(hosts, { runtime, askWaitMs }),
    log: warn,
  })
  // What an earlier life has left open is tried at once, and then again and again.
  const resume = async (): Promise<unknown> => post?.resume()
  const onFault = (fault: unknown): void => warn('unfinished mail was found', { fault: `${fault}` })
  const timer = repeatEvery(resumeMs, resume, onFault)
  const missing = missingSecrets(proxySecretFiles(around.home, settings))
  for (const what of missing) warn(what, {})
  return {
    found: [`the outbound proxy listens on ${proxy.url}`, ...missing],
    close: async () => {
      await proxy.close()
      await timer.stop()
    },
  }
}

function startPost(around: ProxyDependencies, mail: NonNullable<ProxyConfig['mail']>): MailSender {
  const { config, log, runtime, store } = around
  return openMailSender({
    runtime,
    ledger: openSentMailLog(store, Date.now),
    upstream: upstreamOf(around.home, mail),
    askWaitMs: config.hooks.askWaitMs,
    now: Date.now,
    isShared: store.isShared,
    log: (what, about) => log('warning', what, about),
  })
}

/** An API or a mail server: one of the two, and whole. */
function upstreamOf(home: Home, mail: NonNullable<ProxyConfig['mail']>): MailUpstream {
  const { url = resendUrl, keyFile, smtp } = mail
  if (keyFile !== undefined && smtp === undefined) {
    const secret = (): string => readSecret(home, keyFile)
    return openResendUpstream({ url: url.replace(/\/$/, ''), secret })
  }
  if (smtp === undefined || keyFile !== undefined || mail.url !== undefined) {
    const hint = 'set `keyFile` (and `url`) for an API, or `smtp` for a mail server'
    throw new PawlError('CONFIG_INVALID', '`proxy.mail` needs exactly one upstream', { hint })
  }
  const { user, passwordFile, ...server } = smtp
  const login = user === undefined ? {} : { user }
  const password = (): string => (passwordFile === undefined ? '' : readSecret(home, passwordFile))
  return openSmtpUpstream({ ...server, ...login, password }, Date.now)
}

type HostSetting = NonNullable<ProxyConfig['hosts']>[number]

function keyedHost(home: Home, setting: HostSetting): KeyedHost {
  const { name, url, header = 'authorization', format = 'Bearer {secret}', paths } = setting
  return {
    ...{ name, url: url.replace(/\/$/, ''), header: header.toLowerCase(), format, paths },
    methods: setting.methods ?? ['GET', 'HEAD'],
    secret: () => readSecret(home, setting.secretFile),
  }
}
