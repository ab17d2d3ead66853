// The parameters that an emulated provider refuses, by the model and by what stands beside them, and the neutral values
// that it takes.

import { expect, it } from 'vitest'
import type { Body, Dialect } from './emulator-client.ts'
import { readAs } from './emulator-reading.ts'

const opus = (more: Body): Body => ({ model: 'claude-opus-5', ...more })
const sol = (more: Body): Body => ({ model: 'gpt-5.6-sol', ...more })
const thinking = (type: string, more: Body = {}): Body => ({ max_tokens: 4000, thinking: { type, ...more } })
const effort = (level: string): Body => ({ output_config: { effort: level } })
const search = (options: Body): Body => ({ tools: [{ type: 'web_search', ...options }] })

it.each<[Dialect, string, Body]>([
  ['anthropic', 'temperature alone', { temperature: 0 }],
  ['anthropic', 'top_p alone', { top_p: 0.5 }],
  ['anthropic', 'neutral sampling by Claude 5', opus({ temperature: 1, top_p: 1 })],
  ['anthropic', 'an opaque user', { metadata: { user_id: 'u'.repeat(256) } }],
  ['anthropic', 'a tier', { service_tier: 'auto' }],
  ['anthropic', 'a thinking budget by Haiku 4.5', thinking('enabled', { budget_tokens: 1024 })],
  ['anthropic', 'adaptive thinking, shown', opus(thinking('adaptive', { display: 'summarized' }))],
  ['anthropic', 'thinking switched off at a high effort', opus({ ...thinking('disabled'), ...effort('high') })],
  ['anthropic', 'the highest effort', opus(effort('max'))],
  ['openai', 'neutral values', { logit_bias: {}, modalities: ['text'], service_tier: 'default', n: 1, metadata: null }],
  ['openai', 'metadata that is stored', { metadata: { a: 'b' }, store: true }],
  ['openai', 'sampling with reasoning off', sol({ reasoning_effort: 'none', temperature: 0.2, top_p: 0.5 })],
  ['openai', 'the highest effort', sol({ reasoning_effort: 'max' })],
  ['openai', 'what it is said to cache by', { prompt_cache_key: 'a', prompt_cache_options: { mode: 'implicit' } }],
  ['google', 'a thinking level', { generationConfig: { thinkingConfig: { thinkingLevel: 'MINIMAL' } } }],
  ['google', 'five stop sequences', { generationConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e'] } }],
  [
    'agent',
    'what its API documents',
    { store: false, max_steps: 3, reasoning: { effort: 'low' }, language_preference: 'en' },
  ],
  [
    'agent',
    'a search by its context and place',
    search({ search_context_size: 'low', user_location: { country: 'IE' } }),
  ],
])('%s: takes %s', (dialect, _case, more) => {
  expect(readAs(dialect, more)).toMatchObject({ message: '', taken: true })
})

it.each<[Dialect, string, Body, string]>([
  ['anthropic', 'temperature with top_p by Haiku 4.5', { temperature: 1, top_p: 1 }, '`temperature` and `top_p`'],
  ['anthropic', 'temperature 0 by Claude 5', opus({ temperature: 0 }), '`temperature`'],
  ['anthropic', 'top_k by Claude 5', opus({ top_k: 5 }), '`top_k`'],
  ['anthropic', 'temperature above 1', { temperature: 1.2 }, 'temperature: '],
  ['anthropic', 'a long user', { metadata: { user_id: 'u'.repeat(257) } }, 'metadata.user_id: '],
  ['anthropic', 'a seed', { seed: 1 }, 'seed: '],
  [
    'anthropic',
    'a name of a participant',
    { messages: [{ role: 'user', content: 'x', name: 'a' }] },
    'messages.0.name: ',
  ],
  [
    'openai',
    'an id of a call beyond 40 characters',
    { messages: [{ role: 'tool', content: 'x', tool_call_id: 'c'.repeat(41) }] },
    'Too big: expected string to have <=40 characters',
  ],
  ['anthropic', 'another tier', { service_tier: 'default' }, 'service_tier: '],
  ['anthropic', 'an empty stop sequence', { stop_sequences: [''] }, 'stop_sequences.0: '],
  ['anthropic', 'a blank stop sequence', { stop_sequences: ['\n'] }, 'stop_sequences: '],
  [
    'anthropic',
    'a prefilled turn with a blank end',
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: 'So: ' },
      ],
    },
    'messages: ',
  ],
  ['anthropic', 'an effort by Haiku 4.5', effort('low'), 'this model takes no effort'],
  ['anthropic', 'adaptive thinking by Haiku 4.5', thinking('adaptive'), '"thinking.type.adaptive"'],
  ['anthropic', 'a budget by Claude 5', opus(thinking('enabled', { budget_tokens: 2000 })), '"thinking.type.enabled"'],
  [
    'anthropic',
    'thinking switched off at the highest effort',
    opus({ ...thinking('disabled'), ...effort('xhigh') }),
    '"thinking.type.disabled"',
  ],
  [
    'anthropic',
    'a budget that is too small',
    thinking('enabled', { budget_tokens: 1023 }),
    'thinking.enabled.budget_tokens: ',
  ],
  ['anthropic', 'a budget above the limit', thinking('enabled', { budget_tokens: 4000 }), '`max_tokens`'],
  [
    'anthropic',
    'temperature beside a budget',
    { ...thinking('enabled', { budget_tokens: 1024 }), temperature: 0 },
    '`temperature`',
  ],
])('%s: refuses %s', (dialect, _case, more, place) => {
  const { status, message } = readAs(dialect, more)
  expect(status).toBe(400)
  expect(message.startsWith(place), message).toBe(true)
})

it.each<[string, Body, string, string | null]>([
  ['metadata that is not stored', { metadata: { a: 'b' } }, 'metadata', null],
  ['a long value in it', { metadata: { a: 'b'.repeat(513) }, store: true }, 'metadata.a', 'invalid_value'],
  [
    '17 of them',
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])), store: true },
    'metadata',
    'object_above_max_properties',
  ],
  ['a search by a model that does not', { web_search_options: {} }, 'web_search_options', null],
  ['audio', { modalities: ['text', 'audio'] }, 'modalities', 'unsupported_value'],
  ['an unknown tier', { service_tier: 'fast' }, 'service_tier', 'invalid_value'],
  ['five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'invalid_value'],
  ['a verbosity that the model has not', { verbosity: 'low' }, 'verbosity', 'unsupported_value'],
  [
    'an effort by a model that does not reason',
    { reasoning_effort: 'low' },
    'reasoning_effort',
    'unsupported_parameter',
  ],
  ['temperature while reasoning', sol({ temperature: 0 }), 'temperature', 'unsupported_value'],
  ['top_p while reasoning', sol({ top_p: 0.5 }), 'top_p', 'unsupported_parameter'],
  [
    'a penalty by a reasoning model',
    sol({ presence_penalty: 1, reasoning_effort: 'none' }),
    'presence_penalty',
    'unsupported_parameter',
  ],
  ['stop by a reasoning model', sol({ stop: 'END' }), 'stop', 'unsupported_parameter'],
  ['an effort that the model has not', sol({ reasoning_effort: 'minimal' }), 'reasoning_effort', 'unsupported_value'],
  [
    'an assistant that says nothing',
    { messages: [{ role: 'assistant', content: null }] },
    'messages.[0].content',
    null,
  ],
  [
    'a member of a message that is unknown',
    { messages: [{ role: 'user', content: 'x', parsed: {} }] },
    'messages[0].parsed',
    'unknown_parameter',
  ],
  ['a message without content', { messages: [{ role: 'user' }] }, 'messages[0].content', 'missing_required_parameter'],
])('openai: refuses %s, by the member', (_case, more, param, code) => {
  expect(readAs('openai', more).error).toMatchObject({ error: { param, code } })
})

const look = { tools: [{ type: 'function', function: { name: 'look' } }] }

it('openai: calls functions with reasoning off, where the model reasons by itself', () => {
  for (const more of [look, { ...look, reasoning_effort: 'low' }]) {
    expect(readAs('openai', sol(more)).error).toMatchObject({ error: { param: 'reasoning_effort', code: null } })
  }
  expect(readAs('openai', sol({ ...look, reasoning_effort: 'none' })).taken).toBe(true)
  expect(readAs('openai', look).taken).toBe(true)
})

it.each<[string, string, Body, string]>([
  ['a level and a budget', 'gemini-3.6-flash', { thinkingLevel: 'low', thinkingBudget: 100 }, 'budget'],
  ['a level that is too low', 'gemini-3.7-flash', { thinkingLevel: 'minimal' }, 'level'],
  ['a level by an older model', 'gemini-2.5-flash', { thinkingLevel: 'low' }, 'level'],
])('google: refuses %s', (_case, model, thinkingConfig, named) => {
  expect(readAs('google', { generationConfig: { thinkingConfig } }, model).message).toContain(named)
})

it.each<[string, Body, string]>([
  [
    'six stop sequences',
    { generationConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] } },
    'generation_config.stop_sequences',
  ],
  ['temperature above 2', { generationConfig: { temperature: 2.1 } }, 'generation_config.temperature'],
])('google: refuses %s, by its place in the details', (_case, more, field) => {
  expect(readAs('google', more).error).toMatchObject({ error: { details: [{ fieldViolations: [{ field }] }] } })
})

it.each<[string, Body, string]>([
  [
    'a schema without a name',
    { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
    'response_format.json_schema.name',
  ],
  ['any JSON', { response_format: { type: 'json_object' } }, 'response_format.type'],
  ['an effort that it has not', { reasoning: { effort: 'max' } }, 'reasoning.effort'],
  ['a function without a name', { tools: [{ type: 'function' }] }, 'tools.0.name'],
  ['an unknown tool', { tools: [{ type: 'look' }] }, 'tools.0.type'],
  ['an unknown context', search({ search_context_size: 'huge' }), 'tools.0.search_context_size'],
  ['stop', { stop: 'END' }, 'stop'],
  ['a choice of tools', { tools: [], tool_choice: 'auto' }, 'tool_choice'],
  ['parallel calls', { tools: [], parallel_tool_calls: true }, 'parallel_tool_calls'],
  ['options of a stream', { stream_options: {} }, 'stream_options'],
  ['metadata', { metadata: {} }, 'metadata'],
])('agent: refuses %s', (_case, more, named) => {
  const { status, message } = readAs('agent', more)
  expect(status).toBe(400)
  expect(message.startsWith(`${named}: `), message).toBe(true)
})
