// Thoughts of the emulated models: the blocks and signatures that an answer carries, whole and streamed, and how strictly
// they are looked at when a tool loop brings them back.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmulator } from '../../scripts/emulator/server.ts'
import type { Emulator } from '../../scripts/emulator/server.ts'
import { at, createClient, textAt } from './emulator-client.ts'
import type { Body, Dialect } from './emulator-client.ts'
import { readAs } from './emulator-reading.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())
const { json, events } = createClient(() => emulator.url)

const blocksOf = (answer: unknown): Body[] => at(answer, 'content') as Body[]

describe('anthropic', () => {
  const question = { role: 'user', content: 'Please look.' }
  const opus = {
    model: 'claude-opus-5',
    max_tokens: 4000,
    messages: [question],
    tools: [{ name: 'look', input_schema: { type: 'object' } }],
  }
  const shown = { thinking: { type: 'adaptive', display: 'summarized' } }
  const loop = (content: unknown, id: unknown): Body => ({
    ...opus,
    messages: [
      { ...question },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'seen' }] },
    ],
  })
  /** The blocks of a call after so many thoughts, and the request that goes on with other blocks in their place. */
  const called = async (behave: string, more: Body = {}) => {
    const blocks = blocksOf(await json('anthropic', { ...opus, ...more }, { behave: `${behave}+tool-call` }))
    const id = blocks.at(-1)?.['id']
    return { blocks, goOn: (changed: unknown[]) => readAs('anthropic', { ...loop(changed, id), ...more }) }
  }

  it('thinks before a text and before a call, with the text of it hidden unless it is asked for', async () => {
    const hidden = blocksOf(await json('anthropic', { ...opus, tools: [] }, { behave: 'thinking' }))
    expect(hidden).toMatchObject([{ type: 'thinking', thinking: '' }, { type: 'text' }])
    const { blocks } = await called('thinking,2', shown)
    expect(blocks).toMatchObject([
      { type: 'thinking', thinking: expect.stringContaining('thought 1') as string },
      { type: 'thinking', thinking: expect.stringContaining('thought 2') as string },
      { type: 'tool_use' },
    ])
  })

  it('counts thoughts as output, and tells them apart', async () => {
    const usage = at(await json('anthropic', { ...opus, tools: [] }, { behave: 'thinking,2' }), 'usage')
    expect(usage).toMatchObject({ output_tokens: 21 + 32, output_tokens_details: { thinking_tokens: 32 } })
  })

  it('streams a thought in pieces and its signature last, and a redacted one whole', async () => {
    const items = await events('anthropic', { ...opus, ...shown }, { behave: 'thinking+tool-call' })
    const thought = items.filter((item) => at(item, 'index') === 0)
    expect(thought[0]).toMatchObject({ content_block: { type: 'thinking', thinking: '', signature: '' } })
    expect(thought.map((item) => textAt(item, 'delta.thinking')).join('')).toContain('This is thought 1.')
    expect(thought.at(-2)).toMatchObject({
      delta: { type: 'signature_delta', signature: expect.any(String) as string },
    })
    expect(items.find((item) => at(item, 'index') === 1)).toMatchObject({ content_block: { type: 'tool_use' } })
    const redacted = await events('anthropic', opus, { behave: 'redacted-thinking' })
    const whole = redacted.filter((item) => at(item, 'index') === 0)
    expect(whole).toHaveLength(2)
    expect(whole[0]).toMatchObject({ content_block: { type: 'redacted_thinking', data: expect.any(String) as string } })
  })

  it.each<[string, Body]>([
    ['a model told not to', { model: 'claude-sonnet-5', thinking: { type: 'disabled' } }],
    ['Haiku 4.5 unasked', { model: 'claude-haiku-4-5' }],
  ])('has no thoughts from %s', async (_case, more) => {
    const blocks = blocksOf(await json('anthropic', { ...opus, ...more }, { behave: 'thinking' }))
    expect(blocks).toMatchObject([{ type: 'tool_use' }])
  })

  it.each(['thinking', 'thinking,3', 'redacted-thinking,2'])('takes back what it gave: %s', async (behave) => {
    const { blocks, goOn } = await called(behave, shown)
    expect(goOn(blocks)).toMatchObject({ message: '', taken: true })
  })

  it('refuses a changed signature, a changed thought and invented data, by the place', async () => {
    const { blocks, goOn } = await called('thinking', shown)
    const [thought, call] = blocks
    for (const changed of [{ signature: 'c2lnbmVk' }, { signature: '' }, { thinking: 'Something else.' }]) {
      const { status, message } = goOn([{ ...thought, ...changed }, call])
      expect(status).toBe(400)
      expect(message).toMatch(/^messages\.1\.content\.0: the `signature` /)
    }
    expect(goOn([{ type: 'redacted_thinking', data: 'eA==' }, call]).message).toMatch(
      /^messages\.1\.content\.0: the `data` /,
    )
  })

  it('refuses thoughts that are out of their order, behind the call, or not all there', async () => {
    const { blocks, goOn } = await called('thinking,2', shown)
    const [first, second, call] = blocks
    for (const changed of [
      [second, first, call],
      [first, call],
      [second, call],
      [first, call, second],
    ]) {
      expect(goOn(changed).message).toMatch(/^messages\.1\.content: /)
    }
  })

  it('goes on without its thoughts, unless it thinks by a budget', async () => {
    const { blocks, goOn } = await called('thinking')
    expect(goOn(blocks.slice(1)).taken).toBe(true)
    const haiku = { model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 1024 } }
    const budgeted = await called('thinking', haiku)
    expect(budgeted.goOn(budgeted.blocks)).toMatchObject({ message: '', taken: true })
    expect(budgeted.goOn(budgeted.blocks.slice(1)).message).toMatch(/^messages\.1\.content\.0\.type: /)
  })

  it('looks at no thoughts where it is told not to think', async () => {
    const { blocks, goOn } = await called('thinking')
    expect(goOn(blocks).taken).toBe(true)
    const off = { ...loop([{ type: 'thinking', thinking: '', signature: 'x' }, blocks[1]], blocks[1]?.['id']) }
    expect(readAs('anthropic', { ...off, thinking: { type: 'disabled' } }).taken).toBe(true)
  })
})

describe('google', () => {
  const asked = { role: 'user', parts: [{ text: 'Please look.' }] }
  const tools = [{ functionDeclarations: [{ name: 'look' }, { name: 'leap' }] }]
  const includeThoughts = { generationConfig: { thinkingConfig: { includeThoughts: true } } }
  const goOn = (thoughtSignature: unknown, name = 'look', model?: string) =>
    readAs(
      'google',
      {
        contents: [
          asked,
          { role: 'model', parts: [{ functionCall: { name, args: {} }, thoughtSignature }] },
          { role: 'user', parts: [{ functionResponse: { name, response: {} } }] },
        ],
        tools,
      },
      model,
    )

  it('signs the first call of a step, and the last part of a text after thinking', async () => {
    const calls = await json('google', { contents: [asked], tools }, { behave: 'tool-call,2' })
    expect(at(calls, 'candidates.0.content.parts.0.thoughtSignature')).toEqual(expect.any(String))
    expect(at(calls, 'candidates.0.content.parts.1.thoughtSignature')).toBeUndefined()
    const whole = await json('google', includeThoughts, { behave: 'thinking' })
    expect(at(whole, 'candidates.0.content.parts')).toMatchObject([
      { thought: true, text: expect.stringContaining('thought 1') as string },
      { thoughtSignature: expect.any(String) as string },
    ])
    const streamed = await events('google', includeThoughts, { behave: 'thinking' })
    expect(at(streamed[0], 'candidates.0.content.parts.0')).toMatchObject({ thought: true })
    expect(at(streamed.at(-1), 'candidates.0.content.parts.0')).toMatchObject({
      text: '',
      thoughtSignature: at(whole, 'candidates.0.content.parts.1.thoughtSignature'),
    })
  })

  it('hides its thoughts unless they are asked for', async () => {
    const answer = await json('google', {}, { behave: 'thinking' })
    expect(at(answer, 'candidates.0.content.parts')).toHaveLength(1)
    expect(at(answer, 'usageMetadata.thoughtsTokenCount')).toBe(16)
  })

  it('takes back the signature that it gave and the documented stand-ins, and refuses any other', async () => {
    const answer = await json('google', { contents: [asked], tools }, { behave: 'tool-call' })
    const signature = at(answer, 'candidates.0.content.parts.0.thoughtSignature')
    expect(goOn(signature)).toMatchObject({ message: '', taken: true })
    expect(goOn('skip_thought_signature_validator').taken).toBe(true)
    for (const [given, name] of [
      ['ZW11bGF0b3I=', 'look'],
      ['%', 'look'],
      [signature, 'leap'],
    ] as const) {
      expect(goOn(given, name)).toMatchObject({ status: 400, message: expect.stringContaining('signature') as string })
    }
    expect(goOn('ZW11bGF0b3I=', 'look', 'gemini-2.5-flash').status).toBe(400)
    expect(goOn(undefined, 'look', 'gemini-2.5-flash').taken).toBe(true)
  })
})

it.each<[Dialect]>([['openai'], ['sonar']])('%s: shows no thoughts', async (dialect) => {
  expect(await json(dialect, {}, { behave: 'thinking' })).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
})

it('agent: signs a call after thinking, and takes back only that signature', async () => {
  const tools = [{ type: 'function', name: 'look' }]
  const answer = await json('agent', { tools }, { behave: 'thinking+tool-call' })
  const signature = at(answer, 'output.0.thought_signature')
  const goOn = (thought_signature: unknown) =>
    readAs('agent', {
      input: [
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}', thought_signature },
        { type: 'function_call_output', call_id: 'c1', output: 'seen' },
      ],
    })
  expect(goOn(signature)).toMatchObject({ message: '', taken: true })
  expect(goOn('ZW11bGF0b3I=').message).toMatch(/^input\.0\.thought_signature: /)
})
