// An organisation whose every request people must approve, on the service that can be killed at a step: callers who ask, people
// who decide, callers who send again. Whoever was cut off goes on in the next life from what the service says then.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { hashToken, newToken } from '../../../../src/accounts/access/secret-token.ts'
import { startEmulator } from '../../../../scripts/emulator/server.ts'
import { emulatedProviders, PREFERRED_ENDPOINTS } from '../../../../scripts/local/emulated-providers.ts'
import { callOperator } from '../../../../scripts/operator/operator-client.ts'
import { findApprovalFaults, findHeldApprovalFaults } from './approval-faults.ts'
import { type Books, readAllBooks } from './books.ts'
import { markerIn } from './clients.ts'
import { buildCrashService, type Life } from './crash-service.ts'
import { findLedgerFaults, growTree } from './ledger-faults.ts'
import { findHeldMoneyFaults, findMoneyFaults, withHourCounted } from './money-faults.ts'
import { ALARM_PATH, CHECK_PATH, DATABASE_PATH, type Step, ToldSchema } from './steps.ts'

const KILLED_WITHIN_MS = 120_000
/** Later than a request is taken to be cut off. */
const LATER_MS = 16 * 60_000
/** Later than anything waits for people. */
const DAY_AND_MORE_MS = 25 * 3_600_000
/** Requests that are under way together. */
const TOGETHER = 6

const IssuedSchema = z.object({ id: z.string(), key: z.string() })
const ApprovalSchema = z.object({ state: z.string() })
const RefusedSchema = z.object({ error: z.object({ reason: z.string(), approval_id: z.string().optional() }) })

/** `answers`: how often its caller got an answer to it. */
export type Request = { marker: string; approvalId: string | null; answers: number; isOver: boolean }

const newRequest = (): Request => ({ marker: `ask-${randomUUID()}`, approvalId: null, answers: 0, isOver: false })

async function inTime(killed: Promise<void>, step: Step): Promise<void> {
  const isKilled = await Promise.race([killed.then(() => true), sleep(KILLED_WITHIN_MS, false)])
  if (!isKilled) throw new Error(`nothing came as far as ${step}`)
}

export async function startApprovalRun() {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-approvals-'))
  const emulator = await startEmulator({ record: true })
  const service = await buildCrashService(folder, emulatedProviders(emulator.url, PREFERRED_ENDPOINTS))
  const requests: Request[] = []
  const provided = new Map<string, number>()
  let life: Life | null = null

  async function begin(options: Parameters<typeof service.start>[0]): Promise<Life> {
    await life?.stop()
    life = await service.start(options)
    return life
  }

  const running = (): Life => {
    if (life === null) throw new Error('nothing runs')
    return life
  }

  const post = (
    path: string,
    body: unknown,
    headers: Record<string, string>,
    method: 'POST' | 'PUT' = 'POST',
  ): Promise<Response> =>
    fetch(`${running().target.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  async function run(sql: string, ...values: (string | number)[]): Promise<void> {
    const answer = await post(DATABASE_PATH, { sql, values }, {})
    if (!answer.ok) throw new Error(`D1 refuses: ${await answer.text()}`)
  }

  async function signIn(organisationId: string): Promise<string> {
    const [id, token, now] = [`usr_${randomUUID()}`, newToken(), Date.now()]
    await run('INSERT INTO people (id, email, email_key, name, created_at) VALUES (?1, ?1, ?1, ?1, 1)', id)
    await run(
      "INSERT INTO members (organisation_id, person_id, role, joined_at) VALUES (?, ?, 'admin', 1)",
      organisationId,
      id,
    )
    await run(
      `INSERT INTO sessions (token_hash, id, person_id, method, created_at, seen_at, expires_at)
       VALUES (unhex(?1), ?2, ?3, 'password', ?4, ?4, ?4 + 604800000)`,
      Buffer.from(hashToken(token)).toString('hex'),
      `ses_${randomUUID()}`,
      id,
      now,
    )
    return `__Host-session=${token}`
  }

  await begin({})
  const { target } = running()
  const { id: organisationId } = await callOperator(target, z.object({ id: z.string() }), 'POST', '/organisations', {
    name: 'A practice',
    tier: 'enterprise',
    enabled_providers: ['openai'],
    requests_per_minute: 30_000,
  })
  const wanted = { prefix: 'aqta_', name: 'A caller' }
  const path = `/organisations/${organisationId}/keys`
  const { id: keyId, key } = await callOperator(target, IssuedSchema, 'POST', path, wanted)
  const people = [await signIn(organisationId), await signIn(organisationId)] as const
  const own = (cookie: string) => ({ cookie, origin: running().target.url })
  const rule = { when: [{}], approvals_required: 2 }
  const put = await post('/api/policies', { human_approval: rule }, own(people[0]), 'PUT')
  if (!put.ok) throw new Error(await put.text())

  /** Rejects where the service is gone. */
  async function send(request: Request): Promise<void> {
    const body = {
      model: 'gpt-4.1-mini',
      messages: [{ role: 'user', content: `Question ${request.marker}` }],
      max_completion_tokens: 50,
    }
    const named: Record<string, string> = request.approvalId === null ? {} : { 'x-aqta-approval': request.approvalId }
    const answer = await post('/v1/chat/completions', body, { authorization: `Bearer ${key}`, ...named })
    const text: unknown = await answer.json()
    if (answer.status === 200) request.answers += 1
    const { error } = RefusedSchema.safeParse(text).data ?? {}
    request.approvalId ??= error?.approval_id ?? null
    request.isOver = answer.status === 200 || error?.reason === 'used'
  }

  async function stateOf({ approvalId }: Request): Promise<string> {
    const answer = await fetch(`${running().target.url}/api/approvals/${approvalId}`, { headers: own(people[0]) })
    return ApprovalSchema.parse(await answer.json()).state
  }

  /** As far as it comes: asks, has it decided by two people, and sends it with the approval. */
  async function goOn(request: Request): Promise<void> {
    if (request.approvalId === null) await send(request)
    const decision = { decision: 'approve' }
    for (const cookie of people) {
      const answer = await post(`/api/approvals/${request.approvalId}/decision`, decision, own(cookie))
      // One who has decided so before is told that, and so is one who comes when it is approved.
      if (answer.status !== 409 && !answer.ok) throw new Error(await answer.text())
      await answer.text()
    }
    await send(request)
  }

  const wake = (): Promise<unknown> =>
    fetch(`${running().target.url}${ALARM_PATH}${organisationId}`, { method: 'POST' })

  async function askTold() {
    const answer = await fetch(`${running().target.url}${CHECK_PATH}${organisationId}`)
    return ToldSchema.parse(await answer.json())
  }

  async function readOwn(): Promise<Books> {
    await emulator.idle()
    for (const { body } of emulator.requests()) {
      const marker = markerIn(body) ?? 'what nobody sent'
      provided.set(marker, (provided.get(marker) ?? 0) + 1)
    }
    emulator.reset()
    const books = (await readAllBooks(folder)).find(({ keyIds }) => keyIds.includes(keyId))
    if (books === undefined) throw new Error('the organisation has no books')
    return books
  }

  const faultsOf = (books: Books): string[] => [
    ...findLedgerFaults(books, growTree(books.leaves)),
    ...findMoneyFaults(books),
    ...findApprovalFaults(books),
    ...[...provided].flatMap(([marker, times]) => (times === 1 ? [] : [`a provider got ${marker} ${times} times`])),
    ...requests.flatMap(({ marker, answers }) => (answers <= 1 ? [] : [`${marker} was answered ${answers} times`])),
    ...requests.flatMap(({ marker, answers }) =>
      answers === 0 || provided.has(marker) ? [] : [`${marker} was answered, and no provider got it`],
    ),
  ]

  return {
    requests,
    stateOf,
    /** Requests that begin, and those that were cut off before; killed at the step. What is wrong with the books then. */
    async killAt(step: Step, nth: number): Promise<string[]> {
      const { killed } = await begin({ arms: [{ step, nth, action: 'kill' }] })
      requests.push(...Array.from({ length: TOGETHER }, newRequest))
      const going = requests.filter(({ isOver }) => !isOver).map((request) => goOn(request).catch(() => null))
      await inTime(killed, step)
      await Promise.all(going)
      return faultsOf(await readOwn())
    },
    /** Requests that nobody decides about: killed while the alarm of the next day ends them, and gone on with. What became of them. */
    async expire(step: Step): Promise<{ faults: string[]; states: (string | undefined)[] }> {
      await begin({})
      const waiting = Array.from({ length: TOGETHER }, newRequest)
      for (const request of waiting) await send(request)
      const { killed } = await begin({ clockAheadMs: DAY_AND_MORE_MS, arms: [{ step, nth: 1, action: 'kill' }] })
      const woken = wake().catch(() => null)
      await inTime(killed, step)
      await woken
      const between = faultsOf(await readOwn())
      await begin({ clockAheadMs: DAY_AND_MORE_MS })
      await wake()
      await running().stop()
      const books = await readOwn()
      const states = waiting.map(({ approvalId }) => books.endedApprovals.find(({ id }) => id === approvalId)?.state)
      return { faults: [...between, ...faultsOf(books)], states }
    },
    /**
     * Until nothing is under way any more, in a life that nobody cuts off and in which others begin: what is wrong with the books
     * and with what is held. How many of the requests before it a cut kept from their provider depends on what was under way then.
     */
    async finish(): Promise<string[]> {
      await begin({ clockAheadMs: LATER_MS })
      // Approving needs a proof of the last 15 minutes.
      await run('UPDATE sessions SET proved_at = ?', Date.now() + LATER_MS)
      await wake()
      const uncut = Array.from({ length: TOGETHER }, newRequest)
      requests.push(...uncut)
      for (const request of requests.filter(({ isOver }) => !isOver)) await goOn(request)
      const states = await Promise.all(requests.map((request) => stateOf(request)))
      const told = await askTold()
      await running().stop()
      const books = await readOwn()
      return [
        ...faultsOf(books),
        ...findHeldApprovalFaults(books, told),
        ...findHeldMoneyFaults(books, withHourCounted(books, told)),
        ...told.differences,
        ...told.differencesAtStart,
        ...states.flatMap((state, at) => (state === 'executed' ? [] : [`approval ${at} is ${state} in the end`])),
        ...uncut.flatMap(({ marker }) =>
          provided.has(marker) ? [] : [`${marker} was never cut off, and no provider got it`],
        ),
      ]
    },
    async close(): Promise<void> {
      await life?.stop()
      await service.close()
      await emulator.close()
      await rm(folder, { recursive: true })
    },
  }
}
