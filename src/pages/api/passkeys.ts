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
export const loadOptions = (purpose: Purpose): Promise<Answer<{ options: unknown }>> =>
  sendRequest('POST', '/api/auth/passkeys/options', { body: { purpose } })

/** Asks the person for a passkey. Throws a DOMException, which `passkeyProblem` explains. */
export async function usePasskey(options: unknown, how: { mediation?: 'conditional'; signal?: AbortSignal } = {}) {
  const { challenge, allowCredentials, ...rest } = options as RequestOptions
  const publicKey = { ...rest, challenge: bytesOf(challenge), allowCredentials: allowCredentials.map(withBytes) }
  const credential = await navigator.credentials.get({ ...how, publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('no passkey', 'NotAllowedError')
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
