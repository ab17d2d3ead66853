// Sends by plain HTTP the calls that every generated client sends, so that their answers can be compared: a reading, a held
// action, waiting lists, a chat completion, and a call without a valid key.
import * as z from 'zod'
import { EXAMPLES } from '../../example-letters.ts'

export type ClientKeys = { referral: string; gateway: string }

const AnswersSchema = z.strictObject({
  read: z.tuple([z.string(), z.string(), z.string(), z.literal(2)]),
  held: z.tuple([z.literal('book_appointment'), z.literal('held'), z.string()]),
  lists: z.tuple([z.string(), z.literal('Child'), z.array(z.int())]),
  chat: z.tuple([z.literal('chat.completion'), z.literal('stop'), z.literal('passed')]),
  refused: z.tuple([z.literal(401), z.literal('invalid_api_key')]),
})

export type ReferenceAnswers = z.infer<typeof AnswersSchema>

/** Parses the answers that a client prints. Throws if they have another form. */
export const parseAnswers = (json: string): ReferenceAnswers => AnswersSchema.parse(JSON.parse(json))

export const QUESTION = 'What is a specialty?'

export function letter(): string {
  const first = EXAMPLES.list.find(({ expected }) => expected.status === 200)
  if (first === undefined) throw new Error('there is no letter to read')
  return first.text
}

const ReadSchema = z.object({
  decision: z.string(),
  specialty: z.string(),
  ageGroup: z.string(),
  readers: z.array(z.unknown()),
})
const HeldSchema = z.object({ action: z.string(), decision: z.string(), note: z.string() })
const ListsSchema = z.object({
  specialty: z.string(),
  ageGroup: z.string(),
  waitingLists: z.array(z.object({ total: z.int() })),
})
const ChatSchema = z.object({
  object: z.string(),
  choices: z.array(z.object({ finish_reason: z.string() })).min(1),
  aqta: z.object({ status: z.string() }),
})
const ErrorSchema = z.object({ error: z.object({ code: z.string() }) })

export async function sendReferenceCalls(baseUrl: string, keys: ClientKeys): Promise<ReferenceAnswers> {
  const call = async (key: string, path: string, body?: object) => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  const read = ReadSchema.parse((await call(keys.referral, '/v1/referral/read', { text: letter() })).body)
  const held = HeldSchema.parse((await call(keys.referral, '/v1/referral/read', { action: 'book_appointment' })).body)
  const query = new URLSearchParams({ specialty: read.specialty, ageGroup: 'Child' })
  const lists = ListsSchema.parse((await call(keys.referral, `/v1/waiting-lists?${query.toString()}`)).body)
  const question = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: QUESTION }] }
  const chat = ChatSchema.parse((await call(keys.gateway, '/v1/chat/completions', question)).body)
  const refused = await call('no-key', '/v1/referral/read', { text: letter() })
  return AnswersSchema.parse({
    read: [read.decision, read.specialty, read.ageGroup, read.readers.length],
    held: [held.action, held.decision, held.note],
    lists: [lists.specialty, lists.ageGroup, lists.waitingLists.map(({ total }) => total)],
    chat: [chat.object, chat.choices[0]?.finish_reason, chat.aqta.status],
    refused: [refused.status, ErrorSchema.parse(refused.body).error.code],
  })
}
