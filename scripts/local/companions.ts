// What runs beside the local Worker, on this machine only: a mailbox, and emulators of what it would ask elsewhere.
import { randomBytes } from 'node:crypto'
import { startEmulator } from '../emulator/server.ts'
import type { KeptMail } from '../mailbox/kept-mails.ts'
import { startMailbox, type Mailbox } from '../mailbox/server.ts'
import type { ReceivedMessage } from '../webhook-receiver/server.ts'
import { startWebhookReceiver } from '../webhook-receiver/server.ts'
import type { Settings } from './dev-vars.ts'
import { emulatedProviders, hasProviderKey } from './emulated-providers.ts'
import { startIdentityProvider } from './identity-provider.ts'
import { startLocalAuthority, type LocalAuthority } from './local-timestamp-authority.ts'
import { startLocalWitness, type LocalWitness } from './local-witness.ts'

/** Something that runs beside the Worker, and the Worker's settings that lead there. */
export type Companion = { settings: Settings; url: string; close(): Promise<void> }

export type Companions = {
  /** Those of the file, and above them those that lead to what runs beside the Worker. */
  settings: Settings
  /** Null: the real providers are asked. */
  emulator: Companion | null
  mailbox: Companion & Pick<Mailbox, 'waitFor'>
  webhookReceiver: Companion
  /** Null: those of the file are asked. */
  identityProvider: Companion | null
  /** Null: those of the file are asked, or the log has no key. */
  witness: LocalWitness | null
  /** Null: that of the file is asked. */
  timestampAuthority: LocalAuthority | null
  close(): Promise<void>
}

/**
 * @param settings what the person who starts it has set: a key to a provider there means the real ones, and so do identity
 * providers, witnesses and a timestamp authority
 * @param state the folder of the local storage
 */
export async function startCompanions(
  settings: Settings,
  state: string,
  on: { mail: (mail: KeptMail) => void; message: (message: ReceivedMessage) => void },
): Promise<Companions> {
  const [emulator, mailbox, webhookReceiver, identityProvider, witness, timestampAuthority] = await Promise.all([
    hasProviderKey(settings) ? null : startModelEmulator(),
    startLocalMailbox(on.mail),
    startLocalReceiver(settings, on.message),
    'OAUTH_PROVIDERS' in settings ? null : startIdentityProvider(),
    startLocalWitness(settings, state),
    startLocalAuthority(settings, state),
  ])
  const started = [emulator, mailbox, webhookReceiver, identityProvider, witness, timestampAuthority].filter(
    (companion) => companion !== null,
  )
  return {
    settings: {
      ...settings,
      ...emulator?.settings,
      ...mailbox.settings,
      ...webhookReceiver.settings,
      ...identityProvider?.settings,
      ...witness?.settings,
      ...timestampAuthority?.settings,
    },
    emulator,
    mailbox,
    webhookReceiver,
    identityProvider,
    witness,
    timestampAuthority,
    close: async () => void (await Promise.all(started.map((companion) => companion.close()))),
  }
}

async function startModelEmulator(): Promise<Companion> {
  const { url, close } = await startEmulator({ record: true })
  return { settings: emulatedProviders(url), url, close }
}

/** Whatever the file says of mail and of sign-up: no demonstration mails anybody. */
async function startLocalMailbox(onMail: (mail: KeptMail) => void): Promise<Companions['mailbox']> {
  const key = randomBytes(24).toString('base64url')
  const mailbox = await startMailbox({ key, onMail })
  return { ...mailbox, settings: mailSettings(mailbox.url, key) }
}

/** A resolver of the file is asked still, for whoever wants to be told at a name from here. */
async function startLocalReceiver(
  settings: Settings,
  onMessage: (message: ReceivedMessage) => void,
): Promise<Companion> {
  const { url, close } = await startWebhookReceiver({ onMessage })
  const resolver = settings['DNS_OVER_HTTPS_URL'] ?? `${url}/dns-query`
  return { settings: { WEBHOOK_LOOPBACK: 'on', DNS_OVER_HTTPS_URL: resolver }, url, close }
}

/** The settings of a Worker whose mail goes to a mailbox, and where anybody may sign up. */
export const mailSettings = (url: string, key: string): Settings => ({
  SIGNUP: 'open',
  MAILER: 'http',
  MAILER_URL: url,
  MAILER_KEY: key,
  MAIL_FROM: 'countersign@mailbox.example',
})
