// docs/openai-compatibility.md says what is true: each test it names exists, and each row of its first table is what
// the code does for every model of every provider.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { AssistantSchema } from '../../src/gateway/chat/chat-message.schema.ts'
import { readChatRequest } from '../../src/gateway/chat/read-chat-request.ts'
import { ChatRequestSchema } from '../../src/gateway/chat/chat-request.schema.ts'
import { tableIn } from '../../scripts/clients/compatibility-table.ts'
import { AppError } from '../../src/platform/errors.ts'
import { PROVIDER_IDS } from '../../src/providers/provider-registry.ts'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { PRICED_AT } from '../fixtures/providers/models.ts'

const page = readFileSync('docs/openai-compatibility.md', 'utf8')
/** The clients' table is held to what they do by clients-node.test.ts. */
const rows = page
  .replace(tableIn(page), '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (---|Field|Feature|Situation)/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| *| *\|$/g, '').trim()))
const fields = rows.slice(
  0,
  rows.findIndex(([first]) => first === 'events keep their bytes'),
)

const testFiles = new Map(
  ['test/e2e', 'test/unit'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => [name.slice(name.lastIndexOf('/') + 1), join(folder, name)] as const),
  ),
)

const user = { role: 'user', content: 'Hello' }
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }
const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }
const answered = (toolCall: object, more: object = {}) => ({
  messages: [
    user,
    { role: 'assistant', tool_calls: [toolCall] },
    { role: 'tool', tool_call_id: 'c', content: 'x', ...more },
  ],
})
const sentBack = (more: object) => ({ messages: [user, { role: 'assistant', content: 'a', ...more }, user] })
const choice = { type: 'function', function: { name: 'look' } }
const parts = (part: object) => ({ messages: [{ role: 'user', content: [part] }] })
const image = (more: object) => parts({ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', ...more } })
const document = (file: object) => parts({ type: 'file', file })

/** For each row, requests that use what it is about. A row holds where all of them do. */
const SAMPLES: Record<string, readonly object[]> = {
  '`model`': [{}],
  '`messages`: system and developer': [
    { messages: [{ role: 'system', content: 'a' }, { role: 'developer', content: 'b' }, user] },
  ],
  '`messages`: several turns': [{ messages: [user, { role: 'assistant', content: 'a' }, user] }],
  '`messages`: the assistant first': [{ messages: [{ role: 'assistant', content: 'a' }, user] }],
  '`messages`: the assistant last': [{ messages: [user, { role: 'assistant', content: 'a' }] }],
  '`messages[].name`': [{ messages: [{ ...user, name: 'n' }] }],
  '`messages[].tool_calls`, role `tool`': [answered(call)],
  '`messages[].tool_calls[].extra_content`': [
    answered({ ...call, extra_content: { google: { thought_signature: 's' } } }),
  ],
  'image as data': [image({})],
  'image by https address': [image({ url: 'https://a.test/b.png' })],
  '`image_url.detail` auto and high': [image({ detail: 'auto' }), image({ detail: 'high' })],
  '`image_url.detail` low': [image({ detail: 'low' })],
  '`messages[].extra_content`': [
    sentBack({ extra_content: { google: { thought_signature: 's' } } }),
    sentBack({ extra_content: { anthropic: { thinking_blocks: [{ type: 'redacted_thinking', data: 'd' }] } } }),
  ],
  'an assistant message as it came, `name` of a tool’s message': [
    sentBack({ parsed: null, index: 0, reasoning_content: 'r', annotations: [], provider_specific_fields: {} }),
    answered(call, { name: 'look' }),
  ],
  '`cache_control`': [
    parts({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }),
    answered({ ...call, cache_control: { type: 'ephemeral' } }),
  ],
  'file parts': [document({ file_data: 'data:application/pdf;base64,aGk=', filename: 'a.pdf' })],
  'files by `file_id`': [document({ file_id: 'file-1' })],
  'audio parts': [parts({ type: 'input_audio', input_audio: {} })],
  'pictures and files in tool results': [
    answered(call, { content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] }),
  ],
  '`temperature` up to 1': [{ temperature: 0.5 }],
  '`temperature` beside tools': [{ temperature: 0.5, tools: [tool] }],
  '`temperature` above 1': [{ temperature: 1.5 }],
  '`top_p`': [{ top_p: 0.5 }],
  '`temperature` with `top_p`': [{ temperature: 0.5, top_p: 0.5 }],
  '`max_tokens`': [{ max_tokens: 5 }],
  '`max_completion_tokens`': [{ max_completion_tokens: 5 }],
  '`stream`': [{ stream: true }],
  '`stream_options.include_usage`': [{ stream: true, stream_options: { include_usage: true } }],
  '`stream_options.include_obfuscation` false': [{ stream: true, stream_options: { include_obfuscation: false } }],
  '`stream_options.include_obfuscation` true': [{ stream: true, stream_options: { include_obfuscation: true } }],
  '`stop`': [{ stop: 'END' }, { stop: ['END'] }],
  '`n` above 1': [{ n: 2 }],
  '`seed`': [{ seed: 1 }],
  '`user`, `safety_identifier`': [{ user: 'u' }, { safety_identifier: 's' }],
  '`tools`': [{ tools: [tool] }],
  '`tools[].function.strict`': [{ tools: [{ ...tool, function: { ...tool.function, strict: true } }] }],
  '`tool_choice`': [{ tools: [tool], tool_choice: 'required' }],
  '`tool_choice` `allowed_tools`': [
    { tools: [tool], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [choice] } } },
  ],
  '`parallel_tool_calls` false': [{ tools: [tool], parallel_tool_calls: false }],
  '`response_format` `json_schema`': [
    {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object', properties: {} } } },
    },
  ],
  '`response_format` `json_object`': [{ response_format: { type: 'json_object' } }],
  '`reasoning_effort`': [{ reasoning_effort: 'low' }],
  '`frequency_penalty`, `presence_penalty`': [{ frequency_penalty: 0.5 }, { presence_penalty: 0.5 }],
  '`logit_bias`': [{ logit_bias: { 1: 1 } }],
  '`logprobs`, `top_logprobs`': [{ logprobs: true, top_logprobs: 1 }],
  '`verbosity`': [{ verbosity: 'low' }],
  '`store` false': [{ store: false }],
  '`store` true': [{ store: true }],
  'values that change nothing': [{ metadata: {}, modalities: ['text'], service_tier: 'auto', n: 1, tools: [] }],
  '`functions`, `function_call`': [{ functions: [{ name: 'look' }], function_call: 'auto' }],
  '`web_search_options`': [{ web_search_options: {} }],
  '`metadata`': [{ metadata: { a: 'b' } }],
  '`prediction`, `audio`, `modalities` other than text': [{ prediction: {} }, { audio: {} }, { modalities: ['audio'] }],
  '`service_tier` other than auto and default': [{ service_tier: 'flex' }, { service_tier: 'priority' }],
  '`prompt_cache_key`': [{ prompt_cache_key: 'k' }],
  '`prompt_cache_retention`': [{ prompt_cache_retention: '24h' }],
  '`reasoning`, `thinking`, `moderation`': [
    { reasoning: { effort: 'low' } },
    { thinking: { type: 'enabled' } },
    { moderation: { model: 'm' } },
  ],
  'any other member': [{ invented: 1 }],
}

type Outcome = 'works' | 'left out' | 'refused'

function outcomeOf(model: string, sample: object): Outcome {
  const bytes = new TextEncoder().encode(JSON.stringify({ model, messages: [user], ...sample }))
  const found = readChatRequest(new Headers({ 'content-type': 'application/json' }), bytes, PRICED_AT)
  if (found instanceof AppError) return 'refused'
  return found.dropped.length > 0 ? 'left out' : 'works'
}

function cellOf(provider: string, samples: readonly object[]): string {
  const own = catalogueModels().filter((model) => model.gateway && model.provider === provider)
  const [outcome, ...others] = new Set(own.flatMap(({ id }) => samples.map((sample) => outcomeOf(id, sample))))
  if (others.length === 0) return outcome ?? 'no model'
  return outcome === 'works' || others.includes('works') ? 'some models' : 'refused'
}

describe('docs/openai-compatibility.md', () => {
  it.each(rows.map((row) => [row[0] ?? '', row.at(-1) ?? ''] as const))('%s names a test that exists', (_, cell) => {
    const [, file = '', title = ''] = /^`([\w.-]+)`: (.+)$/.exec(cell) ?? []
    const path = testFiles.get(file)
    expect(path, file).toBeDefined()
    expect(readFileSync(path ?? '', 'utf8').replaceAll(/\\'/g, "'")).toContain(`'${title}'`)
  })

  it.each(fields)('%s: %s, %s, %s, %s', (field, ...cells) => {
    const samples = SAMPLES[field] ?? []
    expect(samples.length, field).toBeGreaterThan(0)
    expect(cells.slice(0, PROVIDER_IDS.length)).toEqual(PROVIDER_IDS.map((provider) => cellOf(provider, samples)))
  })

  it('lists what of an assistant’s message is taken and ignored', () => {
    const silent = Object.entries(AssistantSchema().shape).flatMap(([name, member]) => {
      const inner = member instanceof z.ZodOptional ? member.unwrap() : member
      return inner instanceof z.ZodUnknown || inner instanceof z.ZodNull ? [name] : []
    })
    const list = /In the message: (.*)/.exec(page)?.[1] ?? ''
    expect(silent.filter((name) => !list.includes(`\`${name}\``))).toEqual([])
    expect(list.match(/`\w+`/g)).toHaveLength(silent.length)
  })

  it('has a row for every field that a request may have, and no row twice', () => {
    const used = new Set(
      Object.values(SAMPLES)
        .flat()
        .flatMap((sample) => Object.keys(sample)),
    )
    expect(Object.keys(ChatRequestSchema().shape).filter((name) => name !== 'model' && !used.has(name))).toEqual([])
    expect(new Set(fields.map(([first]) => first))).toEqual(new Set(Object.keys(SAMPLES)))
    expect(fields).toHaveLength(Object.keys(SAMPLES).length)
  })
})
