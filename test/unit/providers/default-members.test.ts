// Values that change nothing: every model takes them, and none is sent one that it has no parameter for.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeRequest } from '../../../src/providers/model-support.policy.ts'
import { catalogueModels } from '../../../src/providers/model-catalogue.ts'
import { textMessage, type ChatRequest } from '../../../src/providers/chat-request.ts'

const ask: ChatRequest = { messages: [textMessage('user', 'Hello')] }
const tool = { name: 'look', parameters: { type: 'object', properties: {} } }

const NEUTRAL = {
  temperature: 1,
  topP: 1,
  n: 1,
  stop: [],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  responseFormat: { type: 'text' },
  extraParameters: { verbosity: 'medium' },
} as const satisfies Partial<ChatRequest>

describe('a value that changes nothing', () => {
  it('is taken by every model, alone and together with the others', () => {
    fc.assert(
      fc.property(fc.constantFrom(...catalogueModels()), fc.subarray(Object.entries(NEUTRAL)), (model, some) => {
        expect(encodeRequest({ ...ask, ...Object.fromEntries(some) }, model)).toMatchObject({ ok: true })
      }),
    )
  })

  it.each([{ toolChoice: 'none' }, { parallelToolCalls: false }] as const)('without tools is also %o', (value) => {
    for (const model of catalogueModels()) {
      expect(encodeRequest({ ...ask, ...value }, model)).toEqual(encodeRequest(ask, model))
    }
  })

  it('is not sent to a model that has no parameter for it', () => {
    for (const model of catalogueModels()) {
      const { capabilities: can } = model
      const { ok: _, ...encoded } = encodeRequest({ ...ask, ...NEUTRAL }, model)
      const sent = JSON.stringify(encoded)
      if (can.temperature === null) expect(sent).not.toContain('"temperature"')
      if (!can.topP) expect(sent).not.toMatch(/"top_?p"/i)
      if (!can.extraParameters.includes('verbosity')) expect(sent).not.toContain('verbosity')
      expect(sent).not.toMatch(/tool_?choice|parallel|stop|response_?format/i)
    }
  })

  it('is no effort of a model that does not reason', () => {
    for (const model of catalogueModels()) {
      const { reasoningEfforts, reasoningByDefault } = model.capabilities
      const canRest = reasoningEfforts.includes('none') || (reasoningEfforts.length === 0 && !reasoningByDefault)
      expect(encodeRequest({ ...ask, reasoningEffort: 'none' }, model).ok, model.id).toBe(canRest)
    }
  })

  it('with tools is the same as none where parallel calls cannot be switched off', () => {
    for (const model of catalogueModels().filter(({ capabilities: can }) => can.tools && !can.parallelToolCalls)) {
      const withTools = { ...ask, tools: [tool] }
      expect(encodeRequest({ ...withTools, parallelToolCalls: true }, model)).toEqual(encodeRequest(withTools, model))
    }
  })
})
