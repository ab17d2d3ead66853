// Makes the tables of docs/fields.md: each field with what the code does with it for every provider's models.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { AssistantSchema } from '../../src/gateway/operations/chat/chat-message.schema.ts'
import { readChatRequest } from '../../src/gateway/operations/chat/read-chat-request.ts'
import { ChatRequestSchema } from '../../src/gateway/operations/chat/chat-request.schema.ts'
import { readResponsesRequest } from '../../src/gateway/operations/responses/read-responses-request.ts'
import { ResponsesRequestSchema } from '../../src/gateway/operations/responses/responses-request.schema.ts'
import { AppError } from '../../src/platform/errors.ts'
import { CHAT_FIELDS } from '../fixtures/chat-field-samples.ts'
import { READ_CONTEXT } from '../fixtures/providers/models.ts'
import { RESPONSES_FIELDS } from '../fixtures/responses-field-samples.ts'
import { fieldTable, type FieldOutcome } from '../support/e2e/field-table.ts'
import { withTable } from '../support/markdown-table.ts'

const page = readFileSync('docs/fields.md', 'utf8')

type Reader = typeof readChatRequest

/** Returns what the reader does with a request that has these members beside the smallest ones. */
const outcomeOf =
  (read: Reader, smallest: object) =>
  (model: string, sample: object): FieldOutcome => {
    const bytes = new TextEncoder().encode(JSON.stringify({ model, ...smallest, ...sample }))
    const found = read(new Headers({ 'content-type': 'application/json' }), bytes, READ_CONTEXT)
    if (found instanceof AppError) return 'refused'
    const [first] = found.adapted
    return first === undefined ? 'works' : first.how === 'dropped' ? 'left out' : 'extended'
  }

it('docs/fields.md has what each provider does with each field', async () => {
  const chat = outcomeOf(readChatRequest, { messages: [{ role: 'user', content: 'Hello' }] })
  const responses = outcomeOf(readResponsesRequest, { input: 'Hello' })
  const withChat = withTable(page, 'chat fields', fieldTable(CHAT_FIELDS, chat))
  const withBoth = withTable(withChat, 'response fields', fieldTable(RESPONSES_FIELDS, responses))
  await expect(withBoth).toMatchFileSnapshot('../../docs/fields.md')
})

it('docs/fields.md lists what of an assistant’s message is accepted and ignored', () => {
  const silent = Object.entries(AssistantSchema().shape).flatMap(([name, member]) => {
    const inner = member instanceof z.ZodOptional ? member.unwrap() : member
    return inner instanceof z.ZodUnknown || inner instanceof z.ZodNull ? [name] : []
  })
  const list = /In the message: (.*)/.exec(page)?.[1] ?? ''
  expect(silent.filter((name) => !list.includes(`\`${name}\``))).toEqual([])
  expect(list.match(/`\w+`/g)).toHaveLength(silent.length)
})

it.each([
  ['a chat completion', ChatRequestSchema(), CHAT_FIELDS],
  ['a Responses request', ResponsesRequestSchema(), RESPONSES_FIELDS],
])('has every field that %s may have', (_, schema, samples) => {
  const used = new Set(Object.values(samples).flatMap((all) => all.flatMap((sample) => Object.keys(sample))))
  expect(Object.keys(schema.shape).filter((name) => name !== 'model' && !used.has(name))).toEqual([])
})
