import { readFileSync } from 'node:fs'
import type { Script } from '../../../support/e2e/golden/stage.ts'

const EXAMPLES = JSON.parse(readFileSync('data/examples.json', 'utf8')) as { text: string; action: string | null }[]

const ACTIONS = [
  'read',
  'identify_specialty',
  'list_destinations',
  'compare',
  'assemble_evidence',
  'flag',
  'choose_destination',
  'submit_referral',
  'assign_urgency',
  'rank_suitability',
  'book_appointment',
]

const PALPITATIONS = 'Dear Doctor, please see this 58 year old man with palpitations on exertion. Many thanks.'

export const readings: Script = async ({ stage, send }) => {
  const { id } = await stage.organisation('Readings', [])
  const sandbox = await stage.key(id, { prefix: 'vk_test_' })
  const live = await stage.key(id, { prefix: 'vk_live_' })
  const lists = await stage.key(id, { prefix: 'vk_test_', scopes: ['waiting-lists:read'] })
  const read = (title: string, body: unknown, key = sandbox) => send(title, key, 'POST', '/v1/referral/read', body)

  for (const [index, { text }] of EXAMPLES.entries()) await read(`example ${index + 1}`, { text })
  for (const action of ACTIONS) await read(`the action ${action}`, { action, text: EXAMPLES[0]?.text })
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
}
