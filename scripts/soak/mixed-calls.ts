// The load of a soak that watches memory: calls of all kinds at an even pace, of several organisations.
import { setTimeout as sleep } from 'node:timers/promises'
import { chatCall } from '../bench/neighbours/callers.ts'
import { createAgent, cycle, makeCall, send, type Call } from '../bench/send-load.ts'
import { EXAMPLES } from '../example-letters.ts'
import { issueGatewayKeys, issueKeys } from '../workerd/start-service.ts'
import type { OperatorTarget } from '../operator/operator-client.ts'

export type MixedCalls = {
  /** The number of calls that were answered. */
  answered: () => number
  /** Aborted when a call has failed; no more are sent. */
  over: AbortSignal
  /** Waits for the calls on the way. Throws the error of the first call that failed. */
  stop: () => Promise<void>
}

/** Enough for two readings a second, of which a key has 120 a minute and 2,000 a day. */
const SANDBOX_KEYS = 20
const ORGANISATIONS = 3

const SCANNED =
  'Dear Dr Murphy, please see Mary Byrne, born 12/03/1961, phone 087 123 4567, about a knee that nobody has. '.repeat(
    20,
  )

/** Makes keys, and returns a function that returns the next call, one kind after the other. */
export async function prepareMixedCalls(target: OperatorTarget): Promise<() => Call> {
  const providers = ['openai', 'google'] as const
  const plain = cycle(await issueGatewayKeys(target, ORGANISATIONS, undefined, providers))
  const scanned = cycle(
    await issueGatewayKeys(
      target,
      ORGANISATIONS,
      { pii_scan: { default: 'redact' }, prompt_injection_guard: { action: 'block' } },
      providers,
    ),
  )
  const refused = cycle(await issueGatewayKeys(target, 1, { model_allowlist: { models: ['gpt-4.1-mini'] } }, providers))
  const sandbox = cycle(await issueKeys(target, 1, SANDBOX_KEYS))
  const letters = cycle(EXAMPLES.list.filter(({ expected }) => expected.status === 200))

  const short = { stream: true, model: 'gpt-4.1-mini' }
  const long = { stream: true, model: LONG_STREAMS }
  const json = (): Call => chatCall(plain(), 'hello')
  const scannedJson = (): Call => chatCall(scanned(), SCANNED)
  const reading = (): Call => {
    const body = JSON.stringify({ text: letters().text })
    return makeCall(sandbox(), '/v1/referral/read', body, (answer) => answer.includes('"sandbox":true'))
  }
  const forbidden = (): Call => refusedCall(chatCall(refused(), 'hello', long), 403)
  const models = (): Call => makeCall(plain(), '/v1/models', null, (answer) => answer.includes('"object":"list"'))
  const kinds = cycle<() => Call>([
    json,
    scannedJson,
    () => chatCall(plain(), 'hello', short),
    reading,
    json,
    forbidden,
    () => chatCall(plain(), 'hello', long),
    json,
    models,
    scannedJson,
    () => chatCall(scanned(), SCANNED, short),
    withoutKey,
    reading,
    () => chatCall(scanned(), SCANNED, long),
    json,
  ])
  return () => kinds()()
}

/** The model whose streams have 200 events; those of others have 20. */
const LONG_STREAMS = 'gemini-3.8-flash'

const refusedCall = (call: Call, otherStatus: number): Call => ({
  ...call,
  otherStatus,
  isRight: (answer) => answer.includes('"error"'),
})

const withoutKey = (): Call => refusedCall(chatCall('aqta_wrong', 'hello'), 401)

/** The service's settings: a provider for short streams, and one for long ones. */
export const mixedProviders = ({ url, key }: { url: string; key: string }): Record<string, string> => ({
  OPENAI_BASE_URL: `${url}/openai/_behave/stream,20,5`,
  OPENAI_API_KEY: key,
  GOOGLE_BASE_URL: `${url}/google/_behave/stream,200,5`,
  GOOGLE_API_KEY: key,
})

/** Begins so many calls a second, however long each takes. */
export function startMixedCalls(port: number, nextCall: () => Call, perSecond: number): MixedCalls {
  const agent = createAgent()
  const over = new AbortController()
  const onTheWay = new Set<Promise<void>>()
  let answered = 0
  const sendNext = async (): Promise<void> => {
    try {
      await send(agent, port, nextCall())
      answered += 1
    } catch (error) {
      over.abort(error)
    }
  }
  const sending = (async () => {
    const startedAt = performance.now()
    for (let begun = 0; !over.signal.aborted; begun += 1) {
      await sleep(Math.max(0, startedAt + (begun * 1000) / perSecond - performance.now()))
      const one = sendNext()
      onTheWay.add(one)
      void one.finally(() => onTheWay.delete(one))
    }
  })()
  return {
    answered: () => answered,
    over: over.signal,
    async stop() {
      const failed = over.signal.aborted
      over.abort()
      await sending
      await Promise.all(onTheWay)
      agent.destroy()
      if (failed) throw over.signal.reason
    },
  }
}
