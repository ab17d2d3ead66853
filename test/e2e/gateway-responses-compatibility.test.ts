// The section “Responses” of docs/openai-compatibility.md: each row of its table is what the code does for every model.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { encodeReasoning } from '../../src/gateway/responses/output-items.ts'
import { readResponsesRequest } from '../../src/gateway/responses/read-responses-request.ts'
import { ResponsesRequestSchema } from '../../src/gateway/responses/responses-request.schema.ts'
import { AppError } from '../../src/platform/errors.ts'
import { PROVIDER_IDS } from '../../src/providers/provider-registry.ts'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { PRICED_AT } from '../fixtures/providers/models.ts'

const [, section = ''] = readFileSync('docs/openai-compatibility.md', 'utf8').split('\n## Responses\n')
const rows = section
  .split('\n')
  .filter((line) => /^\| (?!---|Field)/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| *| *\|$/g, '').trim()))

const user = { role: 'user', content: 'Hello' }
const tool = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }
const answered = (output: unknown) => ({
  input: [
    user,
    { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output },
  ],
})
const parts = (...content: object[]) => ({ input: [{ role: 'user', content }] })
const PNG = { type: 'input_image', image_url: 'data:image/png;base64,aGk=' }
const PDF = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' }
const reasoning = (sealed: string) => ({
  input: [
    user,
    { type: 'reasoning', summary: [], encrypted_content: sealed },
    { role: 'assistant', content: 'a' },
    user,
  ],
})

/** For each row, requests that use what it is about. A row holds where all of them do. */
const SAMPLES: Record<string, readonly object[]> = {
  '`input`: a text': [{}],
  '`input`: messages of all four roles': [
    {
      input: [
        { role: 'system', content: 'a' },
        { role: 'developer', content: 'b' },
        user,
        { role: 'assistant', content: 'c' },
        user,
      ],
    },
  ],
  '`input`: calls and their outputs': [answered('ok'), answered([{ type: 'input_text', text: 'ok' }])],
  '`input`: items of an answer, sent back': [
    {
      input: [
        user,
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'a', annotations: [], logprobs: [] }],
        },
        user,
      ],
    },
  ],
  '`input`: `reasoning` that was carried': [
    reasoning(encodeReasoning({ provider: 'google', signature: 's' })),
    reasoning(encodeReasoning({ provider: 'anthropic', thinking: [{ type: 'redacted_thinking', data: 'd' }] })),
  ],
  '`input`: `reasoning` from elsewhere': [reasoning('gAAAAB')],
  '`input`: `item_reference`, and items of other types': [
    { input: [user, { type: 'item_reference', id: 'msg_1' }] },
    { input: [user, { type: 'computer_call', call_id: 'c' }] },
  ],
  '`input_image` as data': [parts(PNG)],
  '`input_image` by https address': [parts({ ...PNG, image_url: 'https://a.test/b.png' })],
  '`input_image.detail` auto and high': [parts({ ...PNG, detail: 'auto' }), parts({ ...PNG, detail: 'high' })],
  '`input_image.detail` low': [parts({ ...PNG, detail: 'low' })],
  '`input_file` as data': [parts(PDF)],
  '`input_file` by https address': [parts({ type: 'input_file', file_url: 'https://a.test/b.pdf' })],
  '`input_image`, `input_file` as a tool’s output': [answered([PNG]), answered([PDF])],
  '`input_audio`, `file_id`': [parts({ type: 'input_audio' }), parts({ type: 'input_file', file_id: 'f' })],
  '`instructions`': [{ instructions: 'Be brief.' }],
  '`tools` of the type `function`': [{ tools: [tool] }],
  '`tools[].strict`': [{ tools: [{ ...tool, strict: true }] }],
  '`tools` of the type `web_search`': [{ tools: [{ type: 'web_search' }] }],
  '`tools` of other types': [{ tools: [{ type: 'file_search' }] }, { tools: [{ type: 'mcp' }] }],
  '`tool_choice`': [{ tools: [tool], tool_choice: 'required' }],
  '`tool_choice` of `allowed_tools`': [
    {
      tools: [tool],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] },
    },
  ],
  '`parallel_tool_calls` false': [{ tools: [tool], parallel_tool_calls: false }],
  '`text.format` `json_schema`': [
    { text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object', properties: {} } } } },
  ],
  '`text.format` `json_object`': [{ text: { format: { type: 'json_object' } } }],
  '`text.verbosity`': [{ text: { verbosity: 'low' } }],
  '`reasoning.effort`': [{ reasoning: { effort: 'low' } }],
  '`reasoning.summary`': [{ reasoning: { summary: 'auto' } }, { reasoning: { generate_summary: 'detailed' } }],
  '`temperature`, `top_p`': [{ temperature: 0.5 }, { top_p: 0.5 }],
  '`max_output_tokens`': [{ max_output_tokens: 5 }],
  '`stream`': [{ stream: true, stream_options: { include_obfuscation: false } }],
  '`user`, `safety_identifier`': [{ user: 'u' }, { safety_identifier: 's' }],
  '`include` of `reasoning.encrypted_content`': [{ include: ['reasoning.encrypted_content'] }],
  '`include` of `message.output_text.logprobs`, `top_logprobs`': [
    { include: ['message.output_text.logprobs'] },
    { top_logprobs: 1 },
  ],
  '`store` false, `background` false, `truncation` `disabled`': [
    { store: false },
    { background: false },
    { truncation: 'disabled' },
  ],
  '`prompt_cache_options` `implicit`, or of a comparison': [
    { prompt_cache_options: { mode: 'implicit', ttl: '30m' } },
    { prompt_cache_options: { comparison_response_id: 'resp_1' } },
  ],
  '`metadata`, `service_tier` `auto`, `max_tool_calls`': [
    { metadata: { a: 'b' } },
    { service_tier: 'auto' },
    { max_tool_calls: 1 },
  ],
  '`client_metadata`': [{ client_metadata: { installation: 'a' } }],
  '`store` true, `background` true, `truncation` `auto`': [
    { store: true },
    { background: true },
    { truncation: 'auto' },
  ],
  '`previous_response_id`, `conversation`, `prompt`': [
    { previous_response_id: 'r' },
    { conversation: 'c' },
    { prompt: { id: 'p' } },
  ],
  '`prompt_cache_key` in a Responses request': [{ prompt_cache_key: 'k' }],
  'any other member of a Responses request': [{ invented: 1 }],
}

type Outcome = 'works' | 'left out' | 'refused'

function outcomeOf(model: string, sample: object): Outcome {
  const bytes = new TextEncoder().encode(JSON.stringify({ model, input: 'Hello', ...sample }))
  const found = readResponsesRequest(new Headers({ 'content-type': 'application/json' }), bytes, PRICED_AT)
  if (found instanceof AppError) return 'refused'
  return found.dropped.length > 0 ? 'left out' : 'works'
}

function cellOf(provider: string, samples: readonly object[]): string {
  const own = catalogueModels().filter((model) => model.gateway && model.provider === provider)
  const [outcome, ...others] = new Set(own.flatMap(({ id }) => samples.map((sample) => outcomeOf(id, sample))))
  if (others.length === 0) return outcome ?? 'no model'
  return outcome === 'works' || others.includes('works') ? 'some models' : 'refused'
}

describe('the section “Responses”', () => {
  it.each(rows)('%s: %s, %s, %s, %s', (field, ...cells) => {
    const samples = SAMPLES[field] ?? []
    expect(samples.length, field).toBeGreaterThan(0)
    expect(cells.slice(0, PROVIDER_IDS.length)).toEqual(PROVIDER_IDS.map((provider) => cellOf(provider, samples)))
  })

  it('has a row for every member that a request may have, and no row twice', () => {
    const used = new Set(Object.values(SAMPLES).flatMap((samples) => samples.flatMap((sample) => Object.keys(sample))))
    expect(Object.keys(ResponsesRequestSchema().shape).filter((name) => name !== 'model' && !used.has(name))).toEqual(
      [],
    )
    expect(new Set(rows.map(([first]) => first))).toEqual(new Set(Object.keys(SAMPLES)))
    expect(rows).toHaveLength(Object.keys(SAMPLES).length)
  })
})
