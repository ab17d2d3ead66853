// Tests who a person from an identity provider is: new people, joins, refused joins, and people known before.
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashToken, newToken } from '../../../../src/accounts/access/secret-token.ts'
import { newId, type PersonId } from '../../../../src/platform/ids.ts'
import { justAfter, justBefore } from '../../../support/unit/interleave.ts'
import {
  addPerson,
  comeBack,
  delivered,
  EMAIL,
  identities,
  mails,
  NOW,
  people,
  provider,
  REFUSED,
  rows,
  startOver,
} from './coming-back.ts'

beforeEach(startOver)

async function addOrganisation(name: string): Promise<string> {
  const id = newId('org_', NOW)
  await env.DB.prepare("INSERT INTO organisations (id, name, jurisdiction, created_at) VALUES (?, ?, 'eu', 1)")
    .bind(id, name)
    .run()
  return id
}

async function addMember(personId: PersonId, organisationId: string): Promise<void> {
  await env.DB.prepare(
    "INSERT INTO members (organisation_id, person_id, role, joined_at) VALUES (?, ?, 'developer', 1)",
  )
    .bind(organisationId, personId)
    .run()
}

async function addSignUp(email: string): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO mail_links (token_hash, purpose, email, email_key, payload, created_at, expires_at)
     VALUES (?, 'signup', ?, ?, '{"password":"$scrypt$MARKED"}', 1, ?)`,
  )
    .bind(hashToken(newToken()), email, email, NOW + 1_000)
    .run()
}

async function invite(email: string, expiresAt: number): Promise<void> {
  const organisationId = await addOrganisation('A test practice')
  await env.DB.prepare(
    `INSERT INTO invitations (id, token_hash, organisation_id, email, email_key, role, invited_by, created_at, expires_at)
     VALUES ('inv_1', ?, ?, ?, ?, 'owner', 'operator', 1, ?)`,
  )
    .bind(hashToken(email), organisationId, email, email, expiresAt)
    .run()
}

const NOT_VERIFIED = { outcome: 'refused', error: 'email_not_verified' }

describe('somebody new', () => {
  it('becomes a person with a proven address and no password', async () => {
    const finished = await comeBack({ name: 'Ann Example' })
    expect(finished).toMatchObject({ outcome: 'signed_in' })
    expect(await people.findByEmail(EMAIL)).toMatchObject({ emailProvenAt: NOW, password: null, name: 'Ann Example' })
    expect(mails).toEqual([])
  })

  it('takes the address from whoever waits to confirm it: the password chosen there is nobody’s', async () => {
    await addSignUp(EMAIL)
    await addSignUp('other@clinic.example')
    await comeBack()
    expect(await rows('SELECT email_key FROM mail_links')).toEqual([{ email_key: 'other@clinic.example' }])
    expect(JSON.stringify(await rows('SELECT password FROM people'))).not.toContain('MARKED')
  })

  it('is refused where sign-up is by invitation, and leaves a sign-up that waits alone', async () => {
    await addSignUp(EMAIL)
    expect(await comeBack({}, { signUp: 'invited' })).toEqual(REFUSED)
    expect(await rows('SELECT id FROM people')).toEqual([])
    expect(await rows('SELECT email_key FROM mail_links')).toHaveLength(1)
  })

  it('comes by an open invitation, which gives the account alone', async () => {
    await invite(EMAIL, NOW + 1)
    expect(await comeBack({}, { signUp: 'invited' })).toMatchObject({ outcome: 'signed_in' })
    expect(await rows('SELECT person_id FROM members')).toEqual([])
    expect(await rows('SELECT id FROM invitations')).toHaveLength(1)
  })

  it('does not come by an invitation that is over, or for an address that is not proven', async () => {
    await invite(EMAIL, NOW)
    expect(await comeBack({}, { signUp: 'invited' })).toEqual(REFUSED)
    await env.DB.prepare('UPDATE invitations SET expires_at = expires_at + 1').run()
    expect(await comeBack({ email_verified: 'true' }, { signUp: 'invited' })).toEqual(NOT_VERIFIED)
  })

  it('is made once, when they come twice at the same time', async () => {
    const both = await Promise.all([comeBack(), comeBack()])
    expect(await rows('SELECT id FROM people')).toHaveLength(1)
    expect(new Set(both.map((one) => ('personId' in one ? one.personId : one.outcome))).size).toBe(1)
  })
})

describe('somebody whose address a person has', () => {
  it('joins that person, whatever the address’s case, with an act in each of their ledgers and a mail', async () => {
    const id = await addPerson()
    const [first, second] = [await addOrganisation('One'), await addOrganisation('Two')]
    await addMember(id, first)
    await addMember(id, second)
    await addSignUp(EMAIL)
    expect(await comeBack({ email: 'Ann@Clinic.example' })).toEqual({ outcome: 'signed_in', personId: id })
    expect(await rows('SELECT provider, person_id, email FROM identities')).toEqual([
      { provider: 'clinic', person_id: id, email: 'Ann@Clinic.example' },
    ])
    const pending = await rows('SELECT organisation_id, act FROM pending_acts ORDER BY organisation_id')
    expect(pending).toEqual(
      [first, second].toSorted().map((organisation_id) => ({
        organisation_id,
        act: JSON.stringify({
          actor: id,
          act: 'person.identity_joined',
          requestId: 'req_2',
          content: { provider: 'clinic' },
        }),
      })),
    )
    expect(delivered.map(({ organisation }) => organisation)).toEqual(
      [first, second].toSorted().map((organisation) => ({ id: organisation, jurisdiction: 'eu' })),
    )
    expect(mails).toMatchObject([{ to: EMAIL, subject: expect.stringContaining('The clinic') as unknown }])
    expect(await rows('SELECT email_key FROM mail_links')).toEqual([])
  })

  it('signs in once the ledgers have it: else the act stays pending, and the mail is sent all the same', async () => {
    const id = await addPerson()
    await addMember(id, await addOrganisation('One'))
    expect(await comeBack({}, { isLedgerDown: true })).toEqual({ outcome: 'refused', error: 'expired' })
    expect(await rows('SELECT id FROM sessions')).toEqual([])
    expect(await rows('SELECT id FROM pending_acts')).toHaveLength(1)
    expect(mails).toHaveLength(1)
    expect(await comeBack()).toEqual({ outcome: 'signed_in', personId: id })
  })

  it('is told of once: coming again is signing in', async () => {
    const id = await addPerson()
    await comeBack()
    expect(await comeBack()).toEqual({ outcome: 'signed_in', personId: id })
    expect(mails).toHaveLength(1)
  })

  it.each(['true', undefined, false])('does not join where email_verified is %j', async (value) => {
    await addPerson()
    expect(await comeBack({ email_verified: value })).toEqual(NOT_VERIFIED)
    expect(await rows('SELECT subject FROM identities')).toEqual([])
    expect(mails).toEqual([])
  })

  it('does not join a person who never proved it, and gives that person nothing', async () => {
    const id = await addPerson({ emailProvenAt: null })
    expect(await comeBack()).toEqual(NOT_VERIFIED)
    expect(await people.find(id)).toMatchObject({ emailProvenAt: null })
    expect(await rows('SELECT subject FROM identities')).toEqual([])
    expect(await rows('SELECT id FROM sessions')).toEqual([])
  })

  it('joins by the address at that moment: not a person who has another by then', async () => {
    const id = await addPerson()
    const moved = { email: 'ann@elsewhere.example' }
    const isJoined = await identities.join(
      { issuer: provider.issuer, subject: 'subject', provider: 'clinic', email: moved.email },
      id,
      [],
      NOW,
    )
    expect(isJoined).toBe(false)
    expect(await rows('SELECT subject FROM identities')).toEqual([])
  })

  it('is decided anew where somebody takes the address meanwhile', async () => {
    const finished = await comeBack({}, { whileIdentified: () => addPerson() })
    const holder = await people.findByEmail(EMAIL)
    expect(finished).toEqual({ outcome: 'signed_in', personId: holder?.id })
  })
})

describe('an erasure in the middle of it', () => {
  const erase = (from: 'people' | 'organisations', id: string) =>
    env.DB.prepare(`DELETE FROM ${from} WHERE id = ?`).bind(id).run()
  const EXPIRED = { outcome: 'refused', error: 'expired' }

  it('of who was recognised: they begin again, and nothing is left', async () => {
    const id = await addPerson()
    await comeBack()
    justAfter(identities, 'findPerson', () => erase('people', id))
    expect(await comeBack()).toEqual(EXPIRED)
    for (const table of ['people', 'identities', 'sessions']) expect(await rows(`SELECT 1 FROM ${table}`)).toEqual([])
  })

  it('of who has just joined or was made: the same', async () => {
    const id = await addPerson()
    justAfter(identities, 'join', () => erase('people', id))
    expect(await comeBack()).toEqual(EXPIRED)
    justAfter(identities, 'create', () => env.DB.prepare('DELETE FROM people').run())
    expect(await comeBack()).toEqual(EXPIRED)
    expect(await rows('SELECT 1 FROM identities UNION ALL SELECT 1 FROM sessions')).toEqual([])
  })

  it('of one of their organisations before they join: the others are told, and they are signed in', async () => {
    const id = await addPerson()
    const [stays, goes] = [await addOrganisation('One'), await addOrganisation('Two')]
    for (const organisation of [stays, goes]) await addMember(id, organisation)
    justBefore(identities, 'join', () => erase('organisations', goes))
    expect(await comeBack()).toEqual({ outcome: 'signed_in', personId: id })
    expect(await rows('SELECT organisation_id FROM pending_acts')).toEqual([{ organisation_id: stays }])
    expect(delivered.map(({ organisation }) => organisation.id)).toEqual([stays])
  })

  it('of the person with their organisation before they join: decided anew, nothing left', async () => {
    const id = await addPerson()
    const organisation = await addOrganisation('One')
    await addMember(id, organisation)
    justBefore(identities, 'join', async () => {
      await erase('people', id)
      await erase('organisations', organisation)
    })
    expect(await comeBack({}, { signUp: 'invited' })).toEqual(REFUSED)
    expect(await rows('SELECT 1 FROM identities UNION ALL SELECT 1 FROM pending_acts')).toEqual([])
    expect(mails).toEqual([])
  })
})

describe('an identity', () => {
  it('stays the person’s whose it is when its address becomes another’s', async () => {
    const first = await comeBack()
    await addPerson({ email: 'boss@clinic.example' })
    expect(await comeBack({ email: 'boss@clinic.example' })).toEqual(first)
  })

  it('is of its issuer: the same subject elsewhere is somebody else', async () => {
    await comeBack()
    const other = { issuer: 'https://other.example', subject: 'subject' }
    expect(await identities.findPerson(other)).toBeNull()
  })

  it('goes with its person', async () => {
    const finished = await comeBack()
    await env.DB.prepare('DELETE FROM people').run()
    const again = await comeBack({}, { signUp: 'invited' })
    expect(finished).toMatchObject({ outcome: 'signed_in' })
    expect(again).toEqual(REFUSED)
  })
})
