// An authenticator in the browser of a test, and second factors of people. Passkeys work where the page's address has a name.
import type { CDPSession, Page } from 'playwright-core'

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
