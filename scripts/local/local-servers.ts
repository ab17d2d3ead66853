// Starts all servers that the local Worker uses, such as emulator and mailbox, in one process on this machine only.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readLogConfig } from '../../src/public-log/public-log-config.ts'
import { formatVkey, noteKeyFromBase64url } from '../../src/evidence/checkpoint/note-key.ts'
import { ConfigError, readConfig } from '../../src/platform/config.ts'
import { startEmulator } from '../emulator/server.ts'
import type { Settings } from './dev-vars.ts'
import { isPortFree } from './dev-server.ts'
import { emulatedProviders, hasProviderKey } from './emulated-providers.ts'
import type { LocalFacts } from './local-facts.ts'
import { startIdentityProvider } from './servers/identity-provider.ts'
import type { ReceivedMail } from './servers/mailbox-page.ts'
import { startMailbox, type Mailbox } from './servers/mailbox.ts'
import { startWebhookReceiver, type ReceivedMessage } from './servers/webhook-receiver.ts'
import { startWitness } from './servers/witness.ts'

/** A local server. `settings`: make the Worker use it. */
type LocalServer = { settings: Settings; url: string; close(): Promise<void> }

/** A local witness. `logs`: the vkeys of the log that it watches. */
type LocalWitness = LocalServer & { vkey: string; logs: string[] }

/** All local servers. A server is null if .dev.vars names a real one. */
export type LocalServers = {
  /** The settings of .dev.vars, overridden by those that make the Worker use these servers. */
  settings: Settings
  emulator: LocalServer | null
  mailbox: LocalServer & Pick<Mailbox, 'waitFor'>
  webhookReceiver: LocalServer
  identityProvider: LocalServer | null
  witness: LocalWitness | null
  close(): Promise<void>
}

/** Starts a server on the port of an earlier address if that is free, or else on any free port. */
async function onPortOf<T>(address: string | null | undefined, start: (port: number) => Promise<T>): Promise<T> {
  const port = typeof address === 'string' ? Number(new URL(address).port) : 0
  return start(port !== 0 && (await isPortFree(port)) ? port : 0)
}

/**
 * Starts the local servers, except those that the settings replace by real ones.
 * @param settings of .dev.vars. A provider's key, identity provider or witness there replaces the local server
 * @param state the folder of the local storage
 * @param earlier the addresses of the last start, whose ports are used again where they are free
 */
export async function startLocalServers(
  settings: Settings,
  state: string,
  earlier: LocalFacts | null,
  on: { mail: (mail: ReceivedMail) => void; message: (message: ReceivedMessage) => void },
): Promise<LocalServers> {
  const [emulator, mailbox, webhookReceiver, identityProvider, witness] = await Promise.all([
    hasProviderKey(settings) ? null : onPortOf(earlier?.emulator, startLocalEmulator),
    onPortOf(earlier?.mailbox, (port) => startLocalMailbox(port, on.mail)),
    onPortOf(earlier?.webhookReceiver, (port) => startLocalReceiver(port, settings, on.message)),
    'OAUTH_PROVIDERS' in settings ? null : onPortOf(earlier?.identityProvider, startIdentityProvider),
    onPortOf(earlier?.witness?.url, (port) => startLocalWitness(port, settings, state)),
  ])
  const servers = { emulator, mailbox, webhookReceiver, identityProvider, witness }
  const started = Object.values(servers).filter((server) => server !== null)
  return {
    ...servers,
    settings: Object.fromEntries(
      [settings, ...started.map((server) => server.settings)].flatMap(Object.entries<string>),
    ),
    close: async () => void (await Promise.all(started.map((server) => server.close()))),
  }
}

async function startLocalEmulator(port: number): Promise<LocalServer> {
  const { url, close } = await startEmulator({ record: true, port })
  return { settings: emulatedProviders(url), url, close }
}

/** Ignores the mail and sign-up settings of .dev.vars, so that no demo mails anybody. */
async function startLocalMailbox(port: number, onMail: (mail: ReceivedMail) => void): Promise<LocalServers['mailbox']> {
  const key = randomBytes(24).toString('base64url')
  const mailbox = await startMailbox({ port, key, onMail })
  return { ...mailbox, settings: mailSettings(mailbox.url, key) }
}

/** Returns settings of a Worker that mails to a mailbox and lets anybody sign up. */
export const mailSettings = (url: string, key: string): Settings => ({
  SIGNUP: 'open',
  MAILER: 'http',
  MAILER_URL: url,
  MAILER_KEY: key,
  MAIL_FROM: 'countersign@mailbox.example',
})

/** Uses the resolver of .dev.vars if it names one, for webhooks that leave this machine. */
async function startLocalReceiver(
  port: number,
  settings: Settings,
  onMessage: (message: ReceivedMessage) => void,
): Promise<LocalServer> {
  const { url, close } = await startWebhookReceiver({ port, onMessage })
  const resolver = settings['DNS_OVER_HTTPS_URL'] ?? `${url}/dns-query`
  return { settings: { WEBHOOK_LOOPBACK: 'on', DNS_OVER_HTTPS_URL: resolver }, url, close }
}

/** Returns null if .dev.vars names witnesses, or no key of the log. A new storage folder gets a new witness for its new log. */
async function startLocalWitness(port: number, settings: Settings, state: string): Promise<LocalWitness | null> {
  const logs = 'WITNESSES' in settings ? [] : logVkeys(settings)
  if (logs.length === 0) return null
  const folder = join(state, 'witness')
  const { url, vkey, close } = await startWitness({ port, folder, name: 'witness.local', logs })
  return { settings: { WITNESSES: JSON.stringify([{ vkey, url }]) }, url, vkey, logs, close }
}

function logVkeys(settings: Settings): string[] {
  const all = { ENVIRONMENT: 'local', JURISDICTIONS: 'off', ...settings }
  try {
    const { log } = readLogConfig(all, readConfig(all))
    return log === null
      ? []
      : log.keys.history.map((key) => formatVkey(noteKeyFromBase64url(log.origin, 'ed25519', key.public_key)))
  } catch (thrown) {
    // The Worker starts with the same settings and reports which of them are wrong.
    if (thrown instanceof ConfigError) return []
    throw thrown
  }
}
