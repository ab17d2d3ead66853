// Makes and uses passkeys through the browser, and tells why that failed. The JSON is written by hand: `toJSON` and `getPublicKey`
// fail with the passkeys of some password managers.
import type { Infer } from '../../platform/once.ts'
import type {
  AddPasskeySchema,
  PasskeySignInSchema,
  Purpose,
} from '../../accounts/second-factor/second-factor.schema.ts'
import { sendRequest, type Answer, type Problem } from './send-request.ts'

export type MadePasskey = Infer<typeof AddPasskeySchema>['passkey']
export type UsedPasskey = Infer<typeof PasskeySignInSchema>['passkey']

/** The members of the service's options that are base64url in JSON and bytes for the browser. */
type Descriptor = { type: 'public-key'; id: string; transports: AuthenticatorTransport[] }
type RequestOptions = Omit<PublicKeyCredentialRequestOptions, 'challenge' | 'allowCredentials'> & {
  challenge: string
  allowCredentials: Descriptor[]
}
export type CreationOptions = Omit<PublicKeyCredentialCreationOptions, 'challenge' | 'user' | 'excludeCredentials'> & {
  challenge: string
  user: Omit<PublicKeyCredentialUserEntity, 'id'> & { id: string }
  excludeCredentials: Descriptor[]
}

/** True if the browser can use passkeys on this page. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in globalThis

/** Loads options for one use, before the click that uses them: a browser may want the click to be close. */
export const loadOptions = (purpose: Purpose): Promise<Answer<{ options: RequestOptions }>> =>
  sendRequest('POST', '/api/auth/passkeys/options', { body: { purpose } })

/** True if the options ask for a passkey that the person has. */
export const namesPasskey = ({ allowCredentials }: RequestOptions): boolean => allowCredentials.length > 0

/** Asks the person for a passkey. Throws a DOMException, which `passkeyProblem` explains. */
export async function usePasskey(
  { challenge, allowCredentials, ...rest }: RequestOptions,
  how: { mediation?: 'conditional'; signal?: AbortSignal } = {},
) {
  const publicKey = { ...rest, challenge: bytesOf(challenge), allowCredentials: allowCredentials.map(withBytes) }
  const credential = await navigator.credentials.get({ ...how, publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('no passkey', 'NotAllowedError')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- password managers answer with objects of their own
  const response = credential.response as AuthenticatorAssertionResponse
  return {
    rawId: textOf(credential.rawId),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      userHandle: response.userHandle === null ? null : textOf(response.userHandle),
    },
  } satisfies UsedPasskey
}

/** The longest use of loaded options, in milliseconds. The service takes them for five minutes. */
const RENEWED_AFTER_MS = 4 * 60_000

type Send = (passkey: UsedPasskey) => Promise<Problem | null>

/**
 * Keeps options ready for a click, and loads them anew when the tab is seen again: another tab may have replaced them.
 * @param sendSuggested sends a passkey that the person chose in a field with `autocomplete=webauthn`; null to suggest none
 */
export function offerPasskey(purpose: Purpose, sendSuggested: Send | null) {
  let options = loadOptions(purpose)
  let suggestion = new AbortController()
  let isInUse = false
  let isEnded = false

  /** Returns null if the passkey was right. Other options replace the cookie of these, so they are loaded only after that. */
  async function sendBy(send: Send, asked: Promise<UsedPasskey>): Promise<Problem | null> {
    isInUse = true
    const problem = await asked.then(send, passkeyProblem)
    isInUse = false
    if (problem !== null) renew()
    return problem
  }

  async function suggest({ signal }: AbortController): Promise<void> {
    if (sendSuggested === null || !(await PublicKeyCredential.isConditionalMediationAvailable())) return
    const loaded = await options
    if (loaded.outcome === 'refused' || signal.aborted) return
    const suggested = await usePasskey(loaded.body.options, { mediation: 'conditional', signal }).catch(() => null)
    if (suggested !== null) await sendBy(sendSuggested, Promise.resolve(suggested))
  }

  function renew(): void {
    if (isInUse || isEnded || document.hidden) return
    suggestion.abort()
    suggestion = new AbortController()
    options = loadOptions(purpose)
    void suggest(suggestion)
  }

  const timer = setInterval(renew, RENEWED_AFTER_MS)
  document.addEventListener('visibilitychange', renew)
  void suggest(suggestion)
  return {
    /** Asks for the passkey and sends it. Returns null if it was right. */
    async use(send: Send): Promise<Problem | null> {
      // A browser has one request for a passkey at a time.
      suggestion.abort()
      const first = await options
      const loaded = first.outcome === 'refused' ? await loadOptions(purpose) : first
      return loaded.outcome === 'refused' ? loaded.problem : sendBy(send, usePasskey(loaded.body.options))
    },
    end(): void {
      isEnded = true
      suggestion.abort()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', renew)
    },
  }
}

/** Asks the person to make a passkey. Throws a DOMException, which `passkeyProblem` explains. */
export async function makePasskey(options: CreationOptions): Promise<MadePasskey> {
  const { challenge, user, excludeCredentials, ...rest } = options
  const publicKey = {
    ...rest,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials.map(withBytes),
  }
  const credential = await navigator.credentials.create({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('no passkey', 'NotAllowedError')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- password managers answer with objects of their own
  const response = credential.response as AuthenticatorAttestationResponse
  return {
    rawId: textOf(credential.rawId),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports(),
    },
  }
}

const WORDS: Readonly<Record<string, string>> = {
  NotAllowedError: 'Nothing was confirmed. Try again, or use another way. A security key needs a PIN.',
  InvalidStateError: 'This device has a passkey already.',
  SecurityError: `Passkeys do not work at ${location.origin}. Open this page by its name, not by a number.`,
}

/** Returns why no passkey can be made on this page, or null. A passkey is of a name, so an address of numbers has none. */
export function passkeyObstacle(): string | null {
  if (!hasPasskeys()) return 'This browser has no passkeys.'
  return /^[\d.]+$|^\[/.test(location.hostname) ? (WORDS['SecurityError'] ?? null) : null
}

/** Explains what the browser threw. */
export const passkeyProblem = (thrown: unknown): Problem => ({
  status: 0,
  code: 'passkey_failed',
  message:
    WORDS[thrown instanceof DOMException ? thrown.name : ''] ?? 'The browser could not use a passkey. Use another way.',
  requestId: null,
  param: null,
  fields: [],
  retryAfterSeconds: null,
  error: {},
})

const withBytes = (descriptor: Descriptor) => ({ ...descriptor, id: bytesOf(descriptor.id) })

const textOf = (buffer: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
