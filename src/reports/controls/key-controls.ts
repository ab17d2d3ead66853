// Controls K1 to K4 of the compliance report, on signing keys, API keys and how members sign in.
import { DAY_MS } from '../../platform/time.ts'
import {
  judged,
  notApplicable,
  percentOf,
  someNames,
  type ControlDefinition,
  type ApiKeyFacts,
  type SigningFacts,
  type SampleFacts,
} from './control.ts'

const LONGEST_LIFE_DAYS = 365
const USED_WITHIN_DAYS = 90

const NO_KEY = 'The organisation has no key in force.'

export const KEY_CONTROLS: readonly ControlDefinition[] = [
  {
    id: 'K1',
    title: 'Records are signed with a production key in force',
    weight: 3,
    sources: ['AI Act 15'],
    query: 'The key that signs now, and the dates of random receipts against their keys’ validity.',
    wouldPass:
      'A key of this deployment’s own history signs, no key made for development does, and no receipt is dated outside its key’s time.',
    link: '/v1/attestation/keys',
    judge: ({ signing, sample, now }) => {
      const current = signing.history.find(({ publicKey }) => publicKey === signing.current)
      const isActive = current?.status === 'active' && current.validFrom <= now
      const outside = keysOutsideTheirTime(signing, sample)
      const values = {
        current_key: signing.current,
        made_for_development: signing.isThrowAway,
        keys_of_sample: sample.signedBy.length,
        keys_outside_their_time: someNames(outside),
      }
      return judged(isActive && !signing.isThrowAway && outside.length === 0, values)
    },
  },
  {
    id: 'K2',
    title: 'API keys end, or are in use',
    weight: 2,
    sources: ['GDPR 32', 'ISO/IEC 42001 A.9'],
    query: `Active keys that last over ${LONGEST_LIFE_DAYS} days and were not made or used in the last ${USED_WITHIN_DAYS}.`,
    wouldPass: `Every key in force ends at most ${LONGEST_LIFE_DAYS} days after it was made, or was made or used in the last ${USED_WITHIN_DAYS} days. Revoke those that nobody uses.`,
    link: '/api/keys',
    judge: ({ apiKeys, now }) => {
      if (apiKeys.length === 0) return notApplicable(NO_KEY)
      const idle = apiKeys.filter((key) => !expiresOrIsUsed(key, now)).map(({ id }) => id)
      return judged(idle.length === 0, { keys: apiKeys.length, neither: idle.length, ids: someNames(idle) })
    },
  },
  {
    id: 'K3',
    title: 'No key may both call models and manage the organisation',
    weight: 1,
    sources: ['GDPR 32'],
    query: 'Active keys that have both scopes.',
    wouldPass: 'No key in force has both scopes: programs that call models have keys of their own.',
    link: '/api/keys',
    judge: ({ apiKeys }) => {
      if (apiKeys.length === 0) return notApplicable(NO_KEY)
      const both = apiKeys.filter(({ scopes }) => scopes.includes('chat') && scopes.includes('manage'))
      return judged(both.length === 0, {
        keys: apiKeys.length,
        with_both: both.length,
        ids: someNames(both.map(({ id }) => id)),
      })
    },
  },
  {
    id: 'K4',
    title: 'People sign in by an identity provider',
    weight: 2,
    sources: ['GDPR 32'],
    query: 'Members who can sign in by an identity provider; only that can ask for a second factor.',
    wouldPass: 'Every member has signed in by an identity provider at least once.',
    link: '/api/members',
    judge: ({ members: { members, withIdentity, withPasswordToo } }) => {
      if (members === 0) return notApplicable('The organisation has no members: only keys act for it.')
      const values = {
        members,
        with_identity_provider: withIdentity,
        percent: percentOf(withIdentity, members),
        of_those_with_a_password_too: withPasswordToo,
      }
      return judged(withIdentity === members, values)
    },
  },
]

/** Returns keys with receipts outside their time. Unknown keys count, because nobody vouches for them. */
function keysOutsideTheirTime({ history }: SigningFacts, { signedBy }: SampleFacts): string[] {
  const isOutside = ({ publicKey, first, last }: SampleFacts['signedBy'][number]): boolean => {
    const key = history.find((one) => one.publicKey === publicKey)
    return key === undefined || first < key.validFrom || (key.validUntil !== null && last > key.validUntil)
  }
  return signedBy.filter(isOutside).map(({ publicKey }) => publicKey)
}

function expiresOrIsUsed({ createdAt, expiresAt, lastUsedAt }: ApiKeyFacts, now: number): boolean {
  const ends = expiresAt !== null && expiresAt - createdAt <= LONGEST_LIFE_DAYS * DAY_MS
  return ends || now - (lastUsedAt ?? createdAt) <= USED_WITHIN_DAYS * DAY_MS
}
