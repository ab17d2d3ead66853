// Two organisations on the service that can be killed at a step; one of them is erased while that happens.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { hashToken, newToken } from '../../../../src/accounts/access/secret-token.ts'
import type { ErasureStep } from '../../../../src/organisation/erasure/erasure.ts'
import { callOperator } from '../../../../scripts/operator/operator-client.ts'
import { buildCrashService, type Life } from './crash-service.ts'
import { readObjects } from './databases.ts'
import { ALARM_PATH, DATABASE_PATH } from './steps.ts'

/** In all that the organisation writes which is to be erased. */
export const MARK = 'quicksilver-marigold'
/** In what the other one writes. */
export const OTHER_MARK = 'amber-foxglove'

/** Details that are older than a week are put away. */
const LATER_MS = 8 * 86_400_000

const KILLED_WITHIN_MS = 120_000

const IdSchema = z.object({ id: z.string() })
const IssuedSchema = z.object({ key: z.string() })

type Practice = { id: string; name: string; personId: string; mark: string }

export async function startErasureRun() {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-erasure-'))
  const service = await buildCrashService(folder, {})
  let life: Life | null = null

  async function begin(options: Parameters<typeof service.start>[0]): Promise<Life> {
    await life?.stop()
    life = await service.start(options)
    return life
  }

  async function found(mark: string): Promise<Practice> {
    const { target } = running()
    const name = `The ${mark} practice`
    const { id } = await callOperator(target, IdSchema, 'POST', '/organisations', { name })
    const wanted = { prefix: 'vk_test_', name: `A key of ${mark}` }
    const { key } = await callOperator(target, IssuedSchema, 'POST', `/organisations/${id}/keys`, wanted)
    for (let n = 0; n < 5; n += 1) await refuseOne(target.url, key, `${mark}-${n}`)
    const personId = `usr_${randomUUID()}`
    await insert('people', { id: personId, email: `${mark}@example.org`, email_key: mark, name: mark, created_at: 1 })
    await insert('members', { organisation_id: id, person_id: personId, role: 'owner', joined_at: 1 })
    return { id, name, personId, mark }
  }

  async function insert(table: string, row: Record<string, string | number>): Promise<void> {
    const columns = Object.keys(row)
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    const { url } = running().target
    const answer = await post(`${url}${DATABASE_PATH}`, { sql, values: Object.values(row) })
    if (!answer.ok) throw new Error(`D1 refuses: ${await answer.text()}`)
  }

  function running(): Life {
    if (life === null) throw new Error('nothing runs')
    return life
  }

  /** Straight into the database, but for the token: only its hash can be told as JSON by its digits. */
  async function signIn(personId: string): Promise<string> {
    const token = newToken()
    const hash = Buffer.from(hashToken(token)).toString('hex')
    const now = Date.now() + LATER_MS
    const sql = `INSERT INTO sessions (token_hash, id, person_id, method, created_at, seen_at, expires_at)
      VALUES (unhex(?1), ?2, ?3, 'password', ?4, ?4, ?4 + 604800000)`
    await post(`${running().target.url}${DATABASE_PATH}`, { sql, values: [hash, `ses_${randomUUID()}`, personId, now] })
    return token
  }

  const wake = ({ id }: Practice): Promise<unknown> =>
    fetch(`${running().target.url}${ALARM_PATH}${id}`, { method: 'POST', signal: AbortSignal.timeout(60_000) })

  await begin({})
  const [practice, other] = [await found(MARK), await found(OTHER_MARK)]

  return {
    practice,
    other,
    /** A week later, when what is older is sealed. */
    async putAway(): Promise<void> {
      await begin({ clockAheadMs: LATER_MS })
      for (const one of [practice, other]) for (let n = 0; n < 5; n += 1) await wake(one)
    },
    /** Its id. From then on the object's alarm is set. */
    async request(): Promise<string> {
      const { url } = running().target
      const headers = { cookie: `__Host-session=${await signIn(practice.personId)}`, origin: url }
      const body = { name: practice.name, immediately: true }
      const answer = await post(`${url}/api/settings/erasure`, body, headers)
      if (answer.status !== 202) throw new Error(`not scheduled: ${await answer.text()}`)
      return IdSchema.parse(await answer.json()).id
    },
    /** Killed when this step has done its work, before that is noted. What comes before `request` is in this life too. */
    async killAfter(step: ErasureStep, first: () => Promise<unknown> = () => wake(practice)): Promise<void> {
      const arm = { step: `erase_${step}:after` as const, nth: 1, action: 'kill' as const }
      const { killed } = await begin({ clockAheadMs: LATER_MS, arms: [arm] })
      // An answer that does not come may be that of a process that was killed.
      const thrown = await first().then(
        () => null,
        (reason: unknown) => reason,
      )
      const isKilled = await Promise.race([killed.then(() => true), sleep(KILLED_WITHIN_MS, false)])
      if (!isKilled) throw new Error(`nothing came as far as ${step}`, { cause: thrown })
    },
    async goOn(): Promise<void> {
      await begin({ clockAheadMs: LATER_MS })
      await wake(practice)
    },
    /** Null while there is none. */
    async record(id: string): Promise<unknown> {
      const answer = await fetch(`${running().target.url}/v1/erasures/${id}`)
      return answer.status === 200 ? answer.json() : null
    },
    async publicKey(): Promise<string> {
      const answer = await fetch(`${running().target.url}/v1/attestation/public-key`)
      return z.object({ public_key: z.string() }).parse(await answer.json()).public_key
    },
    /** Every row of every database, as the process has left it: of objects, of D1 and of R2. */
    async everythingStored(): Promise<string> {
      await life?.stop()
      life = null
      const classes = [
        'main-Organisation',
        'main-PublicLog',
        'main-PublicLogIndex',
        'storage-Database',
        'storage-Files',
      ]
      const dumps = classes.map((name) => readObjects(join(folder, 'objects', name), dump))
      return (await Promise.all(dumps)).flat().join('\n')
    },
    async close(): Promise<void> {
      await life?.stop()
      await service.close()
      await rm(folder, { recursive: true })
    },
  }
}

function dump(rows: <Schema extends z.ZodType>(query: string, row: Schema) => z.infer<Schema>[]): string {
  const ours = `SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 1) <> '_'`
  const tables = rows(ours, z.object({ name: z.string() }))
  return JSON.stringify(
    tables.map(({ name }) => [name, rows(`SELECT * FROM "${name}"`, z.record(z.string(), z.unknown()))]),
    (_, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value),
  )
}

const post = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  })

/** A refusal, which is an entry with the request's id in it. */
async function refuseOne(url: string, key: string, requestId: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': requestId }
  const answer = await post(`${url}/v1/referral/read`, { action: 'book_appointment' }, headers)
  if (answer.status !== 409) throw new Error(`not held: ${answer.status}`)
  await sleep(0)
}
