// Calls that were let in just before an organisation's object was sealed, and reach it just after: answered as the next one.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eraseTables } from '../../../../src/organisation/erasure/erase-tables.ts'
import { EntriesStore } from '../../../../src/organisation/journal/entries.store.ts'
import { Journal } from '../../../../src/organisation/journal/journal.ts'
import { newId } from '../../../../src/platform/ids.ts'
import { foundOrganisation, noon, type ChatOrganisation } from '../../organisation/chat-organisation.ts'
import { withKey } from '../../../support/unit/service.ts'
import { manage, type Asker } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type State = 'running' | 'completed'

/** The object alone is sealed: D1, which lets people in, does not know of it yet. */
async function seal(organisation: ChatOrganisation, state: State): Promise<void> {
  await organisation.query(
    `INSERT INTO erasure (id, erasure_id, subject, jurisdiction, requested_by, requested_at, due_at, state, is_sealed)
     VALUES (1, '${newId('era_', noon)}', '${organisation.id}', 'eu', 'usr_a', ${noon}, ${noon}, '${state}', 1)`,
  )
  if (state === 'completed') await runInDurableObject(objectOf(organisation), (_, { storage }) => eraseAll(storage))
  await organisation.evict()
}

const objectOf = ({ id }: ChatOrganisation) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

function eraseAll({ sql }: DurableObjectStorage): void {
  const journal = new Journal(sql)
  while (new EntriesStore(sql).eraseNext(0)) continue
  eraseTables(sql)
  journal.clear()
}

/** The service with an object that admits a key as it did the first time. */
function admittingAsBefore(): object {
  const { ORGANISATIONS } = env
  const before = new Map<string, unknown>()
  const watch = (stub: DurableObjectStub): DurableObjectStub =>
    new Proxy(stub, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        if (name !== 'admitManage' || typeof method !== 'function') return method
        return async (caller: { keyId: string }): Promise<unknown> => {
          const { keyId } = caller
          if (!before.has(keyId)) before.set(keyId, await Reflect.apply(method, target, [caller]))
          return before.get(keyId)
        }
      },
    })
  return {
    ORGANISATIONS: {
      getByName: (name: string) => watch(ORGANISATIONS.getByName(name)),
    },
  }
}

type Call = [method: string, path: string, body?: object]

const callsFor = (key: string): Call[] => [
  ['GET', '/api/settings'],
  ['PATCH', '/api/settings', { default_max_tokens: 5 }],
  ['GET', '/api/settings/export'],
  ['GET', '/api/compliance/audit-trail'],
  ['GET', '/api/compliance/audit-logs'],
  ['GET', '/api/health/receipts'],
  ['GET', '/api/health/receipts/export'],
  ['GET', `/api/health/receipts/${crypto.randomUUID()}`],
  ['POST', `/api/health/receipts/${crypto.randomUUID()}/verify`, {}],
  ['GET', '/api/keys'],
  ['GET', `/api/keys/${key}`],
  ['POST', '/api/keys', { name: 'A late key' }],
  ['PATCH', `/api/keys/${key}`, { name: 'Another name' }],
  ['POST', `/api/keys/${key}/rotate`, {}],
  ['DELETE', `/api/keys/${key}`],
]

async function answerOf(answering: Promise<Response>): Promise<string> {
  const response = await answering
  const { error } = await response.json<{ error?: { code: string } }>()
  return `${response.status} ${error?.code}`
}

async function answersTo({ ask }: Asker, calls: readonly Call[]): Promise<string[]> {
  const answers: string[] = []
  for (const [method, path, body] of calls) {
    answers.push(`${method} ${path}: ${await answerOf(ask(method, path, body))}`)
  }
  return answers
}

const allAnswered = (calls: readonly Call[], answer: string) =>
  calls.map(([method, path]) => `${method} ${path}: ${answer}`)

describe.each([
  { state: 'running', person: '403 organisation_closing', key: '403 organisation_closing' },
  { state: 'completed', person: '404 not_found', key: '401 invalid_api_key' },
] as const)('where its erasure is $state', ({ state, person, key }) => {
  it('people, keys and the operator are answered as after it, and nothing is written', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const managed = await manage({}, admittingAsBefore())
    const { organisation } = managed
    const owner = await managed.signIn('owner')
    const member = await managed.signIn('developer')
    const manager = await managed.automate(['manage', 'chat'])
    const target = await managed.automate(['chat'])
    expect((await manager.ask('GET', '/api/keys')).status).toBe(200)
    await seal(organisation, state)
    const leaves = await organisation.query('SELECT position FROM entries')

    const calls = callsFor(target.id)
    expect(await answersTo(manager, calls)).toEqual(allAnswered(calls, key))
    const removal: Call = ['DELETE', `/api/members/${member.id}`]
    const ofPeople = [...calls, removal]
    expect(await answersTo(owner, ofPeople)).toEqual(allAnswered(ofPeople, person))
    const path = `/api/operator/organisations/${organisation.id}`
    for (const below of ['', '/keys', `/keys/${target.id}`]) {
      const asked = organisation.service.fetch(path + below, withKey(env.OPERATOR_TOKEN ?? ''))
      expect(await answerOf(asked)).toBe('404 not_found')
    }
    expect(await organisation.query('SELECT position FROM entries')).toEqual(leaves)
    expect(errors).not.toHaveBeenCalled()
  })

  it('a change of members is refused before it is made', async () => {
    const { organisation, signIn } = await manage()
    const owner = await signIn('owner')
    const member = await signIn('developer')
    await seal(organisation, state)
    const changing = owner.ask('PATCH', `/api/members/${member.id}`, { role: 'auditor' })
    expect(await answerOf(changing)).toBe(state === 'running' ? '403 organisation_closing' : '404 not_found')
  })

  it('calls of keys are refused by the object as they always are', async () => {
    const organisation = await foundOrganisation()
    const [chat, letters] = [await organisation.issueKey(), await organisation.service.createKey({}, organisation.id)]
    await seal(organisation, state)
    const outcome = state === 'running' ? 'organisation_closing' : 'invalid_api_key'
    const asked = [organisation.admit(chat), organisation.admitInvalid(chat), organisation.describe(chat)]
    expect((await Promise.all(asked)).map((admission) => admission.outcome)).toEqual([outcome, outcome, outcome])
    expect(await answerOf(organisation.service.fetch('/v1/examples', withKey(letters.key)))).toBe(key)
    expect(await organisation.settle(0, 4)).toMatchObject({ outcome: 'not_open' })
  })
})
