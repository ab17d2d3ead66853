// Changing and removing members: who may, what stays, and what the ledger says of it.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { holdBody } from '../../../support/unit/held-body.ts'
import { hook } from '../../notifications/receiver.ts'
import { foundOrganisation, pendingActs, tokenOf } from './people-of-organisation.ts'

const HOUR_AGO = () => Date.now() - 3_600_000
const refused = (code: string) => ({ body: { error: { code } } })
const bearer = ({ key }: Record<string, unknown>) => ({ authorization: `Bearer ${String(key)}` })

describe('the list', () => {
  it('shows who belongs to the organisation, and not who belongs to another', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const auditor = await organisation.addPerson('auditor')
    const elsewhere = await foundOrganisation()
    await elsewhere.addPerson('owner')
    const { status, body } = await owner.ask('GET', '/api/members')
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'list', has_more: false, next_cursor: null })
    expect(body['data']).toHaveLength(2)
    expect(body['data']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: auditor.id, object: 'member', email: auditor.email, role: 'auditor' }),
      ]),
    )
  })

  it('is told in pages, each member once', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    for (let n = 0; n < 4; n += 1) await organisation.addPerson('developer')
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await owner.ask('GET', `/api/members?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      const page = body as { data: { id: string }[]; next_cursor: string | null }
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(new Set(seen).size).toBe(5)
    expect(seen).toHaveLength(5)
  })

  it.each(['developer', 'auditor', 'clinician'] as const)('is not for a %s', async (role) => {
    const organisation = await foundOrganisation()
    const member = await organisation.addPerson(role)
    for (const path of ['', `/${member.id}`, '/invitations']) {
      expect(await member.ask('GET', `/api/members${path}`)).toMatchObject({ status: 403, ...refused('role_required') })
    }
  })

  it.each(['usr_nobody', 'org_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11', 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'])(
    'has nobody called %s',
    async (id) => {
      const owner = await (await foundOrganisation()).addPerson('owner')
      for (const [method, body] of [['GET'], ['PATCH', { role: 'admin' }], ['DELETE']] as const) {
        expect(await owner.ask(method, `/api/members/${id}`, body)).toMatchObject({ status: 404 })
      }
    },
  )
})

describe('a role', () => {
  it('is changed, and the ledger says who did it to whom, by ids alone', async () => {
    const organisation = await foundOrganisation()
    const admin = await organisation.addPerson('admin')
    const member = await organisation.addPerson('developer')
    const { status, body } = await admin.ask('PATCH', `/api/members/${member.id}`, { role: 'auditor' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: member.id, role: 'auditor' })
    expect(await organisation.roles()).toMatchObject({ [member.id]: 'auditor' })
    const acts = await organisation.acts()
    const content = { member_id: member.id, role: 'auditor', previous_role: 'developer' }
    expect(acts).toMatchObject([{ act: 'member.role', actor: admin.id, ...content }])
    expect(JSON.stringify(acts)).not.toMatch(/@|test person/)
    expect(await pendingActs()).toBe(0)
  })

  it.each([
    ['admin', 1, 'all'],
    ['developer', 0, 'own'],
    ['clinician', 1, null],
    ['auditor', 0, null],
  ] as const)('of %s is known to the organisation’s turns once it is answered', async (role, mayDecide, keysReach) => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const member = await organisation.addPerson(role === 'auditor' ? 'admin' : 'auditor')
    await owner.ask('PATCH', `/api/members/${member.id}`, { role })
    expect(await organisation.rights(member.id)).toEqual({ may_decide: mayDecide, keys_reach: keysReach })
    await owner.ask('DELETE', `/api/members/${member.id}`)
    expect(await organisation.rights(member.id)).toEqual({ may_decide: 0, keys_reach: null })
  })

  it('that somebody has already is no change', async () => {
    const organisation = await foundOrganisation()
    const admin = await organisation.addPerson('admin')
    const member = await organisation.addPerson('developer')
    expect(await admin.ask('PATCH', `/api/members/${member.id}`, { role: 'developer' })).toMatchObject({ status: 200 })
    expect(await organisation.acts()).toEqual([])
  })

  it.each(['admin', 'developer', 'auditor', 'clinician'] as const)('is raised by no %s themselves', async (role) => {
    const organisation = await foundOrganisation()
    await organisation.addPerson('owner')
    const member = await organisation.addPerson(role)
    for (const wanted of ['owner', 'admin', 'auditor'] as const) {
      const answer = await member.ask('PATCH', `/api/members/${member.id}`, { role: wanted })
      expect(answer).toMatchObject({ status: 403, ...refused('role_required') })
    }
    expect(await organisation.roles()).toMatchObject({ [member.id]: role })
  })

  it('of an owner is neither given nor taken by an admin', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    await organisation.addPerson('owner')
    const admin = await organisation.addPerson('admin')
    const other = await organisation.addPerson('developer')
    const before = await organisation.roles()
    for (const [id, role] of [
      [owner.id, 'developer'],
      [other.id, 'owner'],
      [admin.id, 'owner'],
    ] as const) {
      const answer = await admin.ask('PATCH', `/api/members/${id}`, { role })
      expect(answer).toMatchObject({ status: 403, ...refused('role_required') })
    }
    expect(await admin.ask('DELETE', `/api/members/${owner.id}`)).toMatchObject({ status: 403 })
    expect(await organisation.roles()).toEqual(before)
  })

  it('is given and taken only by one who has signed in just now', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner', { signedInAt: HOUR_AGO() })
    const other = await organisation.addPerson('owner')
    const developer = await organisation.addPerson('developer')
    for (const [id, role] of [
      [other.id, 'admin'],
      [developer.id, 'owner'],
      [developer.id, 'auditor'],
      [owner.id, 'admin'],
    ] as const) {
      const answer = await owner.ask('PATCH', `/api/members/${id}`, { role })
      expect(answer).toMatchObject({ status: 401, ...refused('fresh_sign_in_required') })
    }
    const left = await owner.ask('DELETE', `/api/members/${owner.id}`)
    expect(left).toMatchObject({ status: 401, ...refused('fresh_sign_in_required') })
  })
})

describe('two owners', () => {
  it.each(['PATCH', 'DELETE'])('who do away with one another at once leave one (%s)', async (method) => {
    const organisation = await foundOrganisation()
    const [one, two] = [await organisation.addPerson('owner'), await organisation.addPerson('owner')]
    const body = method === 'PATCH' ? { role: 'developer' } : undefined
    const answers = await Promise.all([
      one.ask(method, `/api/members/${two.id}`, body),
      two.ask(method, `/api/members/${one.id}`, body),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(Object.values(await organisation.roles()).filter((role) => role === 'owner')).toHaveLength(1)
    expect(await organisation.acts()).toHaveLength(1)
  })

  it('of three who do away with one another in a circle leave at least one, and no demoted one acts on', async () => {
    const organisation = await foundOrganisation()
    const owners = [0, 1, 2].map(() => organisation.addPerson('owner'))
    const people = await Promise.all(owners)
    await Promise.all(
      people.map((person, n) => person.ask('PATCH', `/api/members/${people[(n + 1) % 3]?.id}`, { role: 'auditor' })),
    )
    const acts = await organisation.acts()
    const demoted = acts.map(({ member_id: id }) => id)
    for (const [n, { actor }] of acts.entries()) expect(demoted.slice(0, n)).not.toContain(actor)
    expect(Object.values(await organisation.roles())).toContain('owner')
  })
})

describe('an owner whose own erasure has begun', () => {
  it.each([
    ['PATCH', { role: 'developer' }],
    ['DELETE', undefined],
  ])('is no other owner to rely on: the one beside them stays (%s)', async (method, body) => {
    const organisation = await foundOrganisation()
    const [owner, going] = [await organisation.addPerson('owner'), await organisation.addPerson('owner')]
    await env.DB.prepare(
      `INSERT INTO erasures (id, subject, requested_by, requested_at, due_at, state) VALUES ('era_1', ?1, ?1, 1, 1, 'running')`,
    )
      .bind(going.id)
      .run()
    const path = `/api/members/${owner.id}`
    expect(await owner.ask(method, path, body)).toMatchObject({ status: 409, ...refused('conflict') })
    expect(await organisation.roles()).toMatchObject({ [owner.id]: 'owner' })
    expect(await owner.ask(method, `/api/members/${going.id}`, body)).toMatchObject({ status: 200 })
  })
})

describe('a member who is removed', () => {
  it('finds nothing of the organisation by the session that is open', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const admin = await organisation.addPerson('admin')
    expect(await owner.ask('DELETE', `/api/members/${admin.id}`)).toMatchObject({
      status: 200,
      body: { id: admin.id, object: 'member', role: 'admin', keys: [], keys_revoked: true },
    })
    expect(await admin.ask('GET', '/api/members')).toMatchObject({ status: 404, ...refused('not_found') })
    const named = { 'x-aqta-organisation': organisation.organisationId }
    expect(await admin.ask('GET', '/api/members', undefined, named)).toMatchObject({ status: 404 })
    expect(await organisation.acts()).toMatchObject([{ act: 'member.remove', member_id: admin.id, actor: owner.id }])
  })

  it.each([
    ['POST', '/api/keys', { name: 'A key' }],
    ['POST', '/api/members/invitations', { email: 'second.self@example.org', role: 'admin' }],
  ])('is not let in by what they were when they began to send (%s %s)', async (method, path, body) => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const admin = await organisation.addPerson('admin')
    const slow = holdBody(body)
    const answer = admin.ask(method, path, slow.body)
    await slow.isRead
    expect(await owner.ask('DELETE', `/api/members/${admin.id}`)).toMatchObject({ status: 200 })
    slow.release()
    expect(await answer).toMatchObject({ status: 404, ...refused('not_found') })
    expect((await organisation.acts()).map(({ act }) => act)).toEqual(['member.remove'])
  })

  it('leaves no invitation behind', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const admin = await organisation.addPerson('admin')
    await admin.ask('POST', '/api/members/invitations', { email: 'second.self@example.org', role: 'admin' })
    await owner.ask('POST', '/api/members/invitations', { email: 'colleague@example.org', role: 'admin' })
    await owner.ask('DELETE', `/api/members/${admin.id}`)
    const { body } = await owner.ask('GET', '/api/members/invitations')
    expect(body['data']).toMatchObject([{ email: 'colleague@example.org' }])
  })

  it.each(['admin', 'developer', 'auditor', 'clinician'] as const)('may be oneself: a %s leaves', async (role) => {
    const organisation = await foundOrganisation()
    await organisation.addPerson('owner')
    const member = await organisation.addPerson(role, { signedInAt: HOUR_AGO() })
    expect(await member.ask('DELETE', `/api/members/${member.id}`)).toMatchObject({ status: 200 })
    expect(await organisation.roles()).not.toHaveProperty(member.id)
  })

  it.each(['developer', 'auditor', 'clinician'] as const)('is nobody else when a %s asks', async (role) => {
    const organisation = await foundOrganisation()
    const other = await organisation.addPerson('clinician')
    const member = await organisation.addPerson(role)
    const answer = await member.ask('DELETE', `/api/members/${other.id}`)
    expect(answer).toMatchObject({ status: 403, ...refused('role_required') })
  })

  it.each(['', '?revoke_keys=true'])('takes along the keys that they made, and what those made (%s)', async (query) => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const admin = await organisation.addPerson('admin')
    const { body: others } = await owner.ask('POST', '/api/keys', { name: 'A key' })
    const { body: first } = await admin.ask('POST', '/api/keys', { name: 'A key', scopes: ['chat', 'manage'] })
    const make = () => organisation.nobody('POST', '/api/keys', { name: 'Another' }, bearer(first))
    const { body: second } = await make()
    const removed = await owner.ask('DELETE', `/api/members/${admin.id}${query}`)
    const keys = [
      { id: second['id'], created_by: first['id'], status: 'revoked' },
      { id: first['id'], status: 'revoked' },
    ]
    expect(removed).toMatchObject({ status: 200, body: { keys, keys_revoked: true } })
    expect(JSON.stringify(removed.body)).not.toContain(first['key'])
    expect(await make()).toMatchObject({ status: 401, ...refused('invalid_api_key') })
    expect((await owner.ask('GET', `/api/keys/${String(others['id'])}`)).body['status']).toBe('active')
    expect((await organisation.acts()).slice(-2)).toMatchObject([
      { act: 'key.revoke', member_id: admin.id, key_ids: [second['id'], first['id']] },
      { act: 'member.remove' },
    ])
  })

  it('keeps a key in use that somebody else has rotated first', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const member = await organisation.addPerson('developer')
    const { body: theirs } = await member.ask('POST', '/api/keys', { name: 'A key' })
    const rotated = await owner.ask('POST', `/api/keys/${String(theirs['id'])}/rotate`, {})
    const { body } = await owner.ask('DELETE', `/api/members/${member.id}`)
    expect(body['keys']).toMatchObject([{ id: theirs['id'], status: 'revoked' }])
    expect((await owner.ask('GET', `/api/keys/${String(rotated.body['id'])}`)).body['status']).toBe('active')
  })

  it('is none by a query that says otherwise', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const member = await organisation.addPerson('developer')
    for (const value of ['false', 'perhaps', '']) {
      const answer = await owner.ask('DELETE', `/api/members/${member.id}?revoke_keys=${value}`)
      expect(answer, value).toMatchObject({ status: 400, ...refused('invalid_request') })
    }
    expect(await organisation.roles()).toHaveProperty(member.id)
  })
})

describe('the keys of a member whose role changes', () => {
  async function adminWithKeys() {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const admin = await organisation.addPerson('admin')
    const { body: chat } = await admin.ask('POST', '/api/keys', { name: 'A key' })
    const { body: manage } = await admin.ask('POST', '/api/keys', { name: 'A key', scopes: ['chat', 'manage'] })
    const { body: made } = await organisation.nobody('POST', '/api/keys', { name: 'Another' }, bearer(manage))
    const change = (body: object) => owner.ask('PATCH', `/api/members/${admin.id}`, body)
    const works = async () => (await organisation.nobody('GET', '/api/keys', undefined, bearer(manage))).status === 200
    return { organisation, owner, admin, change, works, ids: [made['id'], manage['id'], chat['id']] }
  }

  it.each([
    [{ role: 'owner' }, ['active', 'active', 'active'], 200],
    [{ role: 'developer' }, ['revoked', 'revoked', 'active'], 401],
    [{ role: 'clinician' }, ['revoked', 'revoked', 'revoked'], 401],
    [{ role: 'auditor' }, ['revoked', 'revoked', 'revoked'], 401],
    [{ role: 'developer', revoke_keys: true }, ['revoked', 'revoked', 'revoked'], 401],
    [{ role: 'owner', revoke_keys: true }, ['revoked', 'revoked', 'revoked'], 401],
  ])('end where it could not make them, and are named (%j)', async (body, statuses, status) => {
    const { organisation, change, works, ids } = await adminWithKeys()
    expect(await works()).toBe(true)
    const changed = await change(body)
    expect(changed).toMatchObject({
      status: 200,
      body: { keys: ids.map((id, n) => ({ id, status: statuses[n] })), keys_revoked: !statuses.includes('active') },
    })
    expect(await works()).toBe(status === 200)
    const ended = ids.filter((_, n) => statuses[n] === 'revoked')
    const entries = (await organisation.acts()).filter(({ act }) => act === 'key.revoke')
    expect(entries).toMatchObject(ended.length === 0 ? [] : [{ key_ids: ended }])
  })

  it('end with the end of an auditor, whatever is left of them', async () => {
    const { organisation, admin, change, works } = await adminWithKeys()
    await env.DB.prepare("UPDATE members SET role = 'auditor', ends_at = ? WHERE person_id = ?")
      .bind(Date.now() + 3_600_000, admin.id)
      .run()
    const changed = await change({ ends_at: new Date(Date.now() + 7_200_000).toISOString() })
    expect(changed).toMatchObject({ status: 200, body: { role: 'auditor', keys_revoked: true } })
    expect(await works()).toBe(false)
    expect((await organisation.acts()).slice(-2)).toMatchObject([{ act: 'key.revoke' }, { act: 'member.access_end' }])
  })

  it('are named and stay where nothing changes, and are not revoked by a change of nothing', async () => {
    const { organisation, change, works, ids } = await adminWithKeys()
    const acts = (await organisation.acts()).length
    expect((await change({ role: 'admin' })).body).toMatchObject({ keys: ids.map((id) => ({ id, status: 'active' })) })
    for (const body of [{ role: 'admin', revoke_keys: true }, { revoke_keys: true }]) {
      expect(await change(body)).toMatchObject({ status: 400, body: { error: { param: 'revoke_keys' } } })
    }
    expect(await works()).toBe(true)
    expect((await organisation.acts()).length).toBe(acts)
  })

  it('are revoked by no developer and by no key', async () => {
    const { organisation, admin, works } = await adminWithKeys()
    const developer = await organisation.addPerson('developer')
    const { body: manage } = await admin.ask('POST', '/api/keys', { name: 'A key', scopes: ['manage'] })
    const path = `/api/members/${admin.id}`
    const body = { role: 'developer', revoke_keys: true }
    expect(await developer.ask('PATCH', path, body)).toMatchObject({ status: 403, ...refused('role_required') })
    expect((await organisation.nobody('PATCH', path, body, bearer(manage))).status).toBe(403)
    expect(await works()).toBe(true)
  })
})

it('a change of a member is told to the webhook, by ids and never by name or address', async () => {
  const organisation = await foundOrganisation()
  const owner = await organisation.addPerson('owner')
  const guest = await organisation.addPerson(null)
  await hook({ id: organisation.organisationId }, undefined, ['member.changed'])
  await owner.ask('POST', '/api/members/invitations', { email: guest.email, role: 'admin' })
  await guest.ask('POST', '/api/members/invitations/accept', { token: tokenOf(organisation.mails.at(-1)?.text) })
  const path = `/api/members/${guest.id}`
  await guest.ask('POST', '/api/keys', { name: 'A key' })
  await owner.ask('PATCH', path, { role: 'auditor' })
  await owner.ask('PATCH', path, { ends_at: new Date(Date.now() + 3_600_000).toISOString() })
  await owner.ask('PATCH', path, { role: 'auditor' })
  await owner.ask('DELETE', path)
  const told = await organisation.messages()
  const facts = (change: string, role: string, previous_role: string | null, keys_revoked = 0) => ({
    actor: change === 'joined' ? guest.id : owner.id,
    request_id: expect.any(String) as string,
    member_id: guest.id,
    change,
    role,
    previous_role,
    keys_revoked,
  })
  expect(told.map(({ data }) => data)).toEqual([
    facts('joined', 'admin', null),
    facts('role', 'auditor', 'admin', 1),
    facts('access_end', 'auditor', null),
    facts('removed', 'auditor', null),
  ])
  expect(JSON.stringify(told)).not.toMatch(/@|test person/)
})

describe('a member who is demoted', () => {
  it.each([
    ['admin', 'developer', []],
    ['owner', 'admin', ['admin']],
    ['owner', 'auditor', []],
  ] as const)('from %s to %s keeps only the invitations that they may make', async (role, wanted, kept) => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const member = await organisation.addPerson(role)
    const invite = (invited: string) =>
      member.ask('POST', '/api/members/invitations', { email: `${invited}@example.org`, role: invited })
    await invite('admin')
    if (role === 'owner') await invite('owner')
    await owner.ask('PATCH', `/api/members/${member.id}`, { role: wanted })
    const { results } = await env.DB.prepare('SELECT role FROM invitations').all<{ role: string }>()
    expect(results.map((row) => row.role)).toEqual(kept)
  })
})
