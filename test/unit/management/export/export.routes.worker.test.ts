// Tests who may export which data of an organisation, in which form, and what is refused.
import { parse } from 'csv-parse/sync'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Role } from '../../../../src/accounts/access/roles.policy.ts'
import { renderCells, renderTable } from '../../../../src/management/export/export.service.ts'
import { SECTIONS } from '../../../../src/management/export/export-sections.policy.ts'
import { newId } from '../../../../src/platform/ids.ts'
import { change, hook, receive } from '../../notifications/receiver.ts'
import { noon, positionOf } from '../../organisation/chat-organisation.ts'
import { actsOf, manage, type Asker, type Managed } from '../managed.ts'
import { exportJson, PATH } from './exported.ts'

afterEach(() => vi.useRealTimers())

const codeOf = async (response: Response): Promise<string> =>
  (await response.json<{ error: { code: string } }>()).error.code

const exporting = ({ ask }: Asker): Promise<Response> => ask('GET', `${PATH}?section=keys`)

const everything = [...SECTIONS]

/** Which sections each of them gets. */
const THEIRS: Record<Role | 'key', readonly string[]> = {
  owner: everything,
  admin: everything,
  developer: ['account', 'organisation', 'keys', 'settings', 'notifications', 'policies', 'approvals', 'usage'],
  auditor: everything.filter((section) => section !== 'members'),
  clinician: ['account', 'organisation', 'approvals', 'receipts'],
  key: everything.filter((section) => section !== 'members' && section !== 'account'),
}

const as = (managed: Managed, who: Role | 'key'): Promise<Asker> =>
  who === 'key' ? managed.automate() : managed.signIn(who)

describe('exportData', () => {
  it('has every approval, the open ones and the ended ones', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    await owner.ask('PUT', '/api/policies', { human_approval: { when: [{}] } })
    const key = await managed.organisation.issueKey()
    for (const requestHash of ['a'.repeat(64), 'b'.repeat(64)]) await managed.organisation.admit(key, { requestHash })
    const [{ id }] = (await (await owner.ask('GET', '/api/approvals')).json<{ data: [{ id: string }] }>()).data
    await owner.ask('POST', `/api/approvals/${id}/decision`, { decision: 'deny' })
    const { approvals } = await exportJson(owner, '?section=approvals')
    expect(approvals.map(({ state, key_id }) => [state, key_id])).toEqual([
      ['denied', key.id],
      ['pending', key.id],
    ])
    expect(approvals[0]).toMatchObject({ id, object: 'approval', decisions: [{ decided_by: owner.id }] })
  })

  it('answers with a file, and has written to the ledger that it was asked for', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner', 'Ada Example')
    await managed.organisation.issueKey({ name: 'A key to export' })
    const response = await owner.ask('GET', PATH)
    expect(await actsOf(managed, 'settings.export')).toMatchObject([
      { kind: 'member_act', actor: owner.id, format: 'json', sections: everything },
    ])
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="countersign-export-\d{4}-\d{2}-\d{2}\.json"$/,
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = await response.text()
    expect(text.trimEnd().endsWith('"complete":true}')).toBe(true)
    expect(JSON.parse(text)).toMatchObject({
      object: 'export',
      organisation_id: managed.organisation.id,
      tree_size: 3,
      account: [
        { object: 'user', id: owner.id, email: owner.email, name: 'Ada Example', has_password: true },
        { object: 'membership', id: managed.organisation.id, role: 'owner' },
        { object: 'notices', types: [] },
        { object: 'session', method: 'password' },
      ],
      organisation: { id: managed.organisation.id, name: 'A test practice' },
      members: [{ object: 'member', id: owner.id, email: owner.email, role: 'owner' }],
      keys: [{ object: 'api_key', name: 'A key to export' }],
      settings: { tier: 'pro', limits: { retention_days: 365 } },
      policies: [{ id: 'rate_limit' }, { id: 'model_allowlist' }, { id: 'loop_guard' }],
      audit: [
        { id: 0, content: { act: 'organisation.create' } },
        { id: 1, content: { act: 'key.create' } },
        { id: 2, content: { act: 'settings.export', actor: owner.id } },
      ],
      receipts: [],
    })
  })

  it('has the person’s second factors, without a key, a handle or a secret', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO passkeys (id, person_id, credential_id, public_key, algorithm, counter, name, aaguid, transports,
           backup_eligible, backed_up, created_at)
         VALUES ('psk_1', ?, zeroblob(16), x'01', -7, 0, 'Laptop', zeroblob(16), '[]', 1, 0, 1)`,
      ).bind(owner.id),
      env.DB.prepare(
        "INSERT INTO totp_secrets (id, person_id, sealed, pepper, created_at, confirmed_at) VALUES ('tot_1', ?, x'01', '0', 1, 2)",
      ).bind(owner.id),
      env.DB.prepare('INSERT INTO recovery_codes (code_hash, person_id, created_at) VALUES (zeroblob(32), ?, 1)').bind(
        owner.id,
      ),
    ])
    const { account } = await exportJson(owner)
    expect(account.slice(-3)).toEqual([
      {
        id: 'psk_1',
        object: 'passkey',
        created_at: '1970-01-01T00:00:00.001Z',
        name: 'Laptop',
        last_used_at: null,
        algorithm: -7,
        aaguid: '00000000-0000-0000-0000-000000000000',
        backup_eligible: true,
        backed_up: false,
      },
      { id: 'tot_1', object: 'totp', created_at: '1970-01-01T00:00:00.002Z', last_used_at: null, failures: 0 },
      { id: 'recovery_codes', object: 'recovery_codes', created_at: '1970-01-01T00:00:00.001Z', left: 1 },
    ])
  })

  it('has the months of the chats, and the policy of a budget where there is one', async () => {
    const managed = await manage({ monthly_budget_eur: 5 })
    await managed.organisation.admit(await managed.organisation.issueKey(), { upFrontMicroeur: 90 })
    const { usage, policies } = await exportJson(await managed.signIn('owner'))
    expect(usage).toMatchObject([{ object: 'month', requests: 1, spent_eur: 0, reserved_eur: 0.00009 }])
    expect(policies.at(-1)).toMatchObject({ id: 'budget_guard', parameters: { monthly_budget_eur: 5 } })
  })

  it('has what was counted of each day’s calls, also when their details have gone', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage({ tier: 'free' })
    const key = await managed.organisation.issueKey()
    const admitted = await managed.organisation.admit(key, { useCase: 'letters' })
    await managed.organisation.settle(positionOf(admitted), 0)
    vi.setSystemTime(noon + 10 * 86_400_000)
    for (let alarms = 0; alarms < 8; alarms += 1) await managed.organisation.runAlarm()
    const { usage, receipts } = await exportJson(await managed.signIn('owner'))
    vi.useRealTimers()
    expect(receipts).toEqual([])
    expect(usage[1]).toMatchObject({
      id: `2091-03-15/${key.id}/gpt-4.1-mini/letters/completed`,
      object: 'usage_day',
      requests: 1,
      key_id: key.id,
      use_case: 'letters',
      response_ms: 20,
    })
  })

  it('never has a password, a token, or what is stored of either or of a key', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    const key = await managed.organisation.issueKey()
    const [{ secret_hash: secretHash } = { secret_hash: new ArrayBuffer() }] = await managed.organisation.query<{
      secret_hash: ArrayBuffer
    }>('SELECT secret_hash FROM keys')
    const { results } = await env.DB.prepare('SELECT hex(token_hash) AS hash FROM sessions').all<{ hash: string }>()
    for (const format of ['json', 'csv']) {
      const text = (await (await owner.ask('GET', `${PATH}?format=${format}`)).text()).toLowerCase()
      const secrets = [owner.token, 'scrypt', new Uint8Array(secretHash).toHex(), ...results.map(({ hash }) => hash)]
      expect(secrets.filter((secret) => text.includes(secret.toLowerCase()))).toEqual([])
      expect(text).toContain(key.id)
    }
  })

  it('has the invitations that are open beside the members, and when the access of auditors ends', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    const auditor = await managed.signIn('auditor')
    const end = '2100-01-01T00:00:00.000Z'
    const invite = (email: string, expiresAt: number) =>
      env.DB.prepare(
        `INSERT INTO invitations (id, token_hash, organisation_id, email, email_key, role, invited_by, created_at, expires_at, ends_at)
         VALUES (?, randomblob(32), ?, ?, ?, 'auditor', ?, 1, ?, ?)`,
      )
        .bind(newId('inv_', Date.now()), managed.organisation.id, email, email, owner.id, expiresAt, Date.parse(end))
        .run()
    await invite('open@practice.example', Date.now() + 60_000)
    await invite('over@practice.example', Date.now() - 60_000)
    const { members } = await exportJson(owner)
    expect(members.map(({ object, email, ends_at }) => [object, email, ends_at])).toEqual([
      ['member', owner.email, null],
      ['member', auditor.email, end],
      ['invitation', 'open@practice.example', end],
    ])
    expect((await exportJson(auditor)).account).toContainEqual(
      expect.objectContaining({ object: 'membership', ends_at: end }),
    )
  })

  it('has nothing of another organisation', async () => {
    const [ours, theirs] = [await manage({ name: 'Ours' }), await manage({ name: 'Theirs' })]
    const stranger = await theirs.signIn('owner', 'A stranger')
    const key = await theirs.organisation.issueKey({ name: 'A strange key' })
    const { ask } = await ours.signIn('owner')
    const text = await (await ask('GET', PATH)).text()
    for (const strange of [theirs.organisation.id, 'Theirs', stranger.id, 'A stranger', key.id, 'A strange key']) {
      expect(text).not.toContain(strange)
    }
    const headers = { 'x-aqta-organisation': theirs.organisation.id }
    expect((await ask('GET', PATH, undefined, headers)).status).toBe(404)
  })
})

describe('the sections', () => {
  it('have the webhook by its origin, and its messages without what they say', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    receive()
    await hook(managed.organisation)
    const sent = await change(managed.organisation, 'test')
    const { notifications } = await exportJson(owner, '?section=notifications')
    expect(notifications).toMatchObject([
      { id: 'webhook', object: 'webhook', state: 'on', origin: 'https://hooks.example.org' },
      { id: 'messageId' in sent && sent.messageId, object: 'webhook_delivery', type: 'webhook.test' },
    ])
    expect(JSON.stringify(notifications)).not.toContain('invented')
    vi.restoreAllMocks()
  })

  it.each(Object.entries(THEIRS))('that %s gets are %j, and no other', async (who, theirs) => {
    const managed = await manage()
    const asker = await as(managed, who as Role | 'key')
    expect((await exportJson(asker)).sections).toEqual(theirs)
    for (const section of SECTIONS.filter((one) => !theirs.includes(one))) {
      const refused = await asker.ask('GET', `${PATH}?section=${section}&format=csv`)
      expect([section, refused.status, await codeOf(refused)]).toEqual([section, 403, 'role_required'])
    }
    expect(await actsOf(managed, 'settings.export')).toHaveLength(1)
  })

  it.each(SECTIONS)('%s alone is a table of its own, whole by its last row', async (section) => {
    const managed = await manage()
    await managed.organisation.issueKey()
    const owner = await managed.signIn('owner')
    const response = await owner.ask('GET', `${PATH}?section=${section}&format=csv`)
    expect(response.headers.get('content-disposition')).toContain(`countersign-${section}-`)
    const [header = [], ...rows] = parse(await response.text(), { bom: false, record_delimiter: '\r\n' })
    expect(header.slice(0, 1)).toEqual(['id'])
    expect(new Set(header).size).toBe(header.length)
    expect(rows.at(-1)?.slice(0, 2)).toEqual(['complete', String(rows.length - 1)])
    const { [section]: listed } = await exportJson(owner, `?section=${section}`)
    expect(rows.slice(0, -1).map(([id]) => id)).toEqual(
      [listed]
        .flat()
        .map((one) => String(one.id))
        .slice(0, rows.length - 1),
    )
  })
})

describe('what is refused', () => {
  it.each([
    ['?format=xml', 400, 'invalid_request'],
    ['?section=audit&section=keys', 400, 'invalid_request'],
  ])('%s is %i', async (query, status, code) => {
    const managed = await manage()
    const { ask } = await managed.signIn('owner')
    const response = await ask('GET', `${PATH}${query}`)
    expect([response.status, await codeOf(response)]).toEqual([status, code])
    expect(await actsOf(managed, 'settings.export')).toEqual([])
  })

  it.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 403],
    ['*/*', 200],
    ['application/json, */*;q=0.5', 200],
  ])('a browser or a program that says only that it accepts %s is answered %i', async (accept, status) => {
    const managed = await manage()
    const { ask } = await managed.signIn('owner')
    expect((await ask('GET', PATH, undefined, { accept })).status).toBe(status)
    expect(await actsOf(managed, 'settings.export')).toHaveLength(status === 200 ? 1 : 0)
  })

  it.each([
    ['cross-site', 'cors', 403],
    ['same-site', 'cors', 403],
    ['same-origin', 'cors', 200],
    ['same-origin', 'navigate', 403],
    ['none', 'navigate', 403],
  ])('a browser that comes from %s (%s) is answered %i', async (site, mode, status) => {
    const managed = await manage()
    const { ask } = await managed.signIn('owner')
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode }
    expect((await ask('GET', PATH, undefined, headers)).status).toBe(status)
    expect(await actsOf(managed, 'settings.export')).toHaveLength(status === 200 ? 1 : 0)
  })

  it('is nobody, a key that may only chat, and what a key sent with a session', async () => {
    const managed = await manage()
    const { token } = await managed.signIn('owner')
    expect((await managed.organisation.service.fetch(PATH)).status).toBe(401)
    const { ask } = await managed.automate(['chat'])
    expect((await ask('GET', PATH, undefined, { cookie: `__Host-session=${token}` })).status).toBe(403)
  })

  it('is a sixth export within an hour of the same person or key, until the first is an hour ago', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage()
    const key = await managed.automate()
    for (let n = 0; n < 5; n += 1) {
      vi.setSystemTime(noon + n * 60_000)
      expect((await exporting(key)).status).toBe(200)
    }
    const refused = await exporting(key)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(3600 - 4 * 60)])
    expect(await codeOf(refused)).toBe('rate_limit_exceeded')
    expect(await actsOf(managed, 'settings.export')).toHaveLength(5)
    vi.setSystemTime(noon + 3_600_000)
    const again = await Promise.all([exporting(key), exporting(key)])
    expect(again.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429])
  })

  it('is an eleventh of the organisation, so that no one member keeps the others from theirs', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const [managed, other] = [await manage(), await manage()]
    const [clinician, owner, key] = [
      await managed.signIn('clinician'),
      await managed.signIn('owner'),
      await managed.automate(),
    ]
    const statuses = async (asker: Asker): Promise<number[]> => {
      const all: number[] = []
      for (let n = 0; n < 6; n += 1) all.push((await asker.ask('GET', `${PATH}?section=organisation`)).status)
      return all
    }
    expect(await statuses(clinician)).toEqual([200, 200, 200, 200, 200, 429])
    expect(await statuses(owner)).toEqual([200, 200, 200, 200, 200, 429])
    expect((await exporting(key)).status).toBe(429)
    expect((await exporting(await other.signIn('owner'))).status).toBe(200)
    vi.setSystemTime(noon + 3_600_000)
    expect((await exporting(key)).status).toBe(200)
  })

  it('is nothing that a look at the headers uses up', async () => {
    const managed = await manage()
    const { ask } = await managed.automate()
    const looked = await ask('HEAD', `${PATH}?section=keys&format=csv`)
    expect([looked.status, looked.body, looked.headers.get('content-type')]).toEqual([
      200,
      null,
      'text/csv; charset=utf-8; header=present',
    ])
    expect(await actsOf(managed, 'settings.export')).toEqual([])
  })

  it('waits no longer than an hour for a clock that was ahead', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon + 86_400_000 })
    const managed = await manage()
    const key = await managed.automate()
    for (let n = 0; n < 5; n += 1) await key.ask('GET', `${PATH}?section=keys`)
    vi.setSystemTime(noon)
    expect((await key.ask('GET', `${PATH}?section=keys`)).headers.get('retry-after')).toBe('3600')
    vi.setSystemTime(noon + 3_600_000)
    expect((await key.ask('GET', `${PATH}?section=keys`)).status).toBe(200)
  })
})

describe('a cell of a CSV', () => {
  const FORMULA = /^[=+\-@\t\r＝＋－＠]/u

  /** As it is read where commas part cells, and where semicolons do and a quote within a cell is nothing. */
  const partsOf = (cell: string): string[] => [cell, ...cell.split(/[;\t\r\n]/u)]

  const unguarded = (cell: string): string => cell.replaceAll("'", '')

  it('is no formula, and otherwise what it was', () => {
    const nasty = fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n＝＋－＠",;| a1'.split('')) })
    fc.assert(
      fc.property(fc.array(nasty, { minLength: 1, maxLength: 8 }), (names) => {
        const rows = names.map((name, id) => ({ id, name }))
        const cells = parse(renderCells().rows(rows), { record_delimiter: '\r\n' }).map((row) => row[3] ?? '')
        expect(cells.flatMap(partsOf).filter((part) => FORMULA.test(part))).toEqual([])
        expect(cells.map(unguarded)).toEqual(names)
        const table = parse(renderTable(['id', 'name']).rows(rows), { record_delimiter: '\r\n' })
        expect(table.map((row) => row[1])).toEqual(cells)
      }),
    )
  })

  it.each(["O'Neill; a 1-2 = x", 'a;b', '1;2'])('is %j as it stands, where nothing begins a formula', (name) => {
    expect(parse(renderCells().rows([{ id: 1, name }]))).toEqual([['export', '1', 'name', name]])
  })

  it.each([
    ['=HYPERLINK("x")', `'=HYPERLINK("x")`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['＝1', "'＝1"],
    ['Ann;=1;', "Ann;'=1;"],
  ])('in an export is none either, where somebody is called %j', async (name, cell) => {
    const managed = await manage()
    const owner = await managed.signIn('owner', name)
    const rows = parse(await (await owner.ask('GET', `${PATH}?format=csv`)).text(), { record_delimiter: '\r\n' })
    expect(rows.filter(([section, , field]) => section === 'members' && field === 'name')).toEqual([
      ['members', owner.id, 'name', cell],
    ])
    expect(rows.flat().filter((one) => FORMULA.test(one))).toEqual([])
    expect(rows.at(-1)?.slice(2)).toEqual(['complete', 'true'])
  })
})
