// Tests values that clients send by default: no model refuses them, and they make no other request.
import { describe, expect, it } from 'vitest'
import { refuseAdapted } from '../../../../../src/gateway/call/prepare-call.ts'
import { catalogueModels } from '../../../../../src/providers/model-catalogue.ts'
import { accepted, refused, user } from './reading.ts'

const models = catalogueModels().filter(({ gateway }) => gateway)

describe('a value that changes nothing', () => {
  it.each<[string, object]>([
    ['a bias for nothing', { logit_bias: {} }],
    ['no labels', { metadata: {} }],
    ['the usual service', { service_tier: 'auto' }],
    ['the usual service, by its other name', { service_tier: 'default' }],
    ['text alone', { modalities: ['text'] }],
    ['nothing stored', { store: false }],
    ['one choice', { n: 1 }],
    ['no log probabilities', { logprobs: false, top_logprobs: 0 }],
    ['no penalties', { frequency_penalty: 0, presence_penalty: 0 }],
    ['no stops', { stop: [] }],
    ['no tools', { tools: [], tool_choice: 'auto', parallel_tool_calls: true }],
    ['no tools and no choice of them', { tool_choice: 'none', parallel_tool_calls: false }],
    ['text as the form', { response_format: { type: 'text' } }],
    ['no prediction', { prediction: null, audio: null, prompt_cache_key: null }],
    ['the usual length', { verbosity: 'medium' }],
    ['the usual sampling', { temperature: 1 }],
    ['the usual sampling, both members', { temperature: 1, top_p: 1 }],
    ['a sampling beside the usual top_p', { top_p: 1 }],
    ['equal limits', { max_tokens: 5, max_completion_tokens: 5 }],
    ['no user', { user: '' }],
    ['options of no stream', { stream_options: { include_usage: false } }],
    ['no padding', { stream: true, stream_options: { include_obfuscation: false } }],
  ])('%s is taken by every model', (_, value) => {
    for (const { id } of models) accepted({ model: id, messages: [user], ...value })
  })

  it('beside a sampling of one’s own is taken wherever that is', () => {
    for (const { id, capabilities: can } of models) {
      const still = can.samplingWithReasoning ? {} : { reasoning_effort: 'none' }
      if (can.temperature !== null) accepted({ model: id, messages: [user], ...still, temperature: 0, top_p: 1 })
      if (can.topP) accepted({ model: id, messages: [user], ...still, temperature: 1, top_p: 0.5 })
    }
  })
})

describe('a value that would change something', () => {
  it('is refused with the value that works, where only that one does and nothing may be left out', () => {
    for (const { id, capabilities: can } of models.filter((model) => model.capabilities.temperature === null)) {
      expect(can.temperature).toBeNull()
      expect(refuseAdapted(accepted({ model: id, messages: [user], temperature: 0 }))?.message).toBe(
        `temperature: ${id} allows only its default. Send 1, or leave it out.`,
      )
    }
  })

  it.each<[object, string]>([
    [{ store: true }, 'store: expected false: nothing sent through here is stored at a provider.'],
    [{ modalities: ['text', 'audio'] }, 'modalities: at most 1 entry.'],
    [{ modalities: ['audio'] }, 'modalities[0]: expected text: no model here answers in another form.'],
    [{ reasoning: { effort: 'low' } }, 'reasoning: send reasoning_effort in its place.'],
    [{ service_tier: 'flex' }, 'service_tier: expected one of auto, default.'],
    [
      { max_tokens: 5, max_completion_tokens: 6 },
      'max_tokens: It differs from max_completion_tokens. Send only one of them.',
    ],
  ])('is refused in words that help: %o', (value, message) => {
    for (const { id } of models) expect(refused({ model: id, messages: [user], ...value }).message).toBe(message)
  })
})
