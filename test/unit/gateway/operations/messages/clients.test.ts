// Messages requests as clients send them: taken by a model of each provider, and what its route leaves out.
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../../src/platform/errors.ts'
import {
  RECORDED_MESSAGES_REQUESTS,
  ROUTE_NAMES,
  ROUTES,
  type Route,
} from '../../../../fixtures/recorded-messages-requests.ts'
import { droppedBy, read, sentBy } from './reading.ts'

/** What a route leaves out, or the member that it refuses. */
function outcome(route: Route, body: object, headers: Record<string, string>): readonly string[] | string | null {
  const [model, endpoint] = ROUTES[route]
  const found = read(body, model, headers)
  if (found instanceof AppError) return found.details.param ?? null
  const unfit = found.unfit.find((one) => one.model.endpoint === endpoint)
  if (unfit !== undefined) return unfit.refusal.details.param ?? null
  expect(sentBy(found, endpoint).text).not.toBe('')
  return droppedBy(found, endpoint)
}

describe('a client sends', () => {
  it.each(RECORDED_MESSAGES_REQUESTS)('$title', ({ body, headers, leftOut = {}, refused = {} }) => {
    const outcomes = ROUTE_NAMES.map((route) => [route, outcome(route, body, headers)])
    expect(outcomes).toEqual(ROUTE_NAMES.map((route) => [route, refused[route] ?? leftOut[route] ?? []]))
  })
})
