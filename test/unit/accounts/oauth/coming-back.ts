// A service whose identity provider says what a test tells it, and people who come back from there.
import { env } from 'cloudflare:workers'
import { OAuthFlowsStore } from '../../../../src/accounts/oauth/oauth-flows.store.ts'
import { createOAuthService } from '../../../../src/accounts/oauth/oauth.service.ts'
import type { OpenIdClient } from '../../../../src/accounts/oauth/openid.client.ts'
import { InvitationsStore } from '../../../../src/accounts/members/invitations.store.ts'
import type { PendingAct } from '../../../../src/accounts/members/pending-acts.store.ts'
import { IdentitiesStore } from '../../../../src/accounts/people/identities.store.ts'
import { PeopleStore } from '../../../../src/accounts/people/people.store.ts'
import { SessionsStore } from '../../../../src/accounts/people/sessions.store.ts'
import type { Mail } from '../../../../src/platform/mail.ts'
import type { IdentityProvider } from '../../../../src/platform/sign-in-config.ts'
import type { PersonId, SessionId } from '../../../../src/platform/ids.ts'
import { addPerson as insertPerson } from '../../../support/unit/session.ts'
import { makeTables } from '../../../support/unit/tables.ts'

export const NOW = Date.UTC(2091, 2, 15)
export const EMAIL = 'ann@clinic.example'
const ORIGIN = 'https://countersign.example'

export const people = new PeopleStore(env.DB)
export const sessions = new SessionsStore(env.DB)
export const identities = new IdentitiesStore(env.DB)
export const provider = {
  id: 'clinic',
  label: 'The clinic',
  issuer: 'https://issuer.example',
  clientId: 'a',
  clientSecret: 'b',
  emailTrust: 'verified',
} as const

/** Of the present test. */
export const mails: Mail[] = []
export const delivered: PendingAct[] = []

/** Before each test. */
export async function startOver(): Promise<void> {
  mails.length = 0
  delivered.length = 0
  await makeTables()
}

type Setting = {
  signUp?: 'open' | 'invited'
  whileIdentified?: () => Promise<unknown>
  isLedgerDown?: boolean
  secondFactor?: IdentityProvider['secondFactor']
  /** The session to confirm. */
  confirming?: SessionId
  /** The session's token that the browser comes back with. */
  previousToken?: string
}

/** Comes back from the provider with these claims. */
export async function comeBack(
  claims: object = {},
  { signUp = 'open', whileIdentified, isLedgerDown = false, secondFactor, confirming, previousToken }: Setting = {},
) {
  const openId: OpenIdClient = {
    authorizationUrl: async () => ({ outcome: 'ready', url: 'https://issuer.example/authorize' }),
    identify: async () => {
      await whileIdentified?.()
      return {
        outcome: 'identified',
        claims: { iss: provider.issuer, sub: 'subject', email: EMAIL, email_verified: true, ...claims },
      }
    },
  }
  const service = createOAuthService({
    identityProviders: [{ ...provider, ...(secondFactor && { secondFactor }) }],
    signUp,
    openId,
    flows: new OAuthFlowsStore(env.DB),
    people,
    identities,
    sessions,
    secondStep: {
      begin: async ({ secondFactorSince }) =>
        secondFactorSince === null ? null : { token: 'a', expiresAt: NOW, methods: ['totp'] },
    },
    invitations: new InvitationsStore(env.DB),
    delivery: {
      deliver: async (act) => {
        delivered.push(act)
        if (isLedgerDown) throw new Error('unreachable')
        return []
      },
    },
    mailer: { sends: true, send: async (mail) => (mails.push(mail), 'sent') },
    clock: () => NOW,
  })
  const begun = await service.begin({
    provider: 'clinic',
    returnTo: '/',
    confirming: confirming ?? null,
    origin: ORIGIN,
    requestId: 'req_1',
  })
  if (begun.outcome !== 'begun') throw new Error(begun.outcome)
  const works: Promise<unknown>[] = []
  const finished = await service.finish({
    answer: new URLSearchParams(),
    state: begun.state,
    previousToken: previousToken ?? null,
    origin: ORIGIN,
    requestId: 'req_2',
    later: (work) => void works.push(work),
  })
  await Promise.all(works)
  if (finished.outcome === 'refused') return finished
  const { outcome, personId } = finished
  return { outcome, personId }
}

type Given = { emailProvenAt?: number | null; email?: string }

export const addPerson = ({ emailProvenAt = 1, email = EMAIL }: Given = {}): Promise<PersonId> =>
  insertPerson({ email, emailProvenAt, password: '$scrypt$ln=15,r=8,p=3$MARKED$password', passwordChangedAt: 1 })

export const rows = async (query: string) => (await env.DB.prepare(query).all()).results

export const REFUSED = { outcome: 'refused', error: 'refused' }
