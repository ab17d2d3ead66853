// Sends marked letters through every path: no log line and no store may have the mark. Also checks what is left of an erased
// organisation on the built Worker: by its own alarm, by the operator's command.
import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import type { ReadingRecord } from '../../src/referral/read.schema.ts'
import { deploy, postJson, withKey, type Deployment } from '../support/e2e/deployment.ts'
import { exampleLetter } from '../support/e2e/letters.ts'
import { signInAs } from '../support/e2e/members.ts'
import { until } from '../support/until.ts'

const MARK = 'quicksilver-marigold'
/** Marks the organisation that is erased. It is in a request's id too, so log lines may contain it. */
const ERASED_MARK = 'amber-foxglove'

let emulator: Emulator
let service: Deployment
beforeAll(async () => {
  emulator = await startEmulator({ record: true })
  service = await deploy({ emulator, vars: { READER_TIME_LIMIT_MS: '6000' } })
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
  for (const reference of [MARK, `${MARK}:1234567FA`, `${MARK} ${MARK}`]) {
    const text = exampleLetter('yes').text
    await service.fetch('/v1/referral/read', withReference(key, { text }, reference))
  }
  await service.fetch(`/v1/waiting-lists?specialty=${MARK}`, { headers: { authorization: `Bearer ${key}` } })

  const kept = [service.logs().join('\n'), await service.everythingStored(organisationId)]
  expect(kept.join('\n').length).toBeGreaterThan(1000)
  for (const text of kept) expect(text).not.toContain(MARK)
})

/** A body with the mark in each header of a reading that takes the caller's own text. */
const withReference = (key: string, body: object, reference: string): RequestInit =>
  withKey(key, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-aqta-reference': reference,
      'idempotency-key': `${reference} again`,
    },
    body: JSON.stringify(body),
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
  const secrets: string[] = []
  for (const behaviour of BEHAVIOURS) {
    emulator.behave('openai', [behaviour])
    emulator.behave('google', ['ok', behaviour, behaviour, behaviour, 'ok'])
    const text = `Dear Doctor, this 61 year old man has palpitations. ${MARK} ${behaviour}`
    const sent = withReference(key, { text }, `${MARK}-${behaviour}`)
    const answer = await (await service.fetch('/v1/referral/read', sent)).text()
    answers.push(answer)
    const { record } = JSON.parse(answer) as { record?: ReadingRecord }
    if (record === undefined) continue
    const { signed, question, reference } = record
    const choice = { record: signed, chosen: { specialty: null }, role: 'referrer', reason: 'not-a-referral' }
    const recorded = await (await service.fetch('/v1/referral/outcome', postJson(key, choice))).text()
    const { outcome } = JSON.parse(recorded) as { outcome: { signature: string; outcome_id: string } }
    secrets.push(record.id, question.salt, question.textHmac, reference?.salt ?? '', signed?.signature ?? '')
    secrets.push(outcome.signature, outcome.outcome_id)
  }
  expect(secrets.filter((secret) => secret !== '').length).toBeGreaterThan(20)
  emulator.behave('openai', [`answer,${MARK}`])
  emulator.behave('google', Array<string>(5).fill(`answer,${MARK}`))
  answers.push(await (await service.fetch('/v1/referral/read', postJson(key, { text: MARK }))).text())

  const seen = emulator
    .requests()
    .map(({ body, ...rest }) => ({ body, endpoint: rest.endpoint, rest: JSON.stringify(rest) }))
  const marked = seen.filter(({ body }) => body.includes(MARK))
  expect(marked.length).toBeGreaterThanOrEqual(4 * answers.length)
  expect(new Set(marked.map(({ endpoint }) => endpoint))).toEqual(new Set(['openai', 'google']))
  // The emulator notes which behaviour a test asked for; nothing else beside the bodies may hold the mark.
  const beside = seen.map(({ rest }) => rest.replaceAll(`answer,${MARK}`, ''))
  const kept = [service.logs().join('\n'), await service.everythingStored(organisationId)]
  for (const text of [...answers, ...beside, ...kept]) expect(text).not.toContain(MARK)
  for (const secret of secrets) expect(kept.join('\n')).not.toContain(secret || MARK)
})

it('writes each decision to the organisation’s ledger, and refusals too', async () => {
  const { key, organisationId } = await service.createKey()
  await service.fetch('/v1/referral/read', postJson(key, { action: 'assign_urgency' }))
  await service.fetch('/v1/referral/read', postJson(key, { text: 'PPS 1234567FA' }))
  await service.fetch('/v1/referral/read', postJson(key, { action: 'something else' }))
  await service.fetch('/v1/referral/read', postJson(key, { text: '' }))
  const decisions = (await service.ledger(organisationId)).filter(({ kind }) => kind === 'referral_decision')
  expect(decisions.map(({ action, decision, code, shapes }) => [action, decision, code, shapes])).toEqual([
    ['assign_urgency', 'held', undefined, undefined],
    ['identify_specialty', 'refused', 'identifier_found', ['pps_number']],
    [null, 'refused', 'unknown_action', undefined],
  ])
})

it('logs the key, the decision and ordinary request details', async () => {
  const { key, id } = await service.createKey()
  await service.fetch('/v1/referral/read', { ...postJson(key, { action: 'book_appointment' }) })
  const lines = () => service.logs().filter((line) => line.includes(id))
  await expect.poll(lines).not.toEqual([])
  expect(lines().map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({ route: '/v1/referral/read', status: 409, outcome: 'held', key_id: id }),
  )
  expect(lines().join('')).not.toContain(key)
})

it('logs the route of a refused request of the operator', async () => {
  const id = `org_${'1'.repeat(22)}`
  expect((await service.fetch(`/api/operator/organisations/${id}/keys`)).status).toBe(401)
  const routes = () =>
    service
      .logs()
      .flatMap((line) => (line.includes('/api/operator/') ? [(JSON.parse(line) as { route: string }).route] : []))
  await expect.poll(routes).toContain('/api/operator/organisations/:organisation_id/keys')
})

type Ran = { status: number | null; stdout: string; stderr: string }

function run(script: string, args: readonly string[]): Promise<Ran> {
  const env = { ...process.env, OPERATOR_TOKEN: service.operatorToken }
  const child = spawn(process.execPath, [`scripts/${script}`, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr })))
}

it('erases an organisation: from the request to a record that verifies, with nothing left behind, and again', async () => {
  const { key, organisationId } = await service.createKey({ name: `A key of ${ERASED_MARK}` })
  await service.operate('PATCH', `/organisations/${organisationId}`, { name: ERASED_MARK })
  const held = withKey(key, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': `${ERASED_MARK}-1` },
    body: JSON.stringify({ action: 'book_appointment' }),
  })
  await service.fetch('/v1/referral/read', held)
  expect(await service.everythingStored(organisationId)).toContain(`${ERASED_MARK}-1`)

  const owner = await signInAs(service, organisationId, 'owner')
  const body = JSON.stringify({ name: ERASED_MARK, immediately: true })
  const asked = await service.fetch('/api/settings/erasure', {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body,
  })
  expect(asked.status).toBe(202)
  const { id, record_url: url } = (await asked.json()) as { id: string; record_url: string }
  const record = () => service.fetch(new URL(url).pathname)
  await until('the erasure has its record', record, ({ status }) => status === 200)

  const { public_key: pinned } = (await (await service.fetch('/v1/attestation/public-key')).json()) as {
    public_key: string
  }
  const verified = await run('countersign-verify.ts', [url, '--key', pinned])
  expect(verified).toMatchObject({ status: 0, stdout: expect.stringMatching(/^valid +erasure +era_/) as string })
  expect(await service.everythingStored(organisationId)).not.toContain(ERASED_MARK)
  expect(await service.everythingStored(organisationId)).not.toContain(owner.email)
  expect(service.logs().join('\n')).not.toContain(owner.email)

  const { DB } = await service.env()
  await DB.prepare('DELETE FROM erasures').run()
  const { organisationId: elsewhere } = await service.createKey()
  const { personId } = await signInAs(service, elsewhere, 'owner')
  const stuck = `era_ffffffff${id.slice(12)}`
  await DB.prepare(
    `INSERT INTO erasures (id, subject, requested_by, requested_at, due_at, state) VALUES (?1, ?2, ?2, 1, 1, 'running')`,
  )
    .bind(stuck, personId)
    .run()
  const all = await run('operator.ts', ['erasures', 'reapply', '--url', service.url])
  expect(all).toMatchObject({ status: 1, stderr: expect.stringContaining(`${stuck}: `) as string })
  expect(all.stderr).not.toContain(id)
  await DB.prepare('DELETE FROM erasures').run()
  const again = await run('operator.ts', ['erasures', 'reapply', '--url', service.url, '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ data: [{ id, subject: organisationId, status: 'completed' }] })
  expect(await run('countersign-verify.ts', [url, '--key', pinned])).toMatchObject({ status: 0 })
  const shown = await run('operator.ts', ['erasures', 'show', id, '--url', service.url])
  expect(shown.stdout).toMatch(/^status +completed$/m)
})
