// An operation makes its schemas once, also those that are written in the declaration.
import { expect, it } from 'vitest'
import * as z from 'zod'
import { publicOperations } from '../../../src/platform/operations.ts'

it('a schema of a declaration is made at the first request, and not at the next', async () => {
  const made: string[] = []
  const { api, openapi } = publicOperations()
  openapi(
    {
      route: 'POST /v1/example',
      query: () => {
        made.push('query')
        return z.object({ size: z.string().optional() })
      },
      headers: () => {
        made.push('headers')
        return z.object({})
      },
      answers: {},
    },
    ({ c, sent }) => c.json(sent.query()),
  )
  expect(made).toEqual([])
  for (const size of ['1', '2']) {
    const response = await api.request(`/v1/example?size=${size}`, { method: 'POST' })
    expect(await response.json()).toEqual({ size })
  }
  expect(made.toSorted()).toEqual(['headers', 'query'])
})
