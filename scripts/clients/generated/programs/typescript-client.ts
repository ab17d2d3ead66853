// The hand-written test program of the generated TypeScript client (openapi-fetch). It sends the calls of reference-calls.ts, and
// narrows types only where the API has variants: if it needs more to compile, the generated types are wrong.
import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

const { BASE_URL = '', REFERRAL_KEY = '', GATEWAY_KEY = '', LETTER = '', QUESTION = '' } = process.env

const client = (key: string) => createClient<paths>({ baseUrl: BASE_URL, headers: { authorization: `Bearer ${key}` } })

const referral = client(REFERRAL_KEY)

const { data: read } = await referral.POST('/v1/referral/read', { body: { text: LETTER } })
if (read === undefined || read.specialty === null) throw new Error('the letter was not read')
const [readerA, readerB] = read.readers

const { error: held } = await referral.POST('/v1/referral/read', { body: { action: 'book_appointment' } })
if (held === undefined || 'error' in held) throw new Error('the action was not held')
const refusal: components['schemas']['HeldResponse'] = held

const { data: lists } = await referral.GET('/v1/waiting-lists', {
  params: { query: { specialty: read.specialty, ageGroup: 'Child' } },
})
if (lists === undefined) throw new Error('there are no lists')

const { data: chat } = await client(GATEWAY_KEY).POST('/v1/chat/completions', {
  body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: QUESTION }] },
})
if (chat === undefined || typeof chat === 'string') throw new Error('there is no completion')

const { error: refused, response } = await client('no-key').POST('/v1/referral/read', { body: { text: LETTER } })
if (refused === undefined || !('error' in refused)) throw new Error('no key was needed')
const code: components['schemas']['ErrorDetail']['code'] = refused.error.code

console.log(
  JSON.stringify({
    read: [read.decision, read.specialty, read.ageGroup, [readerA, readerB].length],
    held: [refusal.action, refusal.decision, refusal.note],
    lists: [lists.specialty, lists.ageGroup, lists.waitingLists.map(({ total }) => total)],
    chat: [chat.object, chat.choices[0]?.finish_reason, chat.aqta.status],
    refused: [response.status, code],
  }),
)
