// An authenticator in the browser of a test, and second factors of people. Passkeys work where the page's address has a name.
import type { CDPSession, Page } from 'playwright-core'
import { totpAt } from '../totp-app.ts'
import { sessionOf } from './browser.ts'
import { ask } from './people.ts'
import type { Person } from './service.ts'

const PHONE = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

type Authenticator = { cdp: CDPSession; authenticatorId: string }

/** Adds one to the page that does what it is asked. @param options of WebAuthn.addVirtualAuthenticator that differ */
export async function addAuthenticator(page: Page, options: object = {}): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const added = await cdp.send('WebAuthn.addVirtualAuthenticator', { options: { ...PHONE, ...options } })
  return { cdp, ...added }
}

/** Makes a passkey of the person who is signed in on the page, as the account page does. */
export const addPasskey = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    const post = async (path, body) => {
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const response = await fetch('/api/auth/passkeys' + path, request)
      if (!response.ok) throw new Error(await response.text())
      return response.json()
    }
    const { options } = await post('/options', { purpose: 'register' })
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const { rawId, response } = (await navigator.credentials.create({ publicKey })).toJSON()
    const { clientDataJSON, attestationObject, transports } = response
    await post('', { name: 'This device', passkey: { rawId, response: { clientDataJSON, attestationObject, transports } } })
  })()`)

/** Sets up an app for the person. Returns its secret and the recovery codes. The code of now is used up: the next is `nextCode`. */
export async function addApp(person: Person): Promise<{ secret: string; codes: readonly string[] }> {
  const session = await sessionOf(person)
  const { secret } = await ask<{ secret: string }>('POST', '/api/auth/totp', {}, session)
  const code = totpAt(secret, Date.now())
  const body = await ask<{ recovery_codes: string[] }>('POST', '/api/auth/totp/confirm', { code }, session)
  return { secret, codes: body.recovery_codes }
}

/** The service takes a code one step ahead, and each code once. */
export const nextCode = (secret: string): string => totpAt(secret, Date.now() + 30_000)
