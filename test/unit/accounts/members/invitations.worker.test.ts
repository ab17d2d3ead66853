// Inviting people and accepting: by mail and by a link that is handed over, signed in and as somebody new.
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { InvitationsStore } from '../../../../src/accounts/members/invitations.store.ts'
import { justAfter } from '../../../support/unit/interleave.ts'
import { foundOrganisation, tokenOf } from './people-of-organisation.ts'

const PATH = '/api/members/invitations'
const ACCEPT = `${PATH}/accept`
const GUEST = { email: 'guest@example.org', role: 'developer' } as const
const PASSWORD = 'a password that nobody has'
const DAY_MS = 86_400_000
const refused = (status: number, code: string) => ({ status, body: { error: { code } } })

const people = async (where = 'true') =>
  (
    await env.DB.prepare(
      `SELECT id, email, email_proven_at IS NOT NULL AS is_proven, name, password FROM people WHERE ${where}`,
    ).all()
  ).results

describe('an invitation', () => {
  it('is mailed, shown without its link, and in the ledger without the address', async () => {
    const organisation = await foundOrganisation()
    const admin = await organisation.addPerson('admin')
    const { status, body } = await admin.ask('POST', PATH, GUEST)
    expect(status).toBe(201)
    expect(body).toMatchObject({ object: 'invitation', ...GUEST, invited_by: admin.id, mailed: true, url: null })
    const [mail] = organisation.mails
    expect(mail?.to).toBe(GUEST.email)
    expect(mail?.text).toContain('http://countersign.test/invite#')
    const token = tokenOf(mail?.text)
    const listed = await admin.ask('GET', PATH)
    const acts = await organisation.acts()
    expect(acts).toMatchObject([{ act: 'invitation.create', actor: admin.id, invitation_id: body['id'] }])
    const stored = await env.DB.prepare('SELECT hex(token_hash) AS hash, id, email, role FROM invitations').all()
    expect(JSON.stringify([body, listed.body, acts, stored.results])).not.toContain(token)
    expect(JSON.stringify(acts)).not.toContain('guest')
  })

  it('that did not leave says so, and can be made again', async () => {
    const organisation = await foundOrganisation({ fails: true })
    const owner = await organisation.addPerson('owner')
    for (let n = 0; n < 2; n += 1) {
      expect(await owner.ask('POST', PATH, GUEST)).toMatchObject({ status: 201, body: { mailed: false, url: null } })
    }
  })

  it('takes the place of the one before, whose link is void', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    await owner.ask('POST', PATH, GUEST)
    await owner.ask('POST', PATH, { ...GUEST, email: 'GUEST@example.org', role: 'auditor' })
    const [first, second] = organisation.mails.map(({ text }) => tokenOf(text))
    const newcomer = { name: 'A guest', password: PASSWORD }
    expect(await organisation.nobody('POST', ACCEPT, { token: first, ...newcomer })).toMatchObject(
      refused(400, 'invalid_request'),
    )
    expect(await organisation.nobody('POST', ACCEPT, { token: second, ...newcomer })).toMatchObject({
      status: 201,
      body: { role: 'auditor' },
    })
  })

  it('to a member is none', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const email = owner.email.toUpperCase()
    expect(await owner.ask('POST', PATH, { email, role: 'admin' })).toMatchObject(refused(409, 'conflict'))
    expect(organisation.mails).toEqual([])
  })

  it('to become an owner is neither made, replaced nor taken back by an admin', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const admin = await organisation.addPerson('admin')
    const wanted = { email: GUEST.email, role: 'owner' }
    expect(await admin.ask('POST', PATH, wanted)).toMatchObject(refused(403, 'role_required'))
    const { body } = await owner.ask('POST', PATH, wanted)
    expect(await admin.ask('POST', PATH, GUEST)).toMatchObject(refused(403, 'role_required'))
    expect(await admin.ask('DELETE', `${PATH}/${String(body['id'])}`)).toMatchObject(refused(403, 'role_required'))
    expect((await owner.ask('GET', PATH)).body['data']).toMatchObject([{ role: 'owner' }])
  })

  it('needs a proof of the last 15 minutes', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner', { signedInAt: Date.now() - 3_600_000 })
    const answer = await owner.ask('POST', PATH, GUEST)
    expect(answer).toMatchObject(refused(401, 'fresh_sign_in_required'))
  })

  it('is taken back once, and its link with it', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const { body } = await owner.ask('POST', PATH, GUEST)
    const path = `${PATH}/${String(body['id'])}`
    expect(await owner.ask('DELETE', path)).toMatchObject({ status: 200, body: { id: body['id'] } })
    expect(await owner.ask('DELETE', path)).toMatchObject(refused(404, 'not_found'))
    const newcomer = { token: tokenOf(organisation.mails[0]?.text), name: 'A guest', password: PASSWORD }
    expect(await organisation.nobody('POST', ACCEPT, newcomer)).toMatchObject(refused(400, 'invalid_request'))
    const acts = (await organisation.acts()).map(({ act }) => act)
    expect(acts).toEqual(['invitation.create', 'invitation.revoke'])
  })

  it('of another organisation is not there', async () => {
    const elsewhere = await foundOrganisation()
    const { body } = await (await elsewhere.addPerson('owner')).ask('POST', PATH, GUEST)
    const owner = await (await foundOrganisation()).addPerson('owner')
    expect(await owner.ask('DELETE', `${PATH}/${String(body['id'])}`)).toMatchObject(refused(404, 'not_found'))
    expect((await owner.ask('GET', PATH)).body['data']).toEqual([])
  })

  it('too many are refused, by how many wait and by how many went out', async () => {
    const over = { now: false }
    const organisation = await foundOrganisation({ isOver: () => over.now })
    const owner = await organisation.addPerson('owner')
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
       INSERT INTO invitations (id, token_hash, organisation_id, email, email_key, role, invited_by, created_at, expires_at)
       SELECT 'inv_' || i, randomblob(32), ?, i || '@example.org', i || '@example.org', 'auditor', 'operator', 1, ?
       FROM n`,
    )
      .bind(organisation.organisationId, Date.now() + DAY_MS)
      .run()
    expect(await owner.ask('POST', PATH, GUEST)).toMatchObject(refused(409, 'conflict'))
    expect(await owner.ask('POST', PATH, { email: '7@example.org', role: 'auditor' })).toMatchObject({ status: 201 })
    over.now = true
    const limited = await owner.ask('POST', PATH, { email: '8@example.org', role: 'auditor' })
    expect(limited).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded', retry_after: 61 } } })
    expect(organisation.mails).toHaveLength(1)
  })

  it.each([
    [{ email: 'no address', role: 'auditor' }, 'email'],
    [{ email: `${'a'.repeat(250)}@example.org`, role: 'auditor' }, 'email'],
    [{ email: `${'a'.repeat(65)}@example.org`, role: 'auditor' }, 'email'],
    [{ email: 'a@example.org\r\nbcc: b@example.org', role: 'auditor' }, 'email'],
    [{ email: 'a@example.org', role: 'king' }, 'role'],
    [{ email: 'a@example.org' }, 'role'],
  ])('%o is refused for its %s', async (body, param) => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    expect(await owner.ask('POST', PATH, body)).toMatchObject({ status: 400, body: { error: { param } } })
    expect(organisation.mails).toEqual([])
  })
})

describe('somebody new', () => {
  it('gets an account, joins, and is signed in; the address that was mailed to is proven', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    await owner.ask('POST', PATH, GUEST)
    const token = tokenOf(organisation.mails[0]?.text)
    const answer = await organisation.nobody('POST', ACCEPT, { token, name: 'A guest', password: PASSWORD })
    expect(answer).toMatchObject({
      status: 201,
      body: { ...GUEST, name: 'A guest', invited_by: owner.id, organisation: { id: organisation.organisationId } },
    })
    expect(answer.cookie).toMatch(/^__Host-session=[\w-]{43}; .*HttpOnly/)
    const id = String(answer.body['id'])
    expect(await people(`id = '${id}'`)).toMatchObject([{ email: GUEST.email, is_proven: 1 }])
    expect(await organisation.roles()).toMatchObject({ [id]: 'developer' })
    const acts = await organisation.acts()
    expect(acts.at(-1)).toMatchObject({ act: 'member.join', actor: id, member_id: id, role: 'developer' })
    expect(JSON.stringify([answer.body, acts])).not.toContain(PASSWORD)
  })

  it('by a link that was handed over has an address that nobody has proven', async () => {
    const organisation = await foundOrganisation({ sends: false })
    const owner = await organisation.addPerson('owner')
    const { body } = await owner.ask('POST', PATH, GUEST)
    expect(organisation.mails).toEqual([])
    expect(body['mailed']).toBe(false)
    expect(body['url']).toMatch(/^http:\/\/countersign\.test\/invite#h\./)
    const token = tokenOf(String(body['url']))
    const unmarked = { token: token.slice(2), name: 'A guest', password: PASSWORD }
    expect(await organisation.nobody('POST', ACCEPT, unmarked)).toMatchObject(refused(400, 'invalid_request'))
    expect(await organisation.nobody('POST', ACCEPT, { ...unmarked, token })).toMatchObject({ status: 201 })
    expect(await people(`email = '${GUEST.email}'`)).toMatchObject([{ is_proven: 0 }])
  })

  it('uses the link once, however often at once', async () => {
    const organisation = await foundOrganisation()
    await (await organisation.addPerson('owner')).ask('POST', PATH, GUEST)
    const newcomer = { token: tokenOf(organisation.mails[0]?.text), name: 'A guest', password: PASSWORD }
    const answers = await Promise.all([1, 2, 3].map(() => organisation.nobody('POST', ACCEPT, newcomer)))
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 400, 400]))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(await people(`email = '${GUEST.email}'`)).toHaveLength(1)
    expect((await organisation.acts()).filter(({ act }) => act === 'member.join')).toHaveLength(1)
  })

  it('needs a name and a good password, and nothing is hashed without', async () => {
    const organisation = await foundOrganisation()
    await (await organisation.addPerson('owner')).ask('POST', PATH, GUEST)
    const token = tokenOf(organisation.mails[0]?.text)
    for (const [body, code, param] of [
      [{ token }, 'missing_parameter', 'name'],
      [{ token, name: 'A guest' }, 'missing_parameter', 'password'],
      [{ token, name: 'A guest', password: 'short' }, 'invalid_request', 'password'],
      [{ token, name: ' ', password: PASSWORD }, 'invalid_request', 'name'],
      [{ token: 'x'.repeat(43), name: 'A guest', password: PASSWORD }, 'invalid_request', 'token'],
    ] as const) {
      const answer = await organisation.nobody('POST', ACCEPT, body)
      expect(answer).toMatchObject({ status: 400, body: { error: { code, param } } })
      expect(answer.cookie).toBeNull()
    }
    expect(organisation.hashed).toEqual([])
    expect(await people(`email = '${GUEST.email}'`)).toEqual([])
  })

  it('is not signed in where they were erased with the organisation at once', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    await owner.ask('POST', PATH, GUEST)
    const newcomer = { token: tokenOf(organisation.mails[0]?.text), name: 'A guest', password: PASSWORD }
    justAfter(InvitationsStore.prototype, 'acceptAsNew', () =>
      env.DB.batch([env.DB.prepare('DELETE FROM organisations'), env.DB.prepare('DELETE FROM people')]),
    )
    const answer = await organisation.nobody('POST', ACCEPT, newcomer)
    expect(answer).toMatchObject({ ...refused(400, 'invalid_request'), cookie: null })
  })

  it('comes too late after seven days', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    await owner.ask('POST', PATH, GUEST)
    await env.DB.prepare('UPDATE invitations SET expires_at = ?').bind(Date.now()).run()
    const newcomer = { token: tokenOf(organisation.mails[0]?.text), name: 'A guest', password: PASSWORD }
    expect(await organisation.nobody('POST', ACCEPT, newcomer)).toMatchObject(refused(400, 'invalid_request'))
    expect((await owner.ask('GET', PATH)).body['data']).toEqual([])
  })

  it.each([
    [true, 0],
    [false, 1],
  ])('voids sign-ups that wait for the address only where it is proven (mailed: %s)', async (sends, left) => {
    const organisation = await foundOrganisation({ sends })
    const { body } = await (await organisation.addPerson('owner')).ask('POST', PATH, GUEST)
    await env.DB.prepare(
      `INSERT INTO mail_links (token_hash, purpose, email, email_key, payload, created_at, expires_at)
       VALUES (randomblob(32), 'signup', ?1, ?1, '{}', 1, 9e15)`,
    )
      .bind(GUEST.email)
      .run()
    const token = tokenOf(sends ? organisation.mails[0]?.text : String(body['url']))
    await organisation.nobody('POST', ACCEPT, { token, name: 'A guest', password: PASSWORD })
    expect((await env.DB.prepare('SELECT email FROM mail_links').all()).results).toHaveLength(left)
  })
})

describe('somebody who has an account', () => {
  it('joins when signed in under the invited address, however it is written', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const guest = await organisation.addPerson(null, { email: GUEST.email, isProven: false })
    await owner.ask('POST', PATH, { ...GUEST, email: 'Guest@Example.ORG' })
    const token = tokenOf(organisation.mails[0]?.text)
    expect(await guest.ask('POST', ACCEPT, { token })).toMatchObject({ status: 201, body: { id: guest.id } })
    expect(await organisation.roles()).toMatchObject({ [guest.id]: 'developer' })
    expect(await people(`id = '${guest.id}'`)).toMatchObject([{ is_proven: 1 }])
    expect(await guest.ask('POST', ACCEPT, { token })).toMatchObject(refused(400, 'invalid_request'))
  })

  it('proves nothing by a link that was handed over', async () => {
    const organisation = await foundOrganisation({ sends: false })
    const guest = await organisation.addPerson(null, { email: GUEST.email, isProven: false })
    const { body } = await (await organisation.addPerson('owner')).ask('POST', PATH, GUEST)
    expect(await guest.ask('POST', ACCEPT, { token: tokenOf(String(body['url'])) })).toMatchObject({ status: 201 })
    expect(await people(`id = '${guest.id}'`)).toMatchObject([{ is_proven: 0 }])
  })

  it('under another address gets nothing and learns nothing', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const stranger = await organisation.addPerson(null)
    await owner.ask('POST', PATH, GUEST)
    const token = tokenOf(organisation.mails[0]?.text)
    const answer = await stranger.ask('POST', ACCEPT, { token })
    expect(answer).toMatchObject(refused(409, 'conflict'))
    expect(JSON.stringify(answer.body)).not.toMatch(/guest|test practice|developer/)
    expect(await organisation.roles()).not.toHaveProperty(stranger.id)
    expect(await owner.ask('GET', PATH)).toMatchObject({ body: { data: [{ email: GUEST.email }] } })
  })

  it('and is signed in nowhere is to sign in first, and gets no second account', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    await organisation.addPerson(null, { email: GUEST.email })
    await owner.ask('POST', PATH, GUEST)
    const token = tokenOf(organisation.mails[0]?.text)
    for (const more of [{}, { name: 'A guest', password: PASSWORD }]) {
      const answer = await organisation.nobody('POST', ACCEPT, { token, ...more })
      expect(answer).toMatchObject(refused(409, 'conflict'))
      expect(answer.cookie).toBeNull()
    }
    expect(organisation.hashed).toEqual([])
  })

  it('sends the token alone', async () => {
    const organisation = await foundOrganisation()
    const guest = await organisation.addPerson(null, { email: GUEST.email })
    await (await organisation.addPerson('owner')).ask('POST', PATH, GUEST)
    const token = tokenOf(organisation.mails[0]?.text)
    const answer = await guest.ask('POST', ACCEPT, { token, name: 'Another', password: PASSWORD })
    expect(answer).toMatchObject(refused(400, 'invalid_request'))
  })
})

it('no log line has the address, the name, the token or the password of whoever joins', async () => {
  const logged = vi.spyOn(console, 'log')
  const organisation = await foundOrganisation()
  await (await organisation.addPerson('owner')).ask('POST', PATH, GUEST)
  const token = tokenOf(organisation.mails[0]?.text)
  await organisation.nobody('POST', ACCEPT, { token, name: 'A marked name', password: PASSWORD })
  const lines = JSON.stringify(logged.mock.calls)
  logged.mockRestore()
  expect(lines).toContain('/api/members/invitations/accept')
  for (const secret of [token, PASSWORD, GUEST.email, 'marked name']) expect(lines).not.toContain(secret)
})

describe('an organisation that is to be erased', () => {
  it.each(['scheduled', 'running'])('takes nobody in, and nobody gets an account for it (%s)', async (state) => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const known = await organisation.addPerson(null)
    await owner.ask('POST', PATH, GUEST)
    await owner.ask('POST', PATH, { email: known.email, role: 'auditor' })
    const [guests, knowns] = organisation.mails.map(({ text }) => tokenOf(text))
    const before = await organisation.roles()
    await env.DB.prepare(
      `INSERT INTO erasures (id, subject, jurisdiction, requested_by, requested_at, due_at, state) VALUES ('era_1', ?, 'eu', ?, 1, 1, ?)`,
    )
      .bind(organisation.organisationId, owner.id, state)
      .run()
    const newcomer = { token: guests, name: 'A guest', password: PASSWORD }
    expect(await organisation.nobody('POST', ACCEPT, newcomer)).toMatchObject(refused(403, 'organisation_closing'))
    expect(await known.ask('POST', ACCEPT, { token: knowns })).toMatchObject(refused(403, 'organisation_closing'))
    expect(await organisation.roles()).toEqual(before)
    expect(await people(`email = '${GUEST.email}'`)).toEqual([])
    expect(organisation.hashed).toEqual([])
    await env.DB.prepare("UPDATE erasures SET state = 'cancelled'").run()
    expect(await organisation.nobody('POST', ACCEPT, newcomer)).toMatchObject({ status: 201 })
  })
})
