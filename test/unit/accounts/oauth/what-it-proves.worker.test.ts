// What an identity provider proves: a second factor that it vouches for, and a session that is confirmed there.
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import type { VouchedFactor } from '../../../../src/accounts/access/session-proof.policy.ts'
import { newId } from '../../../../src/platform/ids.ts'
import {
  addPerson,
  comeBack,
  EMAIL,
  identities,
  NOW,
  people,
  provider,
  rows,
  sessions,
  startOver,
} from './coming-back.ts'

beforeEach(startOver)

describe('somebody who has a second factor here', () => {
  const trusted = { by: 'amr', values: ['mfa'] } as const
  const claims = { amr: ['pwd', 'mfa'], auth_time: NOW / 1000 - 60 }

  async function withFactor(): Promise<void> {
    await addPerson()
    await env.DB.prepare('UPDATE people SET second_factor_since = 1').run()
  }

  it.each([
    ['the operator trusts the provider in none', claims, undefined],
    ['the provider vouches for one, since whoever reads their mail could have joined it', claims, trusted],
  ])('is asked for it where %s', async (_, told, secondFactor) => {
    await withFactor()
    expect(await comeBack(told, { secondFactor })).toMatchObject({ outcome: 'second_step' })
    expect(await rows('SELECT * FROM sessions')).toEqual([])
  })
})

describe('somebody whose second factor is the provider’s', () => {
  const byAmr = { by: 'amr', values: ['mfa'] } as const
  const byAcr = { by: 'acr', values: ['phr', 'phrh'] } as const

  it.each([
    ['of a minute ago', byAmr, { amr: ['pwd', 'mfa'], auth_time: NOW / 1000 - 60.5 }, NOW - 61_000],
    ['of 20 minutes ago', byAmr, { amr: ['mfa'], auth_time: NOW / 1000 - 1200 }, null],
    ['of 1970', byAmr, { amr: ['mfa'], auth_time: 0 }, null],
    ['of no time', byAmr, { amr: ['mfa'] }, null],
    ['of a time as text', byAmr, { amr: ['mfa'], auth_time: String(NOW / 1000) }, null],
    ['in another spelling', byAmr, { amr: ['MFA'], auth_time: NOW / 1000 }, null],
    ['as text and not a list', byAmr, { amr: 'mfa', auth_time: NOW / 1000 }, null],
    ['of a clock that is a minute ahead', byAmr, { amr: ['mfa'], auth_time: NOW / 1000 + 60 }, NOW],
    ['of an hour ahead', byAmr, { amr: ['mfa'], auth_time: NOW / 1000 + 3600 }, null],
    ['by an acr that is trusted', byAcr, { acr: 'phrh', auth_time: NOW / 1000 }, NOW],
    ['by another acr', byAcr, { acr: 'aal1', amr: ['phr'], auth_time: NOW / 1000 }, null],
    ['by nothing that the operator trusts', undefined, { acr: 'phr', amr: ['mfa'], auth_time: NOW / 1000 }, null],
  ])('has it in their session, as of when it was proved: %s', async (_, secondFactor, told, at) => {
    await addPerson()
    expect(await comeBack(told, { secondFactor })).toMatchObject({ outcome: 'signed_in' })
    expect(await rows('SELECT method, second_factor, second_factor_at, proved_at FROM sessions')).toEqual([
      { method: 'clinic', second_factor: at && 'provider', second_factor_at: at, proved_at: at },
    ])
  })
})

describe('somebody who confirms a session by their provider', () => {
  const EARLIER = NOW - 3_600_000
  const fresh = { auth_time: NOW / 1000 - 60 }
  const proofs = () =>
    rows('SELECT id, second_factor, second_factor_at, vouched_acr, proved_at FROM sessions ORDER BY created_at')

  async function signedIn(vouched: VouchedFactor | null = null) {
    const personId = await addPerson()
    await identities.join(
      { issuer: provider.issuer, subject: 'subject', provider: 'clinic', email: EMAIL },
      personId,
      [],
      1,
    )
    const begun = await sessions.begin({ personId, method: 'clinic' }, null, EARLIER, vouched)
    if (begun === null) throw new Error('no session')
    return { personId, token: begun.token, id: begun.session.id }
  }

  it.each([
    ['is fresh, and no second factor where none is trusted', undefined, {}, [null, null, null]],
    [
      'has what a trusted one vouches for',
      { by: 'amr', values: ['mfa'] },
      { amr: ['mfa'] },
      ['provider', NOW - 60_000, 'aal2'],
    ],
    [
      'is phishing-resistant where it says so',
      { by: 'acr', values: ['phr'] },
      { acr: 'phr' },
      ['provider', NOW - 60_000, 'phr'],
    ],
    ['has none where it says less', { by: 'acr', values: ['phr'] }, { acr: 'aal2' }, [null, null, null]],
  ] as const)('the same one under a new token, that %s', async (_, secondFactor, told, [factor, at, acr]) => {
    const { personId, token, id } = await signedIn()
    const came = await comeBack({ ...fresh, ...told }, { secondFactor, confirming: id, previousToken: token })
    expect(came).toEqual({ outcome: 'confirmed', personId })
    expect(await proofs()).toEqual([
      { id, second_factor: factor, second_factor_at: at, vouched_acr: acr, proved_at: NOW - 60_000 },
    ])
    expect(await sessions.findByToken(token, NOW)).toBeNull()
  })

  it.each([
    ['without a time', {}],
    ['by a proof of an hour ago', { auth_time: NOW / 1000 - 3600 }],
    ['by another person’s identity', { ...fresh, sub: 'another' }],
    ['by the same subject of another issuer', { ...fresh, iss: 'https://another.example' }],
  ])('not %s', async (_, told) => {
    const { token, id } = await signedIn()
    expect(await comeBack(told, { confirming: id, previousToken: token })).toEqual(NOT_CONFIRMED)
    expect(await proofs()).toMatchObject([{ id, proved_at: null }])
    expect(await rows('SELECT id FROM people')).toHaveLength(1)
  })

  it('not by less than what the session has', async () => {
    const { token, id } = await signedIn({ at: EARLIER, acr: 'phr' })
    const secondFactor = { by: 'acr', values: ['phr'] } as const
    const came = await comeBack({ ...fresh, acr: 'aal1' }, { secondFactor, confirming: id, previousToken: token })
    expect(came).toEqual(NOT_CONFIRMED)
    expect(await proofs()).toMatchObject([{ second_factor_at: EARLIER, proved_at: EARLIER }])
  })

  it('not in a browser that has another session, or none', async () => {
    const [one, other] = [await signedIn(), await sessions.begin(await onlyPerson(), null, EARLIER + 1)]
    for (const previousToken of [other?.token, undefined])
      expect(await comeBack(fresh, { confirming: one.id, ...(previousToken && { previousToken }) })).toEqual(
        NOT_CONFIRMED,
      )
    expect(await proofs()).toMatchObject([{ proved_at: null }, { proved_at: null }])
  })

  it('not once they have a factor here', async () => {
    const { token, id } = await signedIn()
    await env.DB.prepare('UPDATE people SET second_factor_since = 1').run()
    const came = await comeBack(fresh, { confirming: id, previousToken: token })
    expect(came).toEqual({ outcome: 'refused', error: 'expired' })
    expect(await proofs()).toMatchObject([{ id, proved_at: null }])
  })
})

const NOT_CONFIRMED = { outcome: 'refused', error: 'not_confirmed' }

const onlyPerson = async () => ({
  personId: (await people.findByEmail(EMAIL))?.id ?? newId('usr_', NOW),
  method: 'clinic',
})
