// Requests as real clients write them: taken, or refused by the member that the model cannot do.
import { describe, expect, it } from 'vitest'
import { readChatRequest } from '../../../src/gateway/operations/chat/read-chat-request.ts'
import { readResponsesRequest } from '../../../src/gateway/operations/responses/read-responses-request.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { catalogueModels } from '../../../src/providers/model-catalogue.ts'
import { MATERIAL } from '../../fixtures/providers/index.ts'
import { READ_CONTEXT } from '../../fixtures/providers/models.ts'
import { CLIENT_REQUESTS } from '../../fixtures/client-requests.ts'
import { CLIENT_RESPONSES_REQUESTS } from '../../fixtures/client-responses-requests.ts'

const offered = catalogueModels().filter(({ gateway }) => gateway)
const models = offered.map(({ id }) => id)

const headers = new Headers({ 'content-type': 'application/json' })

describe.each([
  ['/v1/chat/completions', readChatRequest, CLIENT_REQUESTS],
  ['/v1/responses', readResponsesRequest, CLIENT_RESPONSES_REQUESTS],
] as const)('a client of %s sends', (address, read, requests) => {
  /** The member that is refused, or what is left out of a request that is taken. */
  function outcome(model: string, body: object): string | readonly string[] {
    const found = read(headers, new TextEncoder().encode(JSON.stringify({ model, ...body })), READ_CONTEXT)
    if (found instanceof AppError) return found.details.param ?? `no member, but ${found.code}`
    return found.adapted.map(({ param }) => param)
  }

  it.each(requests)('$title, from $from', ({ title, body, refusals }) => {
    const expected = offered.map(({ id: model, provider }) => {
      const byRow = refusals.filter(({ on }) => on.some((beginning) => model.startsWith(beginning)))
      const ofModel = [...byRow, ...(MATERIAL[provider].refusals?.[address]?.[title] ?? [])]
      const refusal = ofModel.find(({ isAdapted }) => isAdapted !== true)
      return [model, refusal?.param ?? ofModel.map(({ param }) => param)]
    })
    expect(models.map((model) => [model, outcome(model, body)])).toEqual(expected)
  })

  it('to no model that is not in the catalogue', () => {
    const beginnings = requests.flatMap(({ refusals }) => refusals.flatMap(({ on }) => on))
    expect(beginnings.filter((beginning) => !models.some((id) => id.startsWith(beginning)))).toEqual([])
  })
})
