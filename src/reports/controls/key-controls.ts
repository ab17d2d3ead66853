// Controls K1 to K4 of the compliance report, on signing keys, API keys and how members sign in.
import { DAY_MS } from '../../platform/time.ts'
import { isInForce, type MemberFactor } from '../../policies/second-factor.policy.ts'
import {
  control,
  noData,
  passIf,
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
  control({
    id: 'K1',
    title: 'Records are signed with a production key in force',
    weight: 3,
    earns: false,
    sources: ['AI Act 15'],
    query: 'The key that signs now, and the dates of random receipts against their keys’ validity.',
    wouldPass:
      'A key of this deployment’s own history signs, no key made for development does, and no receipt is dated outside its key’s time.',
    link: '/v1/attestation/keys',
    measure: ({ signing, sample, now }) => {
      if (sample.signedBy.length === 0) return noData('No receipt was drawn whose signing key could be looked up.')
      const current = signing.history.find(({ publicKey }) => publicKey === signing.current)
      return {
        values: {
          current_key: signing.current,
          current_key_in_force: current?.status === 'active' && current.validFrom <= now,
          made_for_development: signing.isThrowAway,
          keys_of_sample: sample.signedBy.length,
          keys_outside_their_time: someNames(keysOutsideTheirTime(signing, sample)),
        },
        sample: sample.draw,
      }
    },
    judge: (values) =>
      passIf(
        values.current_key_in_force && !values.made_for_development && values.keys_outside_their_time.length === 0,
      ),
  }),
  control({
    id: 'K2',
    title: 'API keys end, and are in use',
    weight: 2,
    earns: true,
    sources: ['GDPR 32'],
    query: `Active keys that last over ${LONGEST_LIFE_DAYS} days, or were not made or used in the last ${USED_WITHIN_DAYS}.`,
    wouldPass: `Every key in force ends at most ${LONGEST_LIFE_DAYS} days after it was made, and was made or used in the last ${USED_WITHIN_DAYS} days. Revoke those that nobody uses.`,
    link: '/api/keys',
    measure: ({ apiKeys, now }) => {
      if (apiKeys.length === 0) return noData(NO_KEY)
      const endless = apiKeys.filter((key) => !endsInTime(key)).map(({ id }) => id)
      const idle = apiKeys.filter((key) => !isInUse(key, now)).map(({ id }) => id)
      return {
        values: {
          keys: apiKeys.length,
          endless: endless.length,
          idle: idle.length,
          ids: someNames([...new Set([...endless, ...idle])]),
        },
      }
    },
    judge: ({ endless, idle }) => passIf(endless === 0 && idle === 0),
  }),
  control({
    id: 'K3',
    title: 'No key may both call models and manage the organisation',
    weight: 1,
    earns: false,
    sources: ['GDPR 32'],
    query: 'Active keys that have both scopes.',
    wouldPass: 'No key in force has both scopes: programs that call models have keys of their own.',
    link: '/api/keys',
    measure: ({ apiKeys }) => {
      if (apiKeys.length === 0) return noData(NO_KEY)
      const both = apiKeys.filter(({ scopes }) => scopes.includes('chat') && scopes.includes('manage'))
      const ids = someNames(both.map(({ id }) => id))
      return { values: { keys: apiKeys.length, with_both: both.length, ids } }
    },
    judge: ({ with_both: withBoth }) => passIf(withBoth === 0),
  }),
  control({
    id: 'K4',
    title: 'Members sign in with a second factor',
    weight: 2,
    earns: true,
    sources: ['GDPR 32'],
    query: 'Members by their strongest second factor, and whether the organisation requires one.',
    wouldPass:
      'Every member has a passkey, an authenticator app or an identity provider that is trusted with it, and the organisation requires a second factor.',
    measure: ({ members, requirement, now }) => {
      if (members.length === 0) return noData('The organisation has no members: only keys act for it.')
      const withFactor = (wanted: MemberFactor) => members.filter(({ factor }) => factor === wanted)
      return {
        values: {
          members: members.length,
          passkey: withFactor('passkey').length,
          totp: withFactor('totp').length,
          provider: withFactor('provider').length,
          none: withFactor('none').length,
          ids: someNames(withFactor('none').map(({ id }) => id)),
          required: requirement.secondFactor,
          from: requirement.secondFactorFrom,
          required_now: isInForce(requirement, now),
        },
      }
    },
    judge: ({ none, required_now: isRequired }) => passIf(none === 0 && isRequired),
  }),
]

/** Returns keys with receipts outside their time. Unknown keys count, because nobody vouches for them. */
function keysOutsideTheirTime({ history }: SigningFacts, { signedBy }: SampleFacts): string[] {
  const isOutside = ({ publicKey, first, last }: SampleFacts['signedBy'][number]): boolean => {
    const key = history.find((one) => one.publicKey === publicKey)
    return key === undefined || first < key.validFrom || (key.validUntil !== null && last > key.validUntil)
  }
  return signedBy.filter(isOutside).map(({ publicKey }) => publicKey)
}

const endsInTime = ({ createdAt, expiresAt }: ApiKeyFacts): boolean =>
  expiresAt !== null && expiresAt - createdAt <= LONGEST_LIFE_DAYS * DAY_MS

const isInUse = ({ createdAt, lastUsedAt }: ApiKeyFacts, now: number): boolean =>
  now - (lastUsedAt ?? createdAt) <= USED_WITHIN_DAYS * DAY_MS
