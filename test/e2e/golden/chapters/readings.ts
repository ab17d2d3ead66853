import { readFileSync } from 'node:fs'
import { ALLOWED_ACTIONS, HELD_ACTIONS } from '../../../../src/referral/actions.ts'
import type { ReadingRecord } from '../../../../src/referral/read.schema.ts'
import { expect } from 'vitest'
import { jsonOf } from '../../../support/e2e/golden/body-lines.ts'
import type { Script } from '../../../support/e2e/golden/stage.ts'

const EXAMPLES = JSON.parse(readFileSync('data/examples.json', 'utf8')) as { text: string; action: string | null }[]

const PALPITATIONS = 'Dear Doctor, please see this 58 year old man with palpitations on exertion. Many thanks.'

type Reading = {
  decision: string
  specialty?: string | null
  ageGroup?: string | null
  readers?: { reason: string | null; specialty: string | null; ageGroup: string | null; consistency: number }[]
}

/** What was decided, and what each reader named how consistently, or why it named nothing. */
function readingOf({ decision, specialty, ageGroup, readers = [] }: Reading): string {
  const named = readers.map((one) => `${one.reason ?? `${one.specialty} ${one.ageGroup}`} ${one.consistency}`)
  return [`${decision}${specialty === undefined ? '' : ` ${specialty} ${ageGroup}`}`, ...named].join(', ')
}

export const readings: Script = async ({ stage, send }) => {
  const { id } = await stage.organisation('Readings', [])
  const sandbox = await stage.key(id, { prefix: 'vk_test_' })
  const live = await stage.key(id, { prefix: 'vk_live_' })
  const lists = await stage.key(id, { prefix: 'vk_test_', scopes: ['waiting-lists:read'] })
  const outcomes: Record<string, string> = {}
  const read = async (title: string, body: unknown, key = sandbox) => {
    const { text } = await send(title, key, 'POST', '/v1/referral/read', body)
    const reading = jsonOf(text) as Reading
    if ('decision' in reading) outcomes[title] = readingOf(reading)
  }

  for (const [index, { text }] of EXAMPLES.entries()) await read(`example ${index + 1}`, { text })
  for (const action of [...ALLOWED_ACTIONS, ...HELD_ACTIONS])
    await read(`the action ${action}`, { action, text: EXAMPLES[0]?.text })
  await read('a held action without a letter', { action: 'book_appointment' })
  await read('an unknown action', { action: 'prescribe', text: 'x' })
  await read('no text', {})
  await read('a long text', { text: 'a'.repeat(4001) })
  await read('a letter that is no example', { text: PALPITATIONS })
  await read('an identifier', { text: 'This man, PPS number 1234567FA, has chest pain.' })
  await read('several identifiers', { text: 'Phone 087 123 4567, DOB 3/4/1961, Eircode D02 X285.' })
  await read('an unknown member', { text: 'x', urgency: 'high' })
  await read('a text that is a number', { text: 5 })
  await read('a key without the scope', { text: 'x' }, lists)

  await read('live: both name the same specialty', { text: PALPITATIONS }, live)
  await read('live: compare', { text: PALPITATIONS, action: 'compare' }, live)
  await read('live: no specialty to find', { text: 'Dear Doctor, many thanks for your help.' }, live)
  await read('live: held', { action: 'assign_urgency' }, live)
  await read('live: an identifier', { text: 'This man, PPS number 1234567FA, has chest pain.' }, live)
  stage.emulator.behave('openai', ['500', '500', '500'])
  await read('live: a reader is not available', { text: `${PALPITATIONS} Again.` }, live)
  stage.emulator.reset()
  expect(outcomes).toEqual(OUTCOMES)

  const once = { headers: { 'idempotency-key': 'a-letter', 'x-aqta-reference': 'a-referral' } }
  const kept = await send('live: with a reference', live, 'POST', '/v1/referral/read', { text: PALPITATIONS }, once)
  await send('live: under the same key', live, 'POST', '/v1/referral/read', { text: 'Another letter.' }, once)
  const { signed, ledger } = (kept.json as unknown as { record: ReadingRecord }).record
  const choose = (title: string, specialty: string | null, key = live) =>
    send(title, key, 'POST', '/v1/referral/outcome', { record: signed, chosen: { specialty }, role: 'referrer' })
  await choose('a specialty that is not published', 'Alchemy')
  await choose('what was chosen', 'Cardiology')
  await choose('the same again', 'Cardiology')
  await choose('another choice', null)
  await choose('a choice without the scope', 'Cardiology', lists)
  const altered = { record: { ...signed, specialty: 'Neurology' }, chosen: { specialty: null }, role: 'referrer' }
  await send('a record that was altered', live, 'POST', '/v1/referral/outcome', altered)
  const log = `/v1/referral/log/${ledger.position}`
  await send('the proof of a reading', live, 'GET', log)
  await send('the proof for a size without it', live, 'GET', `${log}?tree_size=1`)
  await send('the proof without the scope', lists, 'GET', log)
}

/** What each reading came to, as `readingOf` says it. */
const OUTCOMES: Record<string, string> = {
  'example 1': 'yes Cardiology Adult, Cardiology Adult 1, Cardiology Adult 1',
  'example 2': 'yes Rheumatology Adult, Rheumatology Adult 1, Rheumatology Adult 0.8',
  'example 3': 'yes Gynaecology Adult, Gynaecology Adult 1, Gynaecology Adult 1',
  'example 4': 'yes Orthopaedics Adult, Orthopaedics Adult 1, Orthopaedics Adult 1',
  'example 5': 'yes Ophthalmology Adult, Ophthalmology Adult 1, Ophthalmology Adult 1',
  'example 6': 'yes Otolaryngology (ENT) Adult, Otolaryngology (ENT) Adult 1, Otolaryngology (ENT) Adult 0.8',
  'example 7': 'yes Urology Adult, Urology Adult 1, Urology Adult 1',
  'example 8': 'yes Paediatric ENT Child, Paediatric ENT Child 1, Paediatric ENT Child 1',
  'example 9': 'yes Paed Orthopaedic Child, Paed Orthopaedic Child 1, Paed Orthopaedic Child 0.8',
  'example 10': 'yes Paediatric Dermatology Child, Paediatric Dermatology Child 1, Paediatric Dermatology Child 0.6',
  'example 11': 'yes Paed Cardiology Child, Paed Cardiology Child 1, Paed Cardiology Child 0.8',
  'example 12': 'yes Paediatric Neurology Child, Paediatric Neurology Child 0.8, Paediatric Neurology Child 1',
  'example 13': 'yes Nephrology Adult, Nephrology Adult 0.8, Nephrology Adult 0.6',
  'example 14': 'ask null null, Gastro-Enterology Adult 0.8, General Surgery Adult 0.8',
  'example 15': 'ask null null, Diabetes Mellitus Adult 0.6, Endocrinology Adult 0.8',
  'example 16': 'ask null null, Paediatric Respiratory Medicine Child 0.8, Paediatrics Child 1',
  'example 17': 'ask null null, Paediatric ENT Child 1, Otolaryngology (ENT) Child 0.6',
  'example 18': 'ask null null, Endocrinology Adult 0.6, null Adult 0.6',
  'example 19': 'ask null null, Neurology Adult 1, timeout 0',
  'example 20': 'ask null null, provider_error 0, Dermatology Adult 1',
  'example 21': 'ask null null, invalid_answer 0.4, timeout 0.2',
  'example 22': 'ask null null, Geriatric Medicine Adult 0.6, no_majority 0.4',
  'example 23': 'ask null null, no_majority 0.2, Paediatrics Child 0.6',
  'example 24': 'yes Dermatology null, Dermatology Adult 0.8, Dermatology Child 1',
  'example 25': 'yes Orthopaedics null, Orthopaedics Child 0.6, Orthopaedics Adult 0.8',
  'example 26': 'ask null null, null Adult 0.8, null Adult 1',
  'example 27': 'ask null null, null Adult 1, null Adult 0.8',
  'example 28': 'yes General Surgery Adult, General Surgery Adult 1, General Surgery Adult 1',
  'example 29': 'yes Vascular Surgery Adult, Vascular Surgery Adult 1, Vascular Surgery Adult 1',
  'example 30': 'yes Breast Surgery Adult, Breast Surgery Adult 1, Breast Surgery Adult 0.8',
  'example 31': 'yes Respiratory Medicine Adult, Respiratory Medicine Adult 1, Respiratory Medicine Adult 1',
  'example 32': 'yes Haematology Adult, Haematology Adult 0.8, Haematology Adult 0.6',
  'example 33': 'yes Diabetes Mellitus Adult, Diabetes Mellitus Adult 1, Diabetes Mellitus Adult 0.8',
  'the action read': 'yes Cardiology Adult, Cardiology Adult 1, Cardiology Adult 1',
  'the action identify_specialty': 'yes Cardiology Adult, Cardiology Adult 1, Cardiology Adult 1',
  'the action list_destinations': 'yes Cardiology Adult, Cardiology Adult 1, Cardiology Adult 1',
  'the action compare': 'yes Cardiology Adult, Cardiology Adult 1, Cardiology Adult 1',
  'the action assemble_evidence': 'yes Cardiology Adult, Cardiology Adult 1, Cardiology Adult 1',
  'the action flag': 'yes Cardiology Adult, Cardiology Adult 1, Cardiology Adult 1',
  'the action choose_destination': 'held',
  'the action submit_referral': 'held',
  'the action assign_urgency': 'held',
  'the action rank_suitability': 'held',
  'the action book_appointment': 'held',
  'a held action without a letter': 'held',
  'live: both name the same specialty': 'yes Cardiology Adult, Cardiology Adult 1, Cardiology Adult 1',
  'live: compare': 'yes Cardiology Adult, Cardiology Adult 1, Cardiology Adult 1',
  'live: no specialty to find': 'ask null null, null null 1, null null 1',
  'live: held': 'held',
  'live: a reader is not available': 'ask null null, provider_error 0, Cardiology Adult 1',
}
