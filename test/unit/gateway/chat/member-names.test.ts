// A provider's refusal names what the caller has sent, in the form it was sent in.
import { expect, it } from 'vitest'
import { accepted, look, messages, mini } from './reading.ts'

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
  expect(accepted(body).form.memberName(chatPath)).toBe(name)
})
