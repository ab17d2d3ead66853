// A call is settled once, whatever becomes of it.
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { AdmittedCall } from '../../../src/gateway/admitted-call.ts'
import { NOTHING_PRODUCED } from '../../../src/gateway/bill.ts'
import { settleWhenEnded } from '../../../src/gateway/provider-call.ts'
import { concludeCall, type Ending } from '../../../src/gateway/settlement.ts'
import type { ChatSettlement } from '../../../src/organisation/settle-chat.ts'
import { requestContext } from '../../../src/platform/request.middleware.ts'
import { createApi } from '../../../src/platform/route.ts'
import { parseEurRate } from '../../../src/providers/cost.ts'
import { mostUsageUpFront } from '../../../src/providers/estimate.ts'
import { upstreamFailure } from '../../../src/providers/failure.ts'
import { textMessage } from '../../../src/providers/request.ts'
import { INVENTED_RECORD } from '../../fixtures/attestation/invented-record.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

const eurRate = parseEurRate('1')
if (eurRate === null) throw new Error('not a rate')

const model = modelNamed('gpt-4.1-mini')

const call: AdmittedCall = {
  place: { grow: () => true, resize: () => true, watch: () => undefined, release: () => undefined },
  key: {
    prefix: 'aqta_',
    jurisdiction: 'eu',
    organisationId: 'org_1',
    keyId: 'key_1',
    secretHash: new Uint8Array(32),
  },
  outline: {
    model,
    hashes: { requestHash: '', loopHash: '' },
    bytes: 5,
    upFront: mostUsageUpFront({ messages: [textMessage('user', 'Hello')] }, model),
    inputTokens: 8,
    maxTokens: null,
    choices: 1,
    includeUsage: false,
  },
  maxTokens: 1000,
  mostOutputTokens: 1000,
  traceId: INVENTED_RECORD.trace_id,
  attestation: INVENTED_RECORD,
  position: 7,
  eurRate,
  startedAt: 0,
}

/** What is settled, and how often, where the call ends like this. */
async function settlementsOf(ending: Promise<Ending>): Promise<ChatSettlement[]> {
  const settled: ChatSettlement[] = []
  const api = createApi()
  api.use(requestContext)
  api.get('/', (c) => {
    const gate = { settleChat: async (_: unknown, settlement: ChatSettlement) => void settled.push(settlement) }
    const limits = { headersMs: 1, silenceMs: 1, totalMs: 1, stallMs: 1 }
    settleWhenEnded(c, call, ending, { gate, limits })
    return c.text('answered')
  })
  const ctx = createExecutionContext()
  await api.fetch(new Request('http://countersign.test/'), env, ctx)
  await waitOnExecutionContext(ctx)
  return settled
}

const told = { attempts: 1, upstreamMs: 12.4, upstreamRequestId: null }

describe('a call', () => {
  it('that ends is settled as it ended', async () => {
    const failure = upstreamFailure('cut')
    const ending = concludeCall(call, NOTHING_PRODUCED, { ...told, failure })
    expect(await settlementsOf(Promise.resolve(ending))).toEqual([
      expect.objectContaining({ position: 7, ended: 'failed', errorCause: 'cut', estimated: true, upstreamMs: 12 }),
    ])
  })

  it('that its caller left is settled as cancelled', async () => {
    const ending = concludeCall(call, NOTHING_PRODUCED, { ...told, failure: upstreamFailure('caller') })
    expect(await settlementsOf(Promise.resolve(ending))).toMatchObject([{ ended: 'cancelled', errorCause: 'caller' }])
  })

  it('that a fault of our own ends is settled too, as what it may have cost', async () => {
    const settled = await settlementsOf(Promise.reject(new Error('a bug')))
    expect(settled).toMatchObject([{ position: 7, ended: 'failed', errorCause: 'internal', estimated: true }])
    expect(settled[0]?.costMicroeur).toBeGreaterThan(0)
  })
})
