// Tests what a refusal of a Responses request says to do instead.
import { describe, expect, it } from 'vitest'
import { refusal, user } from './reading.ts'

describe('a refusal', () => {
  it.each([
    ['messages', 'input'],
    ['max_tokens', 'max_output_tokens'],
    ['response_format', 'text.format'],
    ['reasoning_effort', 'reasoning.effort'],
    ['verbosity', 'text.verbosity'],
    ['functions', 'tools'],
  ])('of %s, a name of chat completions, says that it is %s here', (name, here) => {
    expect(refusal({ [name]: 'x' }).message).toBe(`${name}: A name of chat completions: send ${here}.`)
  })

  it.each([
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['the chat’s messages', { messages: [user] }, 'messages'],
  ])('is about %s and not about the input that it stands in the place of', (_, body, param) => {
    expect(refusal({ input: null, ...body }).param).toBe(param)
  })

  it.each([
    [
      'a search of what is kept',
      { type: 'web_search', external_web_access: false },
      'leave the tool out, or send true',
    ],
    ['pages to keep to', { type: 'web_search', filters: { allowed_domains: ['a.test'] } }, 'leave it out'],
    ['a tool that writes free text', { type: 'custom', name: 'look' }, 'as a tool of the type function'],
  ])('of %s says what to send', (_, tool, words) => {
    expect(refusal({ tools: [tool] }).message).toContain(words)
  })
})
