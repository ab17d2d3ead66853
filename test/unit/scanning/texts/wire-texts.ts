// Every member of both wire formats in which text can stand: where the list of places has it, or why nothing reads it. And bodies
// that have a text in each.
import * as z from 'zod'
import { encodeReasoning } from '../../../../src/gateway/operations/responses/item-writers.ts'
import { isJsonObject } from '../../../../src/platform/json.ts'
import type { TextPlace } from '../../../../src/scanning/texts/request-texts.ts'
import { plantedTools, schemaWith, toolTexts } from './tool-texts.ts'

/** By path; `(user)` is the role or the type of what has the member, `.*` any member. */
export const CHAT_TEXTS: Readonly<Record<string, readonly TextPlace[]>> = {
  'messages[](*).content': ['message_text'],
  'messages[](*).content[](text).text': ['message_text'],
  'messages[](assistant).content[](refusal).refusal': ['message_text'],
  'messages[](assistant).refusal': ['message_text'],
  'messages[](system).name': ['participant_name'],
  'messages[](developer).name': ['participant_name'],
  'messages[](user).name': ['participant_name'],
  'messages[](assistant).name': ['participant_name'],
  'messages[](*).content[](image_url).image_url.url': ['image_address'],
  'messages[](*).content[](file).file.file_data': ['file_text', 'file_address'],
  'messages[](*).content[](file).file.filename': ['file_name'],
  'messages[](assistant).tool_calls[](function).id': ['call_id'],
  'messages[](tool).tool_call_id': ['call_id'],
  'messages[](assistant).tool_calls[](function).function.name': ['call_name'],
  'messages[](assistant).function_call.name': ['call_name'],
  'messages[](assistant).tool_calls[](function).function.arguments': ['call_arguments'],
  'messages[](assistant).function_call.arguments': ['call_arguments'],
  'messages[](assistant).thinking_blocks[](thinking).thinking': ['thought'],
  'messages[](assistant).extra_content.anthropic.thinking_blocks[](thinking).thinking': ['thought'],
  'messages[](assistant).provider_specific_fields.extra_content.anthropic.thinking_blocks[](thinking).thinking': [
    'thought',
  ],
  'messages[](assistant).content[](*).extra_content.anthropic.thinking_blocks[](thinking).thinking': ['thought'],
  'messages[](assistant).content[](*).provider_specific_fields.extra_content.anthropic.thinking_blocks[](thinking).thinking':
    ['thought'],
  stop: ['stop_sequence'],
  'stop[]': ['stop_sequence'],
  user: ['user'],
  safety_identifier: ['user'],
  'tools[](function).function.name': ['tool_name'],
  'tools[](function).function.description': ['tool_description'],
  'tools[](function).function.parameters.*': ['tool_schema'],
  'functions[].name': ['tool_name'],
  'functions[].description': ['tool_description'],
  'functions[].parameters.*': ['tool_schema'],
  'response_format(json_schema).json_schema.name': ['format_name'],
  'response_format(json_schema).json_schema.description': ['format_description'],
  'response_format(json_schema).json_schema.schema.*': ['format_schema'],
  'web_search_options.user_location(approximate).approximate.country': ['search_place'],
  'web_search_options.user_location(approximate).approximate.city': ['search_place'],
  'web_search_options.user_location(approximate).approximate.region': ['search_place'],
  'web_search_options.user_location(approximate).approximate.timezone': ['search_place'],
}

export const RESPONSES_TEXTS: typeof CHAT_TEXTS = {
  input: ['message_text'],
  instructions: ['message_text'],
  'input[](*).content': ['message_text'],
  'input[](*).content[](*).text': ['message_text'],
  'input[](assistant).content[](refusal).refusal': ['message_text'],
  'input[](*).content[](input_image).image_url': ['image_address'],
  'input[](*).content[](input_file).file_data': ['file_text', 'file_address'],
  'input[](*).content[](input_file).file_url': ['file_address'],
  'input[](*).content[](input_file).filename': ['file_name'],
  'input[](*).call_id': ['call_id'],
  'input[](function_call).name': ['call_name'],
  'input[](function_call).namespace': ['call_name'],
  'input[](function_call).arguments': ['call_arguments'],
  'input[](custom_tool_call).name': ['call_name'],
  'input[](custom_tool_call).namespace': ['call_name'],
  'input[](custom_tool_call).input': ['call_arguments'],
  'input[](*).output': ['message_text'],
  'input[](*).output[](input_text).text': ['message_text'],
  'input[](*).output[](input_image).image_url': ['image_address'],
  'input[](*).output[](input_file).file_data': ['file_text', 'file_address'],
  'input[](*).output[](input_file).file_url': ['file_address'],
  'input[](*).output[](input_file).filename': ['file_name'],
  'input[](reasoning).encrypted_content': ['thought'],
  user: ['user'],
  safety_identifier: ['user'],
  'text.format(json_schema).name': ['format_name'],
  'text.format(json_schema).description': ['format_description'],
  'text.format(json_schema).schema.*': ['format_schema'],
  ...toolTexts('tools[]'),
  ...toolTexts('input[](developer).tools[]'),
}

const NEVER_SENT = 'It is taken and never sent on.'
const OPAQUE = 'A provider sealed it, checks it and refuses anything else. It is no text.'

/** Why nothing reads the members whose paths match. */
export const EXCEPTIONS: readonly { readonly paths: RegExp; readonly because: string }[] = [
  { paths: /^model$|^models\[\]$/, because: 'It is an id of the catalogue, or the request is refused.' },
  { paths: /\.(?:signature|thought_signature|data)$/, because: OPAQUE },
  { paths: /\.(?:parsed|parsed_arguments|index|annotations|logprobs)(?:\[\])?$/, because: NEVER_SENT },
  { paths: /\.reasoning(?:_content|_details|_text|_opaque)?$/, because: NEVER_SENT },
  { paths: /\.content\[\]\((?:text|refusal)\)\.(?:role|tool_calls|function_call)$/, because: NEVER_SENT },
  { paths: /\.provider_specific_fields(?:\.\*)?$/, because: NEVER_SENT },
  { paths: /\.image_url\.format$/, because: NEVER_SENT },
  { paths: /\.function\.(?:requires_confirmation|external_execution|approval_type)$/, because: NEVER_SENT },
  { paths: /^messages\[\]\(tool\)\.name$/, because: NEVER_SENT },
  { paths: /^messages\[\]\(function\)\.name$/, because: 'It finds the call that it answers, whose name is read.' },
  {
    paths: /^(?:tool_choice(?:\(.*\))?\..*|function_call)\.?name$/,
    because: 'It is the name of a tool, which is read.',
  },
  { paths: /^prompt_cache_key$/, because: 'A hash is sent in its place.' },
  { paths: /^logit_bias\.\*$/, because: 'Its members are ids of tokens, of at most seven digits.' },
  { paths: /^(?:client_)?metadata(?:\.\*)?$/, because: NEVER_SENT },
  { paths: /^prompt_cache_options\.comparison_response_id$/, because: NEVER_SENT },
  { paths: /^input\[\]\(\w+\)\.(?:id|created_by|internal_chat_message_metadata_passthrough)$/, because: NEVER_SENT },
  { paths: /^input\[\]\((?:function|custom_tool)_call_output\)\.(?:name|namespace)$/, because: NEVER_SENT },
  { paths: /^input\[\]\(reasoning\)\.(?:summary|content)\[\]$/, because: NEVER_SENT },
]

/** The row of a list that a path falls under. */
export const placesAt = (list: typeof CHAT_TEXTS, path: string): readonly TextPlace[] | undefined =>
  Object.entries(list).find(([row]) => isUnder(row, path))?.[1]

export function isUnder(row: string, path: string): boolean {
  const source = row
    .split('(*)')
    .map((part) => RegExp.escape(part))
    .join('\\(\\w+\\)')
  return new RegExp(`^${source.replace(/(?:\\\.|\.)\\\*$/, '\\..*')}$`, 's').test(path)
}

/** The paths of all members that can hold text: strings that are no fixed word, members of any name, and anything at all. */
export function textPathsOf(schema: z.ZodType): string[] {
  const root: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const definitions = isJsonObject(root) && isJsonObject(root['$defs']) ? root['$defs'] : {}
  const paths = new Set<string>()
  const open = new Set<string>()
  function visit(node: unknown, path: string): void {
    if (!isJsonObject(node) || node['const'] !== undefined || node['enum'] !== undefined) return
    const { $ref: reference, type } = node
    if (typeof reference === 'string') {
      const name = reference.replace('#/$defs/', '')
      if (open.has(name)) return
      open.add(name)
      visit(definitions[name], path)
      open.delete(name)
      return
    }
    const choices = [node['anyOf'], node['oneOf'], node['allOf']].flatMap((some): unknown[] =>
      Array.isArray(some) ? some : [],
    )
    for (const choice of choices) visit(choice, path)
    if (choices.length > 0) return
    const types: unknown[] = Array.isArray(type) ? type : [type]
    if (types.includes('string') || type === undefined) paths.add(path)
    if (types.includes('array')) visit(node['items'] ?? {}, `${path}[]`)
    if (!types.includes('object')) return
    const members = isJsonObject(node['properties']) ? node['properties'] : {}
    const at = path + tagOf(members)
    for (const [name, member] of Object.entries(members)) visit(member, join(at, name))
    if (node['additionalProperties'] !== false) paths.add(join(at, '*'))
  }
  visit(root, '')
  return [...paths]
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function tagOf(members: { readonly [name: string]: unknown }): string {
  const fixed = [members['role'], members['type']].map((member) => (isJsonObject(member) ? member['const'] : undefined))
  const tag = fixed.find((value) => value !== undefined)
  return typeof tag === 'string' ? `(${tag})` : ''
}

type Body = { readonly [name: string]: unknown }

/** Puts a word where text can stand. The same name, in one body, is the same text. */
export type Plant = (name: string, dress?: (word: string) => string) => string

const inAddress = (word: string): string => `https://example.ie/${word}.png`
const inImageData = (word: string): string => `data:image/png;name=${word};base64,AAAA`
const inFile = (word: string): string => `data:text/plain;base64,${new TextEncoder().encode(word).toBase64()}`
const inFileData = (word: string): string => `data:text/plain;name=${word};base64,QQ==`
const inFileAddress = (word: string): string => `https://example.ie/${word}.pdf`
const inJson = (word: string): string => JSON.stringify({ note: word })
const sealed = (word: string): string =>
  encodeReasoning({ provider: 'anthropic', thinking: [{ type: 'thinking', thinking: word, signature: 'c2ln' }] })

const chatParts = (plant: Plant, of: string) => [
  { type: 'text', text: plant(`${of} part`) },
  { type: 'image_url', image_url: { url: plant(`${of} image`, of === 'user' ? inAddress : inImageData) } },
  { type: 'image_url', image_url: { url: plant(`${of} image data`, inImageData) } },
  { type: 'file', file: { file_data: plant(`${of} file`, inFile), filename: plant(`${of} file name`) } },
  { type: 'file', file: { file_data: plant(`${of} file data`, inFileData) } },
]

const thoughts = (plant: Plant, name: string) => [{ type: 'thinking', thinking: plant(name), signature: 'c2ln' }]

/** The thoughts of a message are taken from the first of these members that has them. */
const thinkingMembers = (plant: Plant): Body[] => [
  { thinking_blocks: thoughts(plant, 'thought') },
  { extra_content: { anthropic: { thinking_blocks: thoughts(plant, 'extra thought') } } },
  {
    provider_specific_fields: { extra_content: { anthropic: { thinking_blocks: thoughts(plant, 'field thought') } } },
  },
]

export const chatBodies = (plant: Plant): readonly Body[] => [
  {
    model: 'claude-haiku-4-5',
    messages: [
      { role: 'system', content: plant('system'), name: plant('system name') },
      { role: 'system', content: [{ type: 'text', text: plant('system part') }] },
      { role: 'developer', content: plant('developer'), name: plant('developer name') },
      { role: 'developer', content: [{ type: 'text', text: plant('developer part') }] },
      { role: 'user', content: plant('user text'), name: plant('user name') },
      { role: 'user', content: chatParts(plant, 'user') },
      ...thinkingMembers(plant).map((member) => Object.assign({ role: 'assistant', content: 'Yes.' }, member)),
      ...thinkingMembers(plant)
        .slice(1)
        .map((member) => ({
          role: 'assistant',
          content: [{ type: 'text', text: 'Yes.', ...member }],
        })),
      { role: 'assistant', content: plant('assistant'), refusal: plant('refusal'), name: plant('assistant name') },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: plant('assistant part') },
          { type: 'refusal', refusal: plant('refusal part') },
        ],
        tool_calls: [
          {
            id: plant('call'),
            type: 'function',
            function: { name: plant('call name'), arguments: plant('arguments', inJson) },
          },
          { id: 'other', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: plant('call'), content: plant('result') },
      { role: 'tool', tool_call_id: 'other', content: chatParts(plant, 'tool') },
    ],
    tools: [
      {
        type: 'function',
        function: { name: plant('tool'), description: plant('description'), parameters: schemaWith(plant) },
      },
    ],
    stop: [plant('stop')],
    user: plant('user'),
  },
  {
    model: 'gpt-4.1-mini',
    messages: [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: null,
        function_call: { name: plant('function'), arguments: plant('function arguments', inJson) },
      },
      { role: 'function', name: plant('function'), content: plant('function result') },
    ],
    functions: [{ name: plant('function'), description: plant('function description'), parameters: schemaWith(plant) }],
    response_format: {
      type: 'json_schema',
      json_schema: { name: plant('form'), description: plant('form description'), schema: schemaWith(plant) },
    },
    stop: plant('one stop'),
    safety_identifier: plant('safety identifier'),
  },
  {
    model: 'sonar-pro',
    messages: [{ role: 'user', content: 'Look.' }],
    web_search_options: {
      user_location: {
        type: 'approximate',
        approximate: { country: plant('country'), city: plant('city'), region: plant('region') },
      },
    },
  },
]

const inputParts = (plant: Plant, of: string) => [
  { type: 'input_text', text: plant(`${of} part`) },
  { type: 'input_image', image_url: plant(`${of} image`, of === 'user' ? inAddress : inImageData) },
  { type: 'input_file', file_data: plant(`${of} file`, inFile), filename: plant(`${of} file name`) },
  { type: 'input_file', file_data: plant(`${of} file data`, inFileData) },
  { type: 'input_file', file_url: plant(`${of} file address`, inFileAddress) },
]

export const responsesBodies = (plant: Plant): readonly Body[] => [
  { model: 'gpt-4.1-mini', input: plant('input') },
  {
    model: 'claude-haiku-4-5',
    instructions: plant('instructions'),
    input: [
      { role: 'system', content: plant('system') },
      { role: 'system', content: [{ type: 'input_text', text: plant('system part') }] },
      { role: 'developer', content: plant('developer') },
      { role: 'developer', content: [{ type: 'input_text', text: plant('developer part') }] },
      { role: 'user', content: plant('user text') },
      { role: 'user', content: inputParts(plant, 'user') },
      { role: 'assistant', content: plant('assistant') },
      {
        role: 'assistant',
        content: [
          { type: 'output_text', text: plant('assistant part') },
          { type: 'refusal', refusal: plant('refusal part') },
          { type: 'input_text', text: plant('assistant input') },
        ],
      },
      { type: 'reasoning', encrypted_content: plant('thought', sealed) },
      {
        type: 'function_call',
        call_id: plant('call'),
        name: plant('call name'),
        arguments: plant('arguments', inJson),
      },
      { type: 'function_call', call_id: 'other', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: plant('call'), output: plant('result') },
      { type: 'function_call_output', call_id: 'other', output: inputParts(plant, 'tool') },
    ],
    tools: [
      { type: 'function', name: plant('tool'), description: plant('description'), parameters: schemaWith(plant) },
    ],
    user: plant('user'),
  },
  {
    model: 'gpt-5.6-sol',
    input: [
      { type: 'additional_tools', role: 'developer', tools: plantedTools(plant, 'added') },
      { role: 'user', content: 'Look.' },
      {
        type: 'function_call',
        call_id: 'a',
        name: plant('inner call'),
        namespace: plant('namespace'),
        arguments: '{}',
      },
      {
        type: 'custom_tool_call',
        call_id: plant('text call'),
        name: plant('text call name'),
        namespace: plant('text namespace'),
        input: plant('text input'),
      },
      { type: 'function_call_output', call_id: 'a', output: 'Seen.' },
      { type: 'custom_tool_call_output', call_id: plant('text call'), output: plant('text result') },
    ],
    tools: plantedTools(plant, 'own'),
  },
  {
    model: 'gpt-4.1-mini',
    input: 'Look.',
    safety_identifier: plant('safety identifier'),
    text: {
      format: {
        type: 'json_schema',
        name: plant('form'),
        description: plant('form description'),
        schema: schemaWith(plant),
      },
    },
  },
  {
    model: 'sonar-pro',
    input: [
      {
        type: 'additional_tools',
        role: 'developer',
        tools: [
          {
            type: 'web_search',
            user_location: {
              type: 'approximate',
              country: plant('added country'),
              city: plant('added city'),
              region: plant('added region'),
            },
          },
        ],
      },
      { role: 'user', content: 'Look.' },
    ],
  },
  {
    model: 'sonar-pro',
    input: 'Look.',
    tools: [
      {
        type: 'web_search',
        user_location: {
          type: 'approximate',
          country: plant('country'),
          city: plant('city'),
          region: plant('region'),
        },
      },
    ],
  },
]

/** The paths of a body's strings that hold the word, as `textPathsOf` names them. */
export function pathsWith(value: unknown, word: string, path = ''): string[] {
  if (typeof value === 'string') return value.includes(word) ? [path] : []
  if (Array.isArray(value)) return value.flatMap((one: unknown) => pathsWith(one, word, `${path}[]`))
  if (!isJsonObject(value)) return []
  const tag = [value['role'], value['type']].find((one) => typeof one === 'string')
  const at = typeof tag === 'string' && !/^(?:object|string|web_search)$/.test(tag) ? `${path}(${tag})` : path
  return Object.entries(value).flatMap(([name, member]) => {
    const within = pathsWith(member, word, join(at, name))
    return name.includes(word) ? within.concat(join(at, name)) : within
  })
}
