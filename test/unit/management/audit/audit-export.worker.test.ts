// The export of audit entries: every leaf of some days with one proof of all, told in the ledger at both ends.
import { parse } from 'csv-parse/sync'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { leafHash } from '../../../../src/evidence/entry.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { objectNames } from '../../organisation/journal/archived-ledger.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { exportJson, fillLedger, objectOf, PATH, putAway, watchingPages } from '../export/exported.ts'
import { actsOf, manage, type Managed } from '../managed.ts'
import { AUDIT_LOGS, exportAudit, isProven, readExport } from './exported-audit.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const EXPORTS = '/api/compliance/exports'

const NO_KEY = 'A'.repeat(43)

const publicKeyOf = async ({ organisation }: Managed): Promise<string> => {
  const response = await organisation.service.fetch('/v1/attestation/public-key')
  return (await response.json<{ public_key: string }>()).public_key
}

const codeOf = async (response: Response): Promise<string> =>
  (await response.json<{ error: { code: string } }>()).error.code

/** `pages`: what happens before each page is asked for. */
const manageWith = (pages: Parameters<typeof watchingPages>[0]) => manage({}, watchingPages(pages, 'audit.readExport'))

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

describe('exportAuditLogs', () => {
  it('has every leaf of the log up to its own entry, each with what its hash is of, and a proof of all', async () => {
    const managed = await manage()
    await fillLedger(managed, 700, await publicKeyOf(managed))
    const owner = await managed.signIn('owner')
    const exported = await exportAudit(owner)
    const { head, lines, end, text } = exported
    expect(head).toMatchObject({ object: 'audit_export.head', schema: 'audit-4', org_id: managed.organisation.id })
    expect(lines.map(({ index }) => index)).toEqual(Array.from({ length: head.tree_head.tree_size }, (_, at) => at))
    for (const { entry, leaf_hash, content } of lines) {
      const bytes = Uint8Array.fromBase64(String(entry))
      expect(leafHash(bytes).toHex()).toBe(leaf_hash)
      expect(new TextDecoder().decode(bytes)).toContain(JSON.stringify(content))
    }
    expect(lines.filter(({ kind }) => kind === 'chat_decision').map(({ signature }) => typeof signature)).toEqual(
      Array.from({ length: 350 }, () => 'string'),
    )
    expect(lines.filter((line) => line['kind'] !== 'chat_decision' && 'signature' in line)).toEqual([])
    expect(lines.at(-1)).toMatchObject({ content: { act: 'compliance.audit_export', actor: owner.id } })
    expect(end).toMatchObject({ entries: lines.length, withheld: 0, next_cursor: null })
    expect(end?.sha256).toBe(sha256Hex(text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)))
    expect(isProven(exported)).toBe(true)
  })

  it('has the hash of an answer, and in no format its salt, which is stored beside', async () => {
    const managed = await manage()
    const key = await managed.organisation.issueKey()
    const admission = await managed.organisation.admit(key)
    if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
    const answer = { salt: '5a17'.repeat(8), sha256: 'b1'.repeat(32) }
    await managed.organisation.settle(admission.position, 7, { answer })
    const stored = "SELECT facts FROM entries WHERE kind = 'settlement'"
    expect(await managed.organisation.query(stored)).toEqual([
      { facts: expect.stringContaining(answer.salt) as string },
    ])
    const owner = await managed.signIn('owner')
    const { lines, text } = await exportAudit(owner)
    const saltSha256 = sha256Hex(Uint8Array.fromHex(answer.salt))
    const told = { content: { answer: { v: 'answer-2', sha256: answer.sha256, salt_sha256: saltSha256 } }, facts: null }
    expect(lines.find(({ kind }) => kind === 'settlement')).toMatchObject(told)
    expect(lines.find(({ kind }) => kind === 'chat_decision')?.['facts']).toMatchObject({ key_id: key.id })
    const files = [`${AUDIT_LOGS}?format=csv`, PATH, `${PATH}?section=audit&format=csv`]
    const others = await Promise.all(files.map(async (path) => (await owner.ask('GET', path)).text()))
    for (const file of [text, ...others]) {
      expect(file).toContain(answer.sha256)
      expect(file).not.toContain(answer.salt)
    }
  })

  it('is an entry before its first byte, and one at its end that says what it was', async () => {
    let told = 0
    const managed = await manage(
      {},
      watchingPages(() => void (told += 1), 'audit.endExport'),
    )
    const owner = await managed.signIn('owner')
    const { head, end } = await exportAudit(owner, '?start=2026-01-01&end=2027-01-01')
    expect(told).toBe(1)
    expect(await actsOf(managed, 'compliance.audit_export')).toMatchObject([
      { actor: owner.id, export_id: head['export_id'], start: '2026-01-01', end: '2027-01-01', format: 'jsonl' },
    ])
    expect(await actsOf(managed, 'compliance.audit_export_end')).toMatchObject([
      {
        export_id: head['export_id'],
        complete: true,
        first: head.first,
        end_index: head.end_index,
        entries: end?.entries,
        sha256: end?.sha256,
      },
    ])
  })

  it('is listed with who made it and its hash, beside those that were broken off, until the entry’s time is over', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage()
    const owner = await managed.signIn('owner')
    const { end } = await exportAudit(owner, '?start=2091-03-01&end=2091-03-15')
    await fillLedger(managed, 3000, NO_KEY)
    await (await owner.ask('GET', AUDIT_LOGS)).body?.cancel()
    await expect.poll(() => actsOf(managed, 'compliance.audit_export_end')).toHaveLength(2)
    await exportJson(owner)
    const list = async () => (await owner.ask('GET', EXPORTS)).json<{ data: Record<string, unknown>[] }>()
    const { data } = await list()
    expect(data).toMatchObject([
      { kind: 'organisation', made_by: owner.id, start: null, complete: null, entries: null, sha256: null },
      { kind: 'evidence', made_by: owner.id, complete: false, sha256: null },
      {
        kind: 'evidence',
        start: '2091-03-01',
        end: '2091-03-15',
        complete: true,
        entries: end?.entries,
        sha256: end?.sha256,
      },
    ])
    expect((await (await managed.signIn('developer')).ask('GET', EXPORTS)).status).toBe(403)

    vi.setSystemTime(noon + 364 * DAY_MS)
    const nearlyOver = await managed.signIn('auditor')
    expect((await (await nearlyOver.ask('GET', EXPORTS)).json<{ data: object[] }>()).data).toEqual(data)
    vi.setSystemTime(noon + 366 * DAY_MS)
    const nothing = { made_by: null, complete: null, sha256: null }
    const auditor = await managed.signIn('auditor')
    expect((await (await auditor.ask('GET', EXPORTS)).json<{ data: object[] }>()).data).toMatchObject(
      data.map(({ kind, created_at, index }) => Object.assign({ kind, created_at, index }, nothing)),
    )
  })

  it('has the entries of the days that are asked for, wherever they are kept', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage()
    for (let day = 0; day < 4; day += 1) {
      vi.setSystemTime(noon + day * DAY_MS)
      await fillLedger(managed, 300, NO_KEY)
    }
    vi.setSystemTime(noon + 3 * DAY_MS)
    await putAway(managed)
    expect(await objectNames()).not.toEqual([])
    const key = await managed.automate()
    const exported = await exportAudit(key, `?start=${dateOf(noon + DAY_MS)}&end=${dateOf(noon + 2 * DAY_MS)}`)
    expect([exported.head.first, exported.head.end_index]).toEqual([301, 901])
    expect(new Set(exported.lines.map(({ at }) => String(at).slice(0, 10)))).toEqual(
      new Set([dateOf(noon + DAY_MS), dateOf(noon + 2 * DAY_MS)]),
    )
    expect(isProven(exported)).toBe(true)
  })

  it('withholds what is not kept any more, with its leaf, and says when something should be there and is not', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage()
    await fillLedger(managed, 600, NO_KEY)
    await putAway(managed)
    vi.setSystemTime(noon + 40 * DAY_MS)
    const key = await managed.automate()
    const after = await exportAudit(key, `?start=${dateOf(noon)}&end=${dateOf(noon)}`)
    // The act that founded the organisation stays too. Every other entry beside the receipts was written for 30 days.
    expect(after.end).toMatchObject({ entries: 301, withheld: 300 })
    expect(new Set(after.lines.map(({ withheld }) => withheld))).toEqual(new Set([undefined, 'retention']))
    expect(isProven(after)).toBe(true)

    await env.FILES.delete(await objectNames())
    await managed.organisation.evict()
    const lost = await exportAudit(key, `?start=${dateOf(noon)}&end=${dateOf(noon)}`)
    expect(lost.lines.filter(({ withheld }) => withheld === 'unreadable').length).toBeGreaterThan(250)
    expect(lost.head.first).toBe(after.head.first)
    expect(isProven(lost)).toBe(true)
  })

  it('withholds an entry that is not what its leaf is the hash of, and is proven all the same', async () => {
    const managed = await manage()
    await fillLedger(managed, 10, NO_KEY)
    await managed.organisation.query('DROP TRIGGER entries_never_change')
    await managed.organisation.query('UPDATE entries SET entry = zeroblob(40) WHERE position = 5')
    const exported = await exportAudit(await managed.automate())
    expect(
      exported.lines.flatMap(({ index, withheld }) => (withheld === undefined ? [] : [[index, withheld]])),
    ).toEqual([[5, 'unreadable']])
    expect(isProven(exported)).toBe(true)
  })

  it('of days without an entry is empty, and proven too', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const key = await (await manage()).automate()
    for (const [query, first] of [
      ['?start=0001-01-01&end=0001-12-31', 0],
      ['?start=9999-01-01&end=9999-12-31', 4],
    ] as const) {
      const exported = await exportAudit(key, query)
      expect([exported.head.first, exported.head.end_index, exported.lines]).toEqual([first, first, []])
      expect(isProven(exported)).toBe(true)
    }
  })

  it('goes on where an earlier one has ended, and nowhere else', async () => {
    const managed = await manage()
    await fillLedger(managed, 300, NO_KEY)
    const key = await managed.automate()
    const rest = await exportAudit(key, '?cursor=250')
    expect([rest.head.first, isProven(rest)]).toEqual([250, true])
    for (const cursor of ['99999', '-1', '1e3', '01', 'x', '9'.repeat(30)]) {
      const refused = await key.ask('GET', `${AUDIT_LOGS}?cursor=${cursor}`)
      expect([cursor, refused.status, await codeOf(refused)]).toEqual([cursor, 400, 'invalid_request'])
    }
    for (const days of ['start=2001-01-01&end=2001-01-02', 'start=9999-01-01&end=9999-12-31']) {
      const other = await key.ask('GET', `${AUDIT_LOGS}?${days}&cursor=250`)
      expect([days, await codeOf(other)]).toEqual([days, 'invalid_request'])
    }
  })

  it('refuses days that are none, are not in order or are too many', async () => {
    const managed = await manage()
    const key = await managed.automate()
    for (const query of [
      'start=2026-02-30',
      'start=2026-13-01',
      'end=today',
      'start=2026-02-02&end=2026-02-01',
      'start=0001-01-01',
    ]) {
      expect([query, await codeOf(await key.ask('GET', `${AUDIT_LOGS}?${query}`))]).toEqual([query, 'invalid_request'])
    }
    expect(await actsOf(managed, 'compliance.audit_export')).toEqual([])
  })

  it('as a table has a row for each leaf and a last one, and nothing that a spreadsheet takes for a formula', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage()
    await fillLedger(managed, 10, NO_KEY)
    vi.setSystemTime(noon + 40 * DAY_MS)
    const { ask } = await managed.automate()
    const response = await ask(
      'GET',
      `${AUDIT_LOGS}?format=csv&start=${dateOf(noon)}&end=${dateOf(noon + 40 * DAY_MS)}`,
    )
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const rows = parse(await response.text())
    expect(rows[0]).toEqual(['index', 'kind', 'at', 'leaf_hash', 'withheld', 'salt', 'content', 'facts'])
    expect([rows[1]?.[4], rows[3]?.[4]]).toEqual(['', 'retention'])
    expect([rows[2]?.[1], rows[2]?.[4], rows[2]?.[5]]).toEqual(['chat_decision', '', ''])
    expect(JSON.parse(rows[2]?.[6] ?? '')).toMatchObject({ org_id: managed.organisation.id })
    expect(rows.at(-1)).toEqual(['complete', '8', '5', '', '', '', '', ''])
  })
})

it('is not begun where nothing could sign its head', async () => {
  const managed = await manage({}, { ATTESTATION_KEYS: '[]' })
  const refused = await (await managed.signIn('owner')).ask('GET', AUDIT_LOGS)
  expect([refused.status, await codeOf(refused)]).toEqual([503, 'service_unavailable'])
  expect(await actsOf(managed, 'compliance.audit_export')).toEqual([])
})

describe('one at a time', () => {
  it('an export is refused while another of the organisation runs, and not when that has ended or was left', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage()
    await fillLedger(managed, 3000, NO_KEY)
    const { ask } = await managed.signIn('owner')
    const first = await ask('GET', AUDIT_LOGS)
    const second = await ask('GET', AUDIT_LOGS)
    expect([second.status, await codeOf(second)]).toEqual([409, 'conflict'])
    expect(readExport(await first.text()).end).not.toBeNull()

    const left = await ask('GET', AUDIT_LOGS)
    await left.body?.cancel()
    const ends = () => actsOf(managed, 'compliance.audit_export_end')
    await expect.poll(ends).toMatchObject([{ complete: true }, { complete: false }])
    expect((await exportAudit({ id: '', ask })).end).not.toBeNull()
  })

  it('one that asks for nothing for five minutes was cut off, and ends no other that has begun since', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage()
    const act = { actor: 'operator', act: 'compliance.audit_export', requestId: 'req_1' } as const
    const begin = async (id: string) =>
      objectOf(managed).audit.beginExport({ id, days: { first: 0, last: 1 }, from: null }, act)
    const read = async (id: string) => objectOf(managed).audit.readExport(id, { from: 0, before: 1 })
    expect(await begin('exp_a')).toMatchObject({ outcome: 'begun' })
    vi.setSystemTime(noon + 299_000)
    expect(await begin('exp_b')).toEqual({ outcome: 'running' })
    await read('exp_a')
    vi.setSystemTime(noon + 598_000)
    expect(await begin('exp_b')).toEqual({ outcome: 'running' })
    vi.setSystemTime(noon + 600_000)
    expect(await begin('exp_b')).toMatchObject({ outcome: 'begun' })
    await expect(read('exp_a')).rejects.toThrow('another export has begun')
    await objectOf(managed).audit.endExport('exp_a', { ...act, act: 'compliance.audit_export_end' })
    expect(await begin('exp_c')).toEqual({ outcome: 'running' })
  })

  it('one that could not be begun is none that runs', async () => {
    const managed = await manage()
    const { ask } = await managed.signIn('owner')
    await managed.organisation.query('ALTER TABLE entries RENAME COLUMN at TO gone')
    expect((await ask('GET', AUDIT_LOGS)).status).toBe(503)
    await managed.organisation.query('ALTER TABLE entries RENAME COLUMN gone TO at')
    expect((await exportAudit({ id: '', ask })).end).not.toBeNull()
  })
})

describe('an export that is not whole has no last line', () => {
  it('where a page cannot be read', async () => {
    const managed = await manageWith((asked) => {
      if (asked >= 2) throw new Error('cut off')
    })
    await fillLedger(managed, 3000, NO_KEY)
    const { ask } = await managed.signIn('owner')
    const errors = vi.spyOn(console, 'error')
    const text = await (await ask('GET', AUDIT_LOGS)).text().catch(() => 'broken off')
    expect(text).not.toContain('audit_export.end')
    expect(errors.mock.calls.join()).toContain('"outcome":"broken_off"')
    expect(await actsOf(managed, 'compliance.audit_export_end')).toMatchObject([{ complete: false }])
  })

  it('is whole though pages fail twice', async () => {
    const managed = await manageWith((asked) => {
      if (asked % 3 !== 2) throw new Error('cut off')
    })
    await fillLedger(managed, 600, NO_KEY)
    const exported = await exportAudit(await managed.signIn('owner'))
    expect([exported.lines.length, isProven(exported)]).toEqual([602, true])
  })

  it('is whole though its proof could not be read at first, and ends once', async () => {
    const managed = await manage(
      {},
      watchingPages((asked) => {
        if (asked < 2) throw new Error('cut off')
      }, 'audit.proveExport'),
    )
    const exported = await exportAudit(await managed.signIn('owner'))
    expect(isProven(exported)).toBe(true)
    expect(await actsOf(managed, 'compliance.audit_export_end')).toMatchObject([{ complete: true }])
  })

  it.each([
    ['its end was not told at first', (asked: number) => asked === 0],
    ['the answer to its end was lost', () => false],
  ])('is whole though %s, and ends once', async (_, isCutOff) => {
    const managed: Managed = await manage(
      {},
      watchingPages(async (asked) => {
        if (isCutOff(asked)) throw new Error('cut off')
        // As if this were the second time that it is told.
        const [begun] = await actsOf(managed, 'compliance.audit_export')
        const told = { actor: owner.id, act: 'compliance.audit_export_end', requestId: 'req_1' }
        await objectOf(managed).audit.endExport(String(begun?.['export_id']), { ...told, content: { complete: true } })
      }, 'audit.endExport'),
    )
    const owner = await managed.signIn('owner')
    const exported = await exportAudit(owner)
    expect(isProven(exported)).toBe(true)
    expect(await actsOf(managed, 'compliance.audit_export_end')).toMatchObject([{ complete: true }])
  })

  it('where the organisation is sealed meanwhile, since it is being erased', async () => {
    const managed = await manageWith(async (asked) => {
      if (asked !== 1) return
      await managed.organisation.query(
        `INSERT INTO erasure (id, erasure_id, subject, jurisdiction, requested_by, requested_at, due_at, state, is_sealed)
         VALUES (1, 'era_a', 'org_a', 'eu', 'usr_a', 1, 1, 'running', 1)`,
      )
      await managed.organisation.evict()
    })
    await fillLedger(managed, 3000, NO_KEY)
    const { ask } = await managed.signIn('owner')
    const text = await (await ask('GET', AUDIT_LOGS)).text().catch(() => 'broken off')
    expect(text).not.toContain('audit_export.end')
    await expect(async () => objectOf(managed).audit.readExport('exp_a', { from: 0, before: 1 })).rejects.toThrow(
      'the organisation is being erased',
    )
  })
})

describe('who may have it', () => {
  it('is who may read the audit; a look at the headers is no export, and neither is another site’s link', async () => {
    const managed = await manage()
    for (const role of ['developer', 'clinician'] as const) {
      expect(await codeOf(await (await managed.signIn(role)).ask('GET', AUDIT_LOGS))).toBe('role_required')
    }
    const { ask } = await managed.signIn('auditor')
    expect((await ask('HEAD', AUDIT_LOGS)).status).toBe(200)
    const linked = await ask('GET', AUDIT_LOGS, undefined, { 'sec-fetch-site': 'cross-site' })
    expect(await codeOf(linked)).toBe('origin_refused')
    expect(await actsOf(managed, 'compliance.audit_export')).toEqual([])
    expect((await ask('GET', AUDIT_LOGS)).status).toBe(200)
  })
})
