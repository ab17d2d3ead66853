// Requests as real clients write them: taken, or refused by the member that the model cannot do.
import { expect, it } from 'vitest'
import { readChatRequest } from '../../../../src/gateway/chat/chat-request.policy.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { catalogueModels } from '../../../../src/providers/catalogue.ts'
import { CLIENT_REQUESTS } from '../../../fixtures/client-requests.ts'

const models = catalogueModels()
  .filter(({ gateway }) => gateway)
  .map(({ id }) => id)

/** Which member is refused, or null where the request is taken. */
function refusedMember(model: string, body: object): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify({ model, ...body }))
  const read = readChatRequest(new Headers({ 'content-type': 'application/json' }), bytes)
  return read instanceof AppError ? (read.details.param ?? `no member, but ${read.code}`) : null
}

it.each(CLIENT_REQUESTS)('$title, from $from', ({ body, refusals }) => {
  const expected = models.map((model) => {
    const refusal = refusals.find(({ on }) => on.some((beginning) => model.startsWith(beginning)))
    return [model, refusal?.param ?? null]
  })
  expect(models.map((model) => [model, refusedMember(model, body)])).toEqual(expected)
})

it('names no model that is not in the catalogue', () => {
  const beginnings = CLIENT_REQUESTS.flatMap(({ refusals }) => refusals.flatMap(({ on }) => on))
  expect(beginnings.filter((beginning) => !models.some((id) => id.startsWith(beginning)))).toEqual([])
})
