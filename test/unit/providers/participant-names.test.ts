import { describe, expect, it } from 'vitest'
import { writeNames } from '../../../src/providers/adapt-request.policy.ts'
import type { Message } from '../../../src/providers/chat-request.ts'
import { encode, pngOf, textOf } from './encoding.ts'

const user = (name?: string): Message => ({ role: 'user', content: [textOf('Hello')], name })
const assistant = (name?: string): Message => ({ role: 'assistant', content: [textOf('Hi')], name })
const said = (messages: readonly Message[]) =>
  messages.map(({ content: [part] }) => (part?.type === 'text' ? part.text : null))

describe('who speaks', () => {
  it('stands before the text of users and of instructions', () => {
    const system: Message = { role: 'system', content: [textOf('Be kind')], name: 'example_user' }
    expect(said(writeNames([system, user('Ann'), user()]))).toEqual(['example_user: Be kind', 'Ann: Hello', 'Hello'])
  })

  it('is not written into what the model said, unless several assistants take part', () => {
    expect(said(writeNames([user('Ann'), assistant('bot'), assistant('bot'), assistant()]))).toEqual([
      'Ann: Hello',
      'Hi',
      'Hi',
      'Hi',
    ])
    expect(said(writeNames([assistant('planner'), assistant('critic'), assistant()]))).toEqual([
      'planner: Hi',
      'critic: Hi',
      'Hi',
    ])
  })

  it('stands before a picture that comes without a text, and before the first of several texts', () => {
    const picture: Message = { role: 'user', content: [pngOf()], name: 'Ann' }
    const both: Message = { role: 'user', content: [pngOf(), textOf('See'), textOf('it?')], name: 'Ann' }
    expect(writeNames([picture])[0]?.content).toEqual([textOf('Ann:'), pngOf()])
    expect(writeNames([both])[0]?.content).toEqual([pngOf(), textOf('Ann: See'), textOf('it?')])
  })

  it('is a member at OpenAI, and in the text of every other provider', () => {
    expect(encode({ messages: [user('Ann')] }, 'gpt-4.1-mini').body).toMatchObject({
      messages: [{ name: 'Ann', content: 'Hello' }],
    })
    for (const model of ['claude-opus-5', 'gemini-3.8-flash', 'sonar']) {
      expect(JSON.stringify(encode({ messages: [user('Ann')] }, model).body)).toContain('"Ann: Hello"')
    }
  })
})
