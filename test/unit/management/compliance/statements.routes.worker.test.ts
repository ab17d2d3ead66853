// Statements over their routes: who may state what, what the ledger is told, and that the words are the organisation's to take along.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { actsOf, manage, type Asker, type Managed } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const PATH = '/api/compliance/statements'
const TEXT = 'The assessment is in our own register\nunder number 12.'

const BODY = { text: TEXT, looked_at: 'Page 12 of the register.' }

type Statement = { subject: string; text: string; stated_by: string }

const put = (by: Asker, subject: string, body: object): Promise<Response> =>
  by.ask('PUT', `${PATH}/${encodeURIComponent(subject)}`, body)

const list = async (by: Asker): Promise<Statement[]> =>
  (await (await by.ask('GET', PATH)).json<{ data: Statement[] }>()).data

const codeOf = async (response: Response) => (await response.json<{ error: { code: string } }>()).error.code

async function organisation(): Promise<{ managed: Managed; admin: Asker }> {
  const managed = await manage({ tier: 'free' })
  return { managed, admin: await managed.signIn('admin') }
}

describe('a statement', () => {
  it('is shown with who made it and when, and the ledger has its hash and not its words', async () => {
    const { managed, admin } = await organisation()
    const answer = await put(admin, 'X2', { ...BODY, cause: 'own_change', date: '2091-03-01' })
    expect(answer.status).toBe(200)
    const statement = {
      object: 'compliance_statement',
      subject: 'X2',
      text: TEXT,
      looked_at: BODY.looked_at,
      cause: 'own_change',
      date: '2091-03-01',
      stated_by: admin.id,
      stated_at: new Date(noon).toISOString(),
    }
    expect(await answer.json()).toEqual(statement)
    expect(await list(admin)).toEqual([statement])
    const acts = await actsOf(managed, 'compliance.statement')
    expect(acts).toMatchObject([
      {
        actor: admin.id,
        subject: 'X2',
        cause: 'own_change',
        sha256: sha256Hex(TEXT),
        looked_at_sha256: sha256Hex(BODY.looked_at),
      },
    ])
    expect(JSON.stringify(await managed.organisation.entries())).not.toContain('register')
  })

  it('of an organisation of invented data says so, in the list and where it is made and taken back', async () => {
    const admin = await (await manage({ demo: true })).signIn('admin')
    const made = await put(admin, 'X2', BODY)
    const listed = await admin.ask('GET', PATH)
    const removed = await admin.ask('DELETE', `${PATH}/X2`)
    for (const answer of [made, listed, removed]) expect(await answer.json()).toMatchObject({ demo: true })
  })

  it.each([
    { ...BODY, text: '' },
    { ...BODY, text: ' ' },
    { ...BODY, text: 'a'.repeat(2001) },
    { ...BODY, text: 'half \ud800' },
    { ...BODY, cause: 'the weather' },
    { ...BODY, text: 'turned \u202e around' },
    { ...BODY, text: 'marked \u061c and \u200f' },
    { ...BODY, text: 'a\u0007bell' },
    { ...BODY, date: '2091-02-30' },
    { text: TEXT, looked_at: ' ' },
    { text: TEXT, looked_at: 'a'.repeat(501) },
    { text: TEXT, looked_at: 'a\u0007bell' },
  ])('is refused where its words or its day are none (%#)', async (body) => {
    const { admin } = await organisation()
    expect(await codeOf(await put(admin, 'X1', body))).toBe('invalid_request')
    expect(await list(admin)).toEqual([])
  })

  it('is refused without what the person has looked at', async () => {
    const { admin } = await organisation()
    expect(await codeOf(await put(admin, 'X1', { text: TEXT }))).toBe('missing_parameter')
  })

  it('is taken back by whoever may make one, and the ledger keeps both', async () => {
    const { managed, admin } = await organisation()
    await put(admin, 'X3', BODY)
    const removed = await admin.ask('DELETE', `${PATH}/X3`)
    expect(removed.status).toBe(200)
    expect(await actsOf(managed, 'compliance.statement_removed')).toMatchObject([{ subject: 'X3' }])
    expect(await actsOf(managed, 'compliance.statement')).toHaveLength(1)
  })

  it('is in the export of the organisation’s data', async () => {
    const { admin } = await organisation()
    await put(admin, 'X2', BODY)
    const exported = await (await admin.ask('GET', '/api/settings/export?section=statements')).json()
    expect(exported).toMatchObject({ complete: true, statements: [{ id: 'X2', subject: 'X2', text: TEXT }] })
  })

  it('refuses one too many', async () => {
    const { managed, admin } = await organisation()
    await put(admin, 'X1', BODY)
    await managed.organisation.query(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
       INSERT INTO statements (subject, text, looked_at, date, stated_by, stated_at) SELECT 'disparity:key:blocked:' || i, 'x', 'x', NULL, 'usr_1', 0 FROM n`,
    )
    expect(await codeOf(await put(admin, 'X2', BODY))).toBe('conflict')
    expect((await put(admin, 'X1', { ...BODY, text: 'Again.' })).status).toBe(200)
  })
})
