// The history of a policy over its routes: what each version changed, who made it, in pages, and each version whole.
import { env } from 'cloudflare:workers'
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { noon } from '../../organisation/chat-organisation.ts'
import { manage, type Asker } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const PATH = '/api/policies/history'

type Page = { data: { version: number; changes: object[] | null }[]; has_more: boolean; next_cursor: string | null }

const pageOf = async ({ ask }: Asker, query = '') => (await ask('GET', `${PATH}${query}`)).json<Page>()

async function withVersions(...documents: object[]) {
  const managed = await manage()
  const owner = await managed.signIn('owner')
  for (const document of documents) expect((await owner.ask('PUT', '/api/policies', document)).status).toBe(200)
  return { managed, owner }
}

describe('GET /api/policies/history', () => {
  it('comes in pages, whose last version is told by what it changed too', async () => {
    const { owner } = await withVersions({ loop_guard: { repeats: 2 } }, { loop_guard: { repeats: 3 } }, {})
    const first = await pageOf(owner, '?limit=2')
    expect(first).toMatchObject({ data: [{ version: 3 }, { version: 2 }], has_more: true, next_cursor: '2' })
    expect(first.data[1]?.changes).toHaveLength(1)
    expect(await pageOf(owner, '?limit=2&cursor=2')).toMatchObject({ data: [{ version: 1 }], has_more: false })
    expect((await owner.ask('GET', `${PATH}?cursor=two`)).status).toBe(400)
  })

  it('says of the oldest that is kept that what it changed is not known', async () => {
    const { managed, owner } = await withVersions({ loop_guard: {} }, {})
    const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(managed.organisation.id))
    await runInDurableObject(object, (_, { storage }) => {
      storage.sql.exec('DELETE FROM policy_versions WHERE version = 1')
    })
    expect((await pageOf(owner)).data).toMatchObject([{ version: 2, changes: null }])
    expect((await owner.ask('GET', `${PATH}/1`)).status).toBe(404)
  })
})

describe('GET /api/policies/history/{version}', () => {
  it.each(['0', '2', 'first', '1.5', '-1', '999999999999999'])('has no version %s', async (version) => {
    const { owner } = await withVersions({ loop_guard: {} })
    const response = await owner.ask('GET', `${PATH}/${version}`)
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
  })
})
