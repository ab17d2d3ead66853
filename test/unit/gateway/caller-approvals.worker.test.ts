// A caller who waits for people: asked again every two seconds and no longer than asked for, until somebody has decided or the
// caller has left.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callerApprovalRoutes, createCallerApprovalsService } from '../../../src/gateway/approvals.routes.ts'
import type { ApprovalWithRecords } from '../../../src/organisation/approvals/read-approvals.ts'
import type { OpenOrganisation } from '../../../src/organisation/organisation-client.ts'
import type { ChatGate } from '../../../src/organisation/admit/chat-gate.ts'
import { systemPause, type Pause } from '../../../src/platform/time.ts'
import { createApi } from '../../../src/platform/router.ts'
import { renderError } from '../../../src/platform/render-error.ts'
import { useRequestMiddleware } from '../../../src/platform/request.middleware.ts'
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { readConfig } from '../../../src/platform/config.ts'
import { foundOrganisation, noon } from '../organisation/chat-organisation.ts'
import { askedBy } from '../organisation/journal/state/histories.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const ID = 'apr_01982f6b-7c50-7a31-8d14-6b2c5e0f9a77'

const found = (state: 'pending' | 'approved'): ApprovalWithRecords => ({
  approval: {
    ...askedBy('a', { approval_id: ID }),
    state,
    createdAt: noon,
    expiresAt: noon + 1000,
    decisions: [],
    claimedBy: null,
  },
  subject: null,
  acceptances: [],
})

/** The states that the object tells, one a look; after the last of them it stays so. Where there are none left it fails. */
async function waiting(states: readonly ('pending' | 'approved' | 'fails')[], pause?: Pause) {
  const { key } = await (await foundOrganisation()).service.createKey({ prefix: 'aqta_' })
  const pauses: number[] = []
  let looks = 0
  const next = (): ApprovalWithRecords => {
    const state = states[Math.min(looks, states.length - 1)] ?? 'fails'
    looks += 1
    if (state === 'fails') throw new Error('not reached')
    return found(state)
  }
  const gate = {
    readLog: async () => ({ outcome: 'admitted', rate: { limit: 1, remaining: 1, resetAt: 1 }, answer: next() }),
  } as unknown as ChatGate
  const open = (() => ({ approvals: { find: async () => next() } })) as unknown as OpenOrganisation
  const service = createCallerApprovalsService({
    gate,
    peppers: readConfig(env).peppers,
    open,
    signer: null,
    pause:
      pause ??
      (async (ms) => {
        pauses.push(ms)
      }),
  })
  const app = createApi()
  useRequestMiddleware(app)
  app.onError(renderError)
  app.route(
    '/',
    callerApprovalRoutes(service, async () => undefined),
  )
  const ask = async (query = '', init: RequestInit = {}) =>
    app.fetch(
      new Request(`http://countersign.test/v1/approvals/${ID}${query}`, {
        ...init,
        headers: { authorization: `Bearer ${key}` },
      }),
      env,
      createExecutionContext(),
    )
  return { ask, pauses, looks: () => looks }
}

describe('a caller who waits', () => {
  it('is answered at once where it does not wait, or somebody has decided', async () => {
    for (const [states, query] of [
      [['pending'], ''],
      [['approved'], '?wait=50'],
    ] as const) {
      const { ask, pauses, looks } = await waiting(states)
      expect(await (await ask(query)).json()).toMatchObject({ id: ID, state: states[0] })
      expect([pauses, looks()]).toEqual([[], 1])
    }
  })

  it('is answered when somebody has decided, within two seconds', async () => {
    const { ask, pauses } = await waiting(['pending', 'pending', 'pending', 'approved'])
    expect(await (await ask('?wait=50')).json()).toMatchObject({ state: 'approved' })
    expect(pauses).toEqual([2000, 2000, 2000])
  })

  it('waits no longer than it asked for', async () => {
    const { ask, pauses } = await waiting(['pending'])
    expect(await (await ask('?wait=5')).json()).toMatchObject({ state: 'pending' })
    expect(pauses).toEqual([2000, 2000, 1000])
  })

  it('is told where the object cannot be reached: it asks again itself', async () => {
    const { ask } = await waiting(['pending', 'fails'])
    expect((await ask('?wait=50')).status).toBe(503)
  })

  it('waits with at most nineteen others of its key: one more is answered at once', async () => {
    const decided = Promise.withResolvers<void>()
    const { ask, looks } = await waiting(['pending'], () => decided.promise)
    const waits = Array.from({ length: 20 }, () => ask('?wait=2'))
    while (looks() < 20) await new Promise(setImmediate)
    expect((await ask('?wait=50')).status).toBe(200)
    expect(looks()).toBe(21)
    decided.resolve()
    await Promise.all(waits)
    expect(looks()).toBe(41)
    await ask('?wait=2')
    expect(looks()).toBe(43)
  })

  it('is asked for no more once it has left', async () => {
    const leaving = new AbortController()
    const { ask, looks } = await waiting(['pending'], async (ms, signal) => {
      setTimeout(() => leaving.abort(), 0)
      await systemPause(ms, signal)
    })
    await ask('?wait=50', { signal: leaving.signal })
    expect(looks()).toBe(2)
  })
})
