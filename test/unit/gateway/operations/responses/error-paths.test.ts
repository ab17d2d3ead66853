// Tests that members have the caller's names, although the shared code and the providers use chat names. This holds long after
// the request was read, too.
import { expect, it } from 'vitest'
import { encodeReasoning } from '../../../../../src/gateway/operations/responses/item-writers.ts'
import { accepted, call, look, output, user } from './reading.ts'

const reasoning = {
  type: 'reasoning',
  summary: [],
  encrypted_content: encodeReasoning({ provider: 'google', signature: 's' }),
}
const said = (...texts: string[]) => ({
  role: 'assistant',
  content: texts.map((text) => ({ type: 'output_text', text })),
})
const image = { type: 'input_image', image_url: 'https://a.test/b.png' }
const file = { type: 'input_file', file_url: 'https://a.test/b.pdf' }

/** Items 1 to 5 are one message of the assistant, the others one each; item 7 is dropped. */
const { format } = accepted({
  instructions: 'Be brief.',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'a' }, image] },
    reasoning,
    said('b', 'c'),
    call('1'),
    { ...said(), content: 'd' },
    call('2'),
    output('1', [{ type: 'input_text', text: 'e' }]),
    reasoning,
    output('2'),
    user,
  ],
  tools: [look, { ...look, name: 'hear' }, { ...look, name: 'see' }],
  tool_choice: {
    type: 'allowed_tools',
    mode: 'auto',
    tools: [
      { type: 'function', name: 'hear' },
      { type: 'function', name: 'see' },
    ],
  },
})

it.each([
  ['messages', 'input'],
  ['messages[0]', 'instructions'],
  ['messages[0].content', 'instructions'],
  ['messages[1].content', 'input[0].content'],
  ['messages[1].content[1].image_url', 'input[0].content[1].image_url'],
  ['messages[1].content[1].image_url.url', 'input[0].content[1].image_url'],
  ['messages[1].content[1].image_url.detail', 'input[0].content[1].detail'],
  ['messages[1].content[1].file', 'input[0].content[1]'],
  ['messages[1].content[1].file.file_data', 'input[0].content[1].file_data'],
  ['messages[2]', 'input[2]'],
  ['messages[2].content[1].text', 'input[2].content[1].text'],
  ['messages[2].content[2]', 'input[4].content'],
  ['messages[2].content[3]', 'input'],
  ['messages[2].tool_calls[0].function.arguments', 'input[3].arguments'],
  ['messages[2].tool_calls[1].function.name', 'input[5].name'],
  ['messages[2].tool_calls[1].id', 'input[5].call_id'],
  ['messages[2].tool_calls[2]', 'input'],
  ['messages[3].content[0]', 'input[6].output[0]'],
  ['messages[3].tool_call_id', 'input[6].call_id'],
  ['messages[4].content', 'input[8].output'],
  ['messages[5].role', 'input[9].role'],
  ['messages[6]', 'input'],
  ['tools', 'tools'],
  ['tools[0].function.parameters', 'tools[1].parameters'],
  ['tools[1]', 'tools[2]'],
  ['tool_choice', 'tool_choice'],
  ['response_format', 'text.format'],
  ['response_format.json_schema.schema', 'text.format.schema'],
  ['reasoning_effort', 'reasoning.effort'],
  ['verbosity', 'text.verbosity'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['web_search_options', 'tools'],
  ['temperature', 'temperature'],
  ['parallel_tool_calls', 'parallel_tool_calls'],
])('%s is %s', (chatPath, name) => {
  expect(format.memberName(chatPath)).toBe(name)
})

it('the user has the name that was sent', () => {
  const named = [{ user: 'u' }, { safety_identifier: 's', user: 'u' }].map((body) =>
    accepted(body).format.memberName('user'),
  )
  expect(named).toEqual(['user', 'safety_identifier'])
})

it('a text for the whole input is the input', () => {
  const { format: ofText } = accepted({ instructions: 'Be brief.' })
  expect(['messages[0]', 'messages[1].content[0]'].map((path) => ofText.memberName(path))).toEqual([
    'instructions',
    'input',
  ])
})

it('a file has the name of what was sent of it, and a call that begins a conversation that of its item', () => {
  const data = { type: 'input_file', file_data: 'data:application/pdf;base64,aGk=' }
  const input = [{ role: 'user', content: [file, data, file] }, call('1'), output('1', [data, file])]
  const found = accepted({ input }, 'claude-haiku-4-5').format
  const named = ['messages[0].content[0]', 'messages[0].content[1]', 'messages[0].content[2]', 'messages[2].content[1]']
  expect(named.map((path) => found.memberName(`${path}.file.file_data`))).toEqual([
    'input[0].content[0].file_url',
    'input[0].content[1].file_data',
    'input[0].content[2].file_url',
    'input[2].output[1].file_url',
  ])
  expect(found.memberName('messages[1].role')).toBe('input[1]')
})
