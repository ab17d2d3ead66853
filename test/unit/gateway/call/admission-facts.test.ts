// Tests the facts of a request for a policy's rules: how much of which kind, by either route.
import { describe, expect, it } from 'vitest'
import { factsOf } from '../../../../src/gateway/call/admit-call.ts'
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
  it('is its texts by their characters, those of tools among them, and its tools', () => {
    const asked = chat.accepted(chat.mini({ tools: [chat.look] }))
    const characters = 'Hello'.length + 'look'.length + JSON.stringify(chat.look.function.parameters).length
    const content = { bytes: asked.outline.bytes, characters, texts: 1, images: 0, files: 0, tools: 1 }
    expect(contentOf(asked)).toEqual(content)
  })

  it('is no text where a request has only files and tools', () => {
    const file = { type: 'file', file: { file_data: `data:text/plain;base64,${btoa('Hello')}` } }
    const body = { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: [file] }], tools: [chat.look] }
    const content = contentOf(chat.accepted(body))
    expect(content).toMatchObject({ texts: 0, files: 1, tools: 1 })
    expect(refuseContent({ allow: ['file', 'tools'] }, { content })).toBeNull()
    expect(refuseContent({ max_text_characters: 'Hello'.length }, { content })).toBe('max_text_characters')
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
