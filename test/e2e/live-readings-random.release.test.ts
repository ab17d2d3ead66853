// 150 live readings while both providers misbehave at random: each ends in a valid answer that its own samples support.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { answerFaults } from '../support/e2e/answer-faults.ts'
import { EXAMPLES } from '../../scripts/example-letters.ts'
import { ReadResponseSchema } from '../../src/referral/read.schema.ts'
import { deploy, postJson, withKey, type Deployment } from '../support/e2e/deployment.ts'

const READINGS = 150
const AT_ONCE = 12
/** A key has 60 calls a minute. */
const READINGS_A_KEY = 50
const SEED = 20_261_120

let emulator: Emulator
let service: Deployment

beforeAll(async () => {
  emulator = await startEmulator({ chaosSeed: SEED, holdLimitMs: 10_000 })
  service = await deploy({ emulator, vars: { READER_TIME_LIMIT_MS: '3000' } })
})
afterAll(async () => {
  await service.close()
  await emulator.close()
})

it('never answers what the samples do not support, and never a 500', async () => {
  const issued = await Promise.all(
    Array.from({ length: READINGS / READINGS_A_KEY }, () => service.createKey({ prefix: 'vk_live_' })),
  )
  const keys = issued.map(({ key }) => key)
  const published = await publishedSpecialties(keys[0] ?? '')
  const letters = EXAMPLES.list.filter(({ expected }) => expected.status === 200)
  const outcomes = new Map<string, number>()
  let next = 0

  async function readUntilDone(): Promise<void> {
    for (let index = next++; index < READINGS; index = next++) {
      const key = keys[index % keys.length] ?? ''
      const text = letters[index % letters.length]?.text
      const response = await service.fetch('/v1/referral/read', postJson(key, { text }))
      expect(response.status).toBe(200)
      const answer = ReadResponseSchema().parse(await response.json())
      expect(answerFaults(answer, published), JSON.stringify(answer)).toEqual([])
      for (const outcome of [answer.decision, ...answer.readers.map(({ reason }) => reason ?? 'available')]) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readUntilDone))

  // The misbehaviour reached the readings: every way to end was taken.
  const taken = [...outcomes.keys()]
  expect(taken).toEqual(
    expect.arrayContaining(['yes', 'ask', 'available', 'timeout', 'provider_error', 'invalid_answer']),
  )
  expect((outcomes.get('yes') ?? 0) + (outcomes.get('ask') ?? 0)).toBe(READINGS)
})

async function publishedSpecialties(key: string): Promise<Set<string>> {
  const response = await service.fetch('/v1/specialties', withKey(key))
  const { specialties } = (await response.json()) as { specialties: { name: string }[] }
  return new Set(specialties.map(({ name }) => name))
}
