// Tests what the recorder of an answer leaves in R2, however its call ends.
import fc from 'fast-check'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { openAnswerBuffer } from '../../../../src/gateway/memory/answer-memory.ts'
import { createMemoryPool } from '../../../../src/gateway/memory/memory-pool.ts'
import { createAnswerRecorder } from '../../../../src/gateway/replay/answer-recorder.ts'
import { StoredAnswersStore, packAnswer, unpackAnswer } from '../../../../src/gateway/replay/stored-answers.store.ts'
import { bucketWith, putThenFail } from '../../../support/unit/bucket-with.ts'

function open(bucket: R2Bucket = env.FILES) {
  const name = `content/an-object/20000/answer-${crypto.randomUUID()}-00112233aabbccdd`
  const pool = createMemoryPool({ now: () => 0, after: () => () => undefined })
  const recorder = createAnswerRecorder({
    plan: { place: { name, key: new Uint8Array(32), expiresAt: 1e12 }, isReplayed: true, cacheEntry: null },
    store: new StoredAnswersStore(bucket),
    openBuffer: () => openAnswerBuffer(pool, 'org_1'),
    requestId: 'req_1',
    errors: 'standard',
    headers: {},
  })
  recorder.begin({ status: 200, headers: {} })
  recorder.add([Uint8Array.of(1, 2, 3)])
  return { recorder, isThere: async () => (await env.FILES.head(name)) !== null }
}

describe('an answer that was put away', () => {
  it('is deleted where its call is nobody’s any more, also where nobody knows whether it was put', async () => {
    for (const bucket of [env.FILES, bucketWith({ put: putThenFail })]) {
      const { recorder, isThere } = open(bucket)
      expect(await recorder.put(true)).toBe(bucket === env.FILES)
      expect(await isThere()).toBe(true)
      await recorder.discard()
      expect(await isThere()).toBe(false)
    }
  })

  it('is left to the upkeep where R2 does not delete it', async () => {
    const failing = bucketWith({ delete: async () => Promise.reject(new Error('R2 is away')) })
    const { recorder, isThere } = open(failing)
    await recorder.put(true)
    await recorder.discard()
    expect(await isThere()).toBe(true)
  })

  it('asks R2 for nothing where nothing was to be put', async () => {
    const none = bucketWith({ delete: async () => Promise.reject(new Error('not to be asked')) })
    const { recorder, isThere } = open(none)
    expect(await recorder.put(false)).toBe(false)
    await recorder.discard()
    expect(await isThere()).toBe(false)
  })
})

describe('an answer that is kept', () => {
  it('comes out as it went in', () => {
    fc.assert(
      fc.property(
        fc.record({
          status: fc.integer({ min: 200, max: 599 }),
          headers: fc.dictionary(fc.stringMatching(/^[a-z-]{1,20}$/), fc.string()),
          body: fc.uint8Array().map((bytes) => Uint8Array.from(bytes)),
        }),
        (answer) => {
          expect(unpackAnswer(packAnswer(answer))).toEqual(answer)
        },
      ),
    )
  })

  it.each(['', '{}', '{"status":200}\nbody', '{"status":99,"headers":{}}\nbody', 'no answer\n'])(
    'is none where it is not of that form: %j',
    (text) => {
      expect(unpackAnswer(Uint8Array.from(new TextEncoder().encode(text)))).toBeNull()
    },
  )
})
