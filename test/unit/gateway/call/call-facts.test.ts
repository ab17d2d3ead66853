// What rules of a policy are told of a request: how much of which kind, by whichever route it came.
import { describe, expect, it } from 'vitest'
import { factsOf } from '../../../../src/gateway/call/call-facts.ts'
import { newTrace } from '../../../../src/gateway/call/trace.ts'
import type { CallInput } from '../../../../src/gateway/call/prepare-call.ts'
import { refuseContent } from '../../../../src/policies/document/content-type-guard.policy.ts'
import { parseEurRate } from '../../../../src/providers/cost.ts'
import * as chat from '../chat/reading.ts'
import * as responses from '../responses/reading.ts'

function contentOf(input: CallInput) {
  const eurRate = parseEurRate('0.9')
  if (eurRate === null) throw new Error('no rate')
  const caller = { useCase: null, cohort: null, idempotencyKeyHash: null, approval: null, insteadOf: null, scan: null }
  return factsOf(input, { ...newTrace(), ...caller, publicKey: '', eurRate }).content
}

describe('the content of a request', () => {
  it('is its texts by their characters, and its tools', () => {
    const asked = chat.accepted(chat.mini({ tools: [chat.look] }))
    expect(contentOf(asked)).toEqual({ bytes: asked.outline.bytes, characters: 5, images: 0, files: 0, tools: 1 })
  })

  it.each([
    ['chat completions', chat.accepted({ ...chat.mini({ web_search_options: {} }), model: 'sonar-pro' })],
    ['responses', responses.accepted({ tools: [{ type: 'web_search' }] }, 'sonar-pro')],
  ])('has a search of the web as a tool, by %s', (_, input) => {
    const content = contentOf(input)
    expect(content.tools).toBe(1)
    expect(refuseContent({ allow: ['text'] }, { content })).toBe('tools_not_allowed')
    expect(refuseContent({ max_tools: 0 }, { content })).toBe('max_tools')
  })
})
