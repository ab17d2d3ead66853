// Whatever one member of a request is broken, the error names it, or what it is in where it is not known there; and says so
// in its message.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../../src/platform/errors.ts'
import { accepted, look, read, refused, messages, mini } from './reading.ts'

const MARK = { type: 'ephemeral', ttl: '5m' }
const SIGNED = { google: { thought_signature: 'c2ln' } }
const THOUGHT = { anthropic: { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 's', index: 0 }] } }

const request = {
  model: 'gpt-4.1-mini',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control: MARK }], name: 'rules' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: 'https://a.test/b.png', detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I' },
        { type: 'refusal', refusal: 'will' },
      ],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' }, extra_content: SIGNED }],
      extra_content: THOUGHT,
    },
    { role: 'tool', tool_call_id: 'c', content: 'ok' },
    { role: 'assistant', function_call: { name: 'look', arguments: '{}' } },
    { role: 'function', name: 'look', content: 'ok' },
  ],
  temperature: 0.5,
  top_p: 0.5,
  max_tokens: 5,
  max_completion_tokens: 5,
  stream: true,
  stream_options: { include_usage: true, include_obfuscation: false },
  stop: ['END'],
  n: 1,
  seed: 1,
  user: 'u',
  tools: [{ ...look, cache_control: MARK }],
  tool_choice: { type: 'function', function: { name: 'look' } },
  parallel_tool_calls: false,
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {}, strict: true } },
  store: false,
  modalities: ['text'],
  service_tier: 'auto',
  frequency_penalty: 0.5,
  presence_penalty: 0.5,
  logprobs: true,
  top_logprobs: 1,
}

type Place = readonly (string | number)[]

const entriesOf = (value: unknown): [string | number, unknown][] =>
  Array.isArray(value) ? [...value.entries()] : typeof value === 'object' && value !== null ? Object.entries(value) : []

function placesIn(value: unknown, place: Place = []): Place[] {
  const places: Place[] = []
  for (const [step, inner] of entriesOf(value)) {
    const innerPlace = [...place, step]
    places.push(innerPlace, ...placesIn(inner, innerPlace))
  }
  return places
}

const nameOf = (place: Place): string =>
  place
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)

/** A copy with another value at this place; undefined takes it out. */
function broken(value: unknown, [step, ...rest]: Place, other: unknown): unknown {
  if (step === undefined) return other
  const entries = entriesOf(value).map(([name, inner]) => [name, name === step ? broken(inner, rest, other) : inner])
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

/** JSON Schemas are the caller's own: what is in them is the provider's to judge. */
const isOwn = (place: Place): boolean => place.includes('schema') || place.includes('parameters')

describe('an error about one member', () => {
  const places = placesIn(request).filter((place) => !isOwn(place))

  it('is about a request that is accepted otherwise', () => {
    accepted(request)
  })

  it.each(places.map((place) => [nameOf(place), place] as const))(
    'names %s, where its value is of another kind',
    (name, place) => {
      for (const other of [12.5e30, { zebra: 'zebra' }, [['zebra']]]) {
        const found = refused(broken(request, place, other))
        const param = found.details.param ?? ''
        expect(param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`), param).toBe(true)
        expect(found.message).toContain(param)
        expect(found.message.replace(param, '')).not.toContain('"zebra"')
      }
    },
  )

  it('that is missing has the name of a member in its message', () => {
    for (const place of places) {
      const found = read(broken(request, place, undefined))
      if (found instanceof AppError) expect(found.message, nameOf(place)).toContain(found.details.param ?? 'no member')
    }
  })

  it('names an unknown member, wherever it is', () => {
    const objects = [[], ...places].filter((place) => {
      const value = place.reduce<unknown>(
        (inner, step) => entriesOf(inner).find(([name]) => name === step)?.[1],
        request,
      )
      return typeof value === 'object' && !Array.isArray(value) && !isOwn(place)
    })
    fc.assert(
      fc.property(fc.constantFrom(...objects), fc.stringMatching(/^[a-z]{1,3}Zebra$/), (place, extra) => {
        const value = place.reduce<unknown>(
          (inner, step) => entriesOf(inner).find(([name]) => name === step)?.[1],
          request,
        )
        const more = Object.fromEntries([...entriesOf(value), [extra, 1]])
        const name = nameOf([...place, extra])
        const found = refused(broken(request, place, more))
        expect(found.details.param).toBe(name)
        expect(found.message).toContain(name)
      }),
    )
  })
})

const leap = { type: 'function', function: { name: 'leap' } }
const functions = [{ name: 'look' }, { name: 'leap' }]
const allowed = {
  type: 'allowed_tools',
  allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'leap' } }] },
}
const called = messages(
  { role: 'assistant', function_call: { name: 'look', arguments: '{}' } },
  { role: 'function', name: 'look', content: 'ok' },
)
const inParts = mini({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] })

it.each<[string, object, string, string]>([
  ['the older limit', mini({ max_tokens: 5 }), 'max_completion_tokens', 'max_tokens'],
  ['the older limit beside functions', mini({ max_tokens: 5, functions }), 'max_completion_tokens', 'max_tokens'],
  ['both limits', mini({ max_tokens: 5, max_completion_tokens: 5 }), 'max_completion_tokens', 'max_completion_tokens'],
  ['an older limit that is null', mini({ max_tokens: null }), 'max_completion_tokens', 'max_completion_tokens'],
  [
    'one allowed tool of two',
    mini({ tools: [look, leap], tool_choice: allowed }),
    'tools[0].function.name',
    'tools[1].function.name',
  ],
  ['the newer name of the user', mini({ safety_identifier: 's', user: 'u' }), 'user', 'safety_identifier'],
  ['an empty newer name', mini({ safety_identifier: '', user: 'u' }), 'user', 'user'],
  ['functions', mini({ functions }), 'tools[1].function.parameters', 'functions[1].parameters'],
  ['functions as a whole', mini({ functions }), 'tools', 'functions'],
  [
    'a call of a function',
    called,
    'messages[1].tool_calls[0].function.arguments',
    'messages[1].function_call.arguments',
  ],
  ['the result of one', called, 'messages[2].tool_call_id', 'messages[2].name'],
  ['a message of one text', called, 'messages[0].content[0].text', 'messages[0].content'],
  ['a message in parts', inParts, 'messages[0].content[0].text', 'messages[0].content[0].text'],
])('with %s', (_, body, chatPath, name) => {
  expect(accepted(body).format.memberName(chatPath)).toBe(name)
})
