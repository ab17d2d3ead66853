// What happens to text: marked letters go through every path, and the mark is in no log line and in no store.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { deploy, postJson, type Deployment } from '../support/e2e/deployment.ts'

const MARK = 'quicksilver-marigold'

let emulator: Emulator
let service: Deployment
beforeAll(async () => {
  emulator = await startEmulator({ record: true })
  service = await deploy({ emulator, vars: { READER_TIME_LIMIT_MS: '3000' } })
})
afterAll(async () => {
  await service.close()
  await emulator.close()
})

it('keeps nothing of a letter, whichever way the call ends', async () => {
  const { key, organisationId } = await service.createKey()
  const bodies = [
    { text: `Dear Doctor, ${MARK}` },
    { text: `Dear Doctor, ${MARK}`, action: 'book_appointment' },
    { text: 'Dear Doctor', action: MARK },
    { text: `PPS 1234567FA ${MARK}` },
    { text: MARK.repeat(400) },
    { text: [MARK] },
    { text: 'Dear Doctor', [MARK]: true },
  ]
  for (const body of bodies) await service.fetch('/v1/referral/read', postJson(key, body))
  await service.fetch('/v1/referral/read', { ...postJson(key, {}), body: `{"text":"${MARK}` })
  await service.fetch(`/v1/waiting-lists?specialty=${MARK}`, { headers: { authorization: `Bearer ${key}` } })

  const kept = [service.logs().join('\n'), await service.everythingStored(organisationId)]
  expect(kept.join('\n').length).toBeGreaterThan(1000)
  for (const text of kept) expect(text).not.toContain(MARK)
})

/** Ways a provider can answer, failures that repeat or hint at what they were sent included. */
const BEHAVIOURS = [
  'ok',
  '400',
  '401',
  '500',
  'html',
  'malformed',
  'wrong-enum',
  'refusal',
  'no-usage',
  'silent',
  'never',
]

it('sends a live letter to the two providers and keeps it nowhere, however they answer', async () => {
  const { key, organisationId } = await service.createKey({ prefix: 'vk_live_' })
  const answers: string[] = []
  for (const behaviour of BEHAVIOURS) {
    emulator.behave('openai', [behaviour])
    emulator.behave('google', ['ok', behaviour, behaviour, behaviour, 'ok'])
    const text = `Dear Doctor, this 61 year old man has palpitations. ${MARK} ${behaviour}`
    answers.push(await (await service.fetch('/v1/referral/read', postJson(key, { text }))).text())
  }
  emulator.behave('openai', [`answer,${MARK}`])
  emulator.behave('google', Array<string>(5).fill(`answer,${MARK}`))
  answers.push(await (await service.fetch('/v1/referral/read', postJson(key, { text: MARK }))).text())

  const seen = emulator
    .requests()
    .map(({ body, ...rest }) => ({ body, provider: rest.provider, rest: JSON.stringify(rest) }))
  const marked = seen.filter(({ body }) => body.includes(MARK))
  expect(marked.length).toBeGreaterThanOrEqual(6 * answers.length)
  expect(new Set(marked.map(({ provider }) => provider))).toEqual(new Set(['openai', 'google']))
  // The emulator notes which behaviour a test asked for; nothing else beside the bodies may hold the mark.
  const beside = seen.map(({ rest }) => rest.replaceAll(`answer,${MARK}`, ''))
  for (const text of [
    ...answers,
    ...beside,
    service.logs().join('\n'),
    await service.everythingStored(organisationId),
  ]) {
    expect(text).not.toContain(MARK)
  }
})

it('writes each decision to the organisation’s ledger, and refusals too', async () => {
  const { key, organisationId } = await service.createKey()
  await service.fetch('/v1/referral/read', postJson(key, { action: 'assign_urgency' }))
  await service.fetch('/v1/referral/read', postJson(key, { text: 'PPS 1234567FA' }))
  await service.fetch('/v1/referral/read', postJson(key, { action: 'something else' }))
  await service.fetch('/v1/referral/read', postJson(key, { text: '' }))
  const decisions = (await service.ledger(organisationId)).filter(({ kind }) => kind === 'referral_decision')
  expect(decisions.map(({ action, decision, code }) => [action, decision, code])).toEqual([
    ['assign_urgency', 'held', undefined],
    ['identify_specialty', 'refused', 'identifier_found'],
    [null, 'refused', 'unknown_action'],
  ])
})

it('logs the key, the decision and ordinary request details', async () => {
  const { key, id } = await service.createKey()
  await service.fetch('/v1/referral/read', { ...postJson(key, { action: 'book_appointment' }) })
  const lines = service.logs().filter((line) => line.includes(id))
  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({ route: '/v1/referral/read', status: 409, outcome: 'held', key_id: id }),
  )
  expect(lines.join('')).not.toContain(key)
})
