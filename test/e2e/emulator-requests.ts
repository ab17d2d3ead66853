// Requests of the emulator’s transcript (emulator.test.ts) beside those of each provider’s material: behaviours, and prompts that
// Anthropic keeps.
import type { Asked, Emulated, Json } from '../fixtures/providers/material.ts'

const AT_EVERY_PROVIDER = [
  'ok comments',
  '401 403 429,7 500 503,0,array 529',
  'refuse refuse,422,generationConfig.stopSequences.0 context quota',
  'mid-error,2 mid-error,2,array mid-error,2,content',
  'no-usage zero-usage double-usage odd-usage odd-usage,no-input odd-usage,no-output',
  'tool-call no-call-ids+tool-call no-arguments+tool-call partial-args+tool-call',
  'empty-choices no-role',
  'refusal content-filter content-filter,prompt content-filter,cyber blocked,SAFETY',
  'finish,something_new model,another-model second-start two-finishes',
  'cached,1+reasoning,9 cache-write,1 thinking redacted-thinking search,2',
].join(' ')

/** Returns a request for each behaviour. Twenty characters are two pieces, so that a stream is short. */
export const behavioursOf = ({ behaving = {}, behaviours }: Emulated): Asked[] =>
  [...AT_EVERY_PROVIDER.split(' '), ...(behaviours?.split(' ') ?? [])].map((names) => [
    names,
    behaving,
    { behave: `chars,20+${names}` },
  ])

/** Behaviours of time and of the connection (emulator-behaviours.test.ts), of size, and of readings (emulator-reader.test.ts). */
export const NOT_IN_THE_TRANSCRIPT: readonly string[] =
  'slow until-released slow-body silent pause never cut split huge big stream wrong-enum answer vary obey redirect'.split(
    ' ',
  )

/** Text of so many tokens. */
const tokens = (count: number, letter = 'a'): string => letter.repeat(count * 4)
const FIVE_MINUTES = { type: 'ephemeral' }
const HOUR = { type: 'ephemeral', ttl: '1h' }
const block = (text: string, mark?: Json): Json => ({ type: 'text', text, ...(mark && { cache_control: mark }) })
const asking = (...content: Json[]): Json => ({ role: 'user', content })

const marked = { system: [block(tokens(1200), FIVE_MINUTES)], messages: [asking(block(tokens(10)))] }
const conversation = { messages: [asking(block(tokens(1200), FIVE_MINUTES))] }
const grown = [
  asking(block(tokens(1200))),
  { role: 'assistant', content: [block(tokens(30, 'b'))] },
  asking(block(tokens(50, 'c'))),
]

/** Prompts that Anthropic is asked to keep. A title that begins with `reset: ` begins anew. */
export const CACHED: readonly Asked[] = [
  ['written at first', marked],
  ['read when it comes again', { ...marked, messages: [asking(block(tokens(20, 'b')))] }],
  ['read when it comes again, streamed', marked, { streamed: true }],
  ['another key', marked, { key: 'emulator-other' }],
  ['another model', { ...marked, model: 'claude-sonnet-5' }],
  ['another tool before it', { ...marked, tools: [{ name: 'look', input_schema: { type: 'object' } }] }],
  ['another text in it', { ...marked, system: [block(tokens(1200, 'b'), FIVE_MINUTES)] }],
  ['reset: from before a reset', marked],
  ['reset: for an hour', { system: [block(tokens(1200), HOUR), block(tokens(100, 'b'), FIVE_MINUTES)] }],
  ['reset: a conversation', conversation],
  ['the conversation grown', { messages: grown, cache_control: FIVE_MINUTES }],
  ['reset: unmarked', { system: tokens(1200) }],
  ['too short', { system: [block(tokens(1023), FIVE_MINUTES)] }],
]
