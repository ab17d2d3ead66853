// Medical receipts of the built Worker as somebody else checks them: an answer and an export, kept as files, without the service.
// And what countersign-verify says of files that were changed.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { strangerKey } from '../fixtures/evidence/invented-evidence.ts'
import { ask, sharedGateway, type Gateway } from '../support/e2e/gateway.ts'
import { signInAs } from '../support/e2e/members.ts'
import { keepFile, verify } from '../support/e2e/verify.ts'

type Line = Record<string, unknown> & { object: string; id?: string }

let gateway: Gateway
let key: string
let organisationId: string
let text: string
let pinned: string[]

const PATH = '/api/health/receipts'

const get = async (path: string): Promise<string> => {
  const response = await gateway.service.fetch(path, { headers: { authorization: `Bearer ${key}` } })
  if (!response.ok) throw new Error(await response.text())
  return response.text()
}

beforeAll(async () => {
  gateway = await sharedGateway()
  const created = await gateway.createKey({ tier: 'healthcare' }, { scopes: ['chat', 'manage'] })
  ;({ key, organisationId } = created)
  await gateway.putPolicy(created, { medical_use_cases: ['triage', 'letters'] })
  const chat = (useCase: string, more: Record<string, string> = {}, body = ask('gpt-4.1-mini')) =>
    gateway.chat(key, body, { headers: { 'x-aqta-use-case': useCase, ...more } })
  for (const useCase of ['triage', 'coding', 'triage']) await chat(useCase)
  const owner = await signInAs(gateway.service, organisationId, 'owner')
  const approver = await gateway.service.fetch('/api/policies', {
    method: 'PUT',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      medical_use_cases: ['triage', 'letters'],
      human_approval: { when: [{ use_cases: ['letters'] }] },
    }),
  })
  expect(approver.status).toBe(200)
  const letter = ask('gpt-4.1-mini')
  const refused = (await (await chat('letters', {}, letter)).json()) as { error: { approval_id: string } }
  const decided = await gateway.service.fetch(`/api/approvals/${refused.error.approval_id}/decision`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approve' }),
  })
  expect(decided.status).toBe(200)
  await chat('letters', { 'x-aqta-approval': refused.error.approval_id }, letter)
  await gateway.settlements(organisationId, 4)
  text = await get(`${PATH}/export`)
  pinned = ['--key', await gateway.publicKey()]
})

const linesOf = (exported: string): Line[] =>
  exported
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** Written again, with a last line that fits. */
function remake(lines: readonly Line[]): string {
  const [last, ...before] = lines.toReversed()
  const body = before.toReversed().map((line) => `${JSON.stringify(line)}\n`)
  const sha256 = createHash('sha256').update(body.join('')).digest('hex')
  return `${body.join('')}${JSON.stringify({ ...last, receipts: body.length - 1, sha256 })}\n`
}

describe('an export', () => {
  it('is checked without the service: a receipt of each call, in a tree that a key given has signed', async () => {
    expect(linesOf(text).map(({ object }) => object)).toEqual([
      'medical_export.head',
      ...Array.from({ length: 3 }, () => 'medical_receipt'),
      'medical_export.end',
    ])
    const { status, said } = await verify(keepFile(text), ...pinned)
    expect([status, said]).toEqual([0, expect.stringContaining('0 invalid, 0 unreadable')])
    expect(said).toMatch(/^valid +head .*\nvalid +keys .*\nnote +anchor .*\nvalid +export +org_\S+ +\S+, 3 receipts\n/)
  })

  it('is checked by a list of keys that was kept, and by no other key', async () => {
    const kept = keepFile(await get('/v1/attestation/keys'), 'json')
    expect(await verify(keepFile(text), '--keys', kept)).toMatchObject({ status: 0 })
    expect(await verify(keepFile(text), '--key', strangerKey.publicKey)).toMatchObject({ status: 1 })
    expect(await verify(keepFile(text))).toMatchObject({ status: 2 })
  })

  it('is not whole without its last line, nor where a line was cut off', async () => {
    const cut = text.slice(0, text.trimEnd().lastIndexOf('\n') + 1)
    expect(await verify(keepFile(cut), ...pinned)).toMatchObject({
      status: 1,
      said: expect.stringContaining('(end_missing)') as string,
    })
    expect(await verify(keepFile(text.slice(0, -40)), ...pinned)).toMatchObject({ status: 1 })
    expect(await verify(keepFile(`${text}${JSON.stringify(linesOf(text)[1])}`), ...pinned)).toMatchObject({ status: 1 })
  })

  it('is found out where a byte is another, or its last line tells of entries that it lacks', async () => {
    const [last = '', ...before] = text.trimEnd().split('\n').toReversed()
    const rest = before.toReversed()
    const lacking = last.replace('"unreadable_entries":0', '"unreadable_entries":1')
    for (const [lines, code] of [
      [[...rest.with(1, `${rest[1]} `), last], 'bytes_changed'],
      [[...rest, lacking], 'entries_unreadable'],
    ] as const) {
      const { status, said } = await verify(keepFile(`${lines.join('\n')}\n`), ...pinned)
      expect([status, said]).toEqual([1, expect.stringContaining(`(${code})`)])
    }
  })

  it('is found out where a line is missing, stands twice or elsewhere', async () => {
    const [head, first, second, ...rest] = text.trimEnd().split('\n')
    for (const [lines, code] of [
      [[head, second, ...rest], 'count_mismatch'],
      [[head, first, first, second, ...rest], 'out_of_order'],
      [[head, second, first, ...rest], 'out_of_order'],
      [[head, first, second, ...rest.toReversed()], 'line_after_end'],
    ] as const) {
      const { status, said } = await verify(keepFile(`${lines.join('\n')}\n`), ...pinned)
      expect([status, said]).toEqual([1, expect.stringContaining(`(${code})`)])
    }
  })

  const change = (edit: (receipt: Line) => object): string =>
    remake(linesOf(text).map((line, at) => (at === 1 ? Object.assign(line, edit(line)) : line)))
  const within = (value: unknown, changes: object): object => ({ ...(value as object), ...changes })

  it.each<[string, (receipt: Line) => object, string]>([
    ['its kind', () => ({ object: 'receipt' }), 'not_a_receipt'],
    ['its id', () => ({ id: crypto.randomUUID() }), 'members_differ'],
    ['its time', () => ({ created_at: '2026-01-01T00:00:00.000Z' }), 'members_differ'],
    ['its trace', () => ({ trace_id: `tr_${'0'.repeat(32)}` }), 'members_differ'],
    ['its model', () => ({ model: 'other' }), 'members_differ'],
    ['its outcome', () => ({ outcome: 'blocked' }), 'members_differ'],
    ['a member more', () => ({ patient: 'invented' }), 'not_a_receipt'],
    [
      'its record',
      ({ attestation }) => ({ model: 'x', attestation: within(attestation, { model: 'x' }) }),
      'signature_mismatch',
    ],
    ['its settlement', ({ settlement }) => ({ settlement: within(settlement, { settles: 0 }) }), 'settles_another'],
    [
      'its acceptance',
      () => ({ acceptance: { approval_id: 'apr_x', subject: null, records: [] } }),
      'approval_malformed',
    ],
    [
      'a head of its own',
      ({ organisation_log: log }) => ({ organisation_log: within(log, { head: {} }) }),
      'not_a_receipt',
    ],
    ['its state of an approval', () => ({ approval_state: 'denied' }), 'state_contradicted'],
  ])('is found out where a receipt has another: %s', async (_, edit, code) => {
    const { status, said } = await verify(keepFile(change(edit)), ...pinned)
    expect([status, said]).toEqual([1, expect.stringContaining(`(${code})`)])
    expect(said).toContain('(lines_wrong)')
  })

  it('is found out where its head is of another log, or another format, or by its own list of no valid key', async () => {
    const [head, ...rest] = linesOf(text)
    const revoked = linesOf(text).flatMap(({ public_keys: keys = [] }) =>
      (keys as object[]).map((one) => Object.assign(one, { status: 'revoked', valid_until: '2026-01-01T00:00:00Z' })),
    )
    for (const [keys, code] of [
      [revoked, 'key_revoked'],
      [[], 'not_a_list'],
    ] as const) {
      const { status, said } = await verify(
        keepFile(remake([{ ...head, public_keys: keys } as Line, ...rest])),
        ...pinned,
      )
      expect([status, said]).toEqual([1, expect.stringContaining(`(${code})`)])
    }
    for (const edit of [{ org_id: 'org_other' }, { schema: 'medical-2' }, { tree_head: null }, { demo: true }]) {
      const { status, said } = await verify(keepFile(remake([{ ...head, ...edit } as Line, ...rest])), ...pinned)
      expect([status, said]).toEqual([1, expect.stringContaining('(head_not_valid)')])
    }
  })
})

describe('a receipt', () => {
  it('is checked as it was answered, decisions of people included, and not once a word is changed', async () => {
    const ids = linesOf(text).flatMap(({ id }) => (id === undefined ? [] : [id]))
    for (const id of ids) {
      const answered = await get(`${PATH}/${id}`)
      expect(await verify(keepFile(answered, 'json'), ...pinned)).toMatchObject({ status: 0 })
      for (const [from, to] of [
        ['"outcome":"ALLOWED"', '"outcome":"BLOCKED"'],
        ['"approval_state":"executed"', '"approval_state":"claimed"'],
        ['"approvals_required":1', '"approvals_required":2'],
        ['"provider":"openai"', '"provider":"google"'],
      ] as const) {
        const spoilt = answered.replace(from, to)
        if (spoilt !== answered) expect(await verify(keepFile(spoilt, 'json'), ...pinned)).toMatchObject({ status: 1 })
      }
    }
    const approved = await verify(keepFile(await get(`${PATH}/${ids[0]}`), 'json'), ...pinned)
    expect(
      approved.said.match(/^valid +(?:receipt|record|organisation_log|settlement|subject|acceptance|approval) /gm),
    ).toHaveLength(7)
  })

  it('takes nothing beside a key', async () => {
    const [, receipt] = linesOf(text)
    const path = keepFile(await get(`${PATH}/${receipt?.id}`), 'json')
    expect(await verify(path, ...pinned, '--head', path)).toMatchObject({ status: 2 })
    expect(await verify(path, '--integrity-only')).toMatchObject({ status: 2 })
    expect(await verify(path, ...pinned, '--as', 'record')).toMatchObject({ status: 2 })
    expect(await verify(keepFile(text), ...pinned, '--as', 'record')).toMatchObject({ status: 2 })
    expect(await verify(keepFile(text), ...pinned, '--profile', 'accept-1')).toMatchObject({ status: 2 })
  })
})
