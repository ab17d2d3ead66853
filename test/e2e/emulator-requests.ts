// Requests of the emulator’s transcript (emulator.test.ts): those of each provider, and behaviours of all of them.
import { GEMINI, type Body, type CallOptions, type Dialect } from './emulator-client.ts'

export type Asked = readonly [title: string, more: Body, options?: CallOptions & { streamed?: boolean }]

const PARAMETERS = {
  type: 'object',
  properties: { place: { type: 'string' }, days: { type: 'integer' } },
  required: ['place', 'days'],
  additionalProperties: false,
}
const TOOLS = ['get_rain', 'get_wind']
const USE_BOTH = 'Use get_rain and get_wind.'

const PNG = 'data:image/png;base64,aGk='
const PDF = { type: 'base64', media_type: 'application/pdf', data: 'aGk=' }

const user = (content: unknown): Body => ({ messages: [{ role: 'user', content }] })

const openAiTools = { tools: TOOLS.map((name) => ({ type: 'function', function: { name, parameters: PARAMETERS } })) }
const weatherTool = { tools: [{ type: 'function', function: { name: 'get_weather', parameters: PARAMETERS } }] }
const named = { type: 'function', function: { name: 'get_wind' } }
const schema = { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema: PARAMETERS } }
const looked = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } }

const streamedUsage = { stream_options: { include_usage: true } }

const OPENAI: readonly Asked[] = [
  ['plain', {}],
  ['three choices', { n: 3 }],
  ['a stop sequence', { stop: [' not'] }],
  ['a limit', { max_completion_tokens: 3 }],
  ['two tools', { ...openAiTools, ...user(USE_BOTH) }],
  ['no parallel calls', { ...openAiTools, ...user(USE_BOTH), parallel_tool_calls: false }],
  ['a named tool', { ...openAiTools, tool_choice: named }],
  ['no tool', { ...openAiTools, ...user(USE_BOTH), tool_choice: 'none' }],
  ['a tool that the message is about', { ...weatherTool, ...user("The weather in 'Cork' for 3 days?") }],
  ['a schema', { response_format: schema }],
  ['named members', { ...user("JSON with 'place'"), response_format: { type: 'json_object' } }],
  ['a JSON object', { ...user('json please'), response_format: { type: 'json_object' } }],
  [
    'a whole conversation',
    {
      messages: [
        { role: 'system', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [looked] },
        { role: 'tool', tool_call_id: 'c1', content: 'A cat' },
      ],
    },
  ],
  ['an unknown model', { model: 'gpt-9' }],
  ['no messages', { messages: [] }],
  ['a wrong key', {}, { key: 'sk-wrong' }],
  ['another path', {}, { at: '/openai/v1/other' }],
  ['no JSON', {}, { at: '/openai/v1/chat/completions', text: '{' }],
]

const opus = { model: 'claude-opus-5', max_tokens: 2000 }
const shown = { thinking: { type: 'adaptive', display: 'summarized' } }
const claudeTools = { tools: TOOLS.map((name) => ({ name, input_schema: PARAMETERS })) }

const begun = {
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Well,' },
  ],
}
const called = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'A cat' }] },
]

const ANTHROPIC: readonly Asked[] = [
  ['an answer that was begun', begun],
  ['an answer that was begun, by a model that goes on with none', { ...opus, ...begun }],
  [
    'an answer that was begun, beside a schema',
    { ...begun, output_config: { format: { type: 'json_schema', schema: PARAMETERS } } },
  ],
  ['calls without tools', { messages: called }],
  ['plain', {}],
  ['a stop sequence', { stop_sequences: [' not'] }],
  ['a limit', { max_tokens: 3 }],
  ['two tools', { ...claudeTools, ...user(USE_BOTH) }],
  ['a schema', { output_config: { format: { type: 'json_schema', schema: PARAMETERS } } }],
  [
    'a whole conversation',
    {
      ...claudeTools,
      system: [{ type: 'text', text: 'Be brief' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image', source: { ...PDF, media_type: 'image/png' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Not counted', signature: 's' },
            { type: 'tool_use', id: 'c1', name: 'look', input: { at: 'it' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c1',
              content: [
                { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A cat' } },
                { type: 'document', source: PDF },
              ],
            },
          ],
        },
      ],
    },
  ],
  ['hidden thoughts', opus, { behave: 'thinking,2+chars,20' }],
  ['shown thoughts', { ...opus, ...shown }, { behave: 'thinking,2+chars,20' }],
  ['shown thoughts before a call', { ...opus, ...shown, ...claudeTools }, { behave: 'thinking,2+tool-call' }],
  ['redacted thoughts', { ...opus, ...shown }, { behave: 'redacted-thinking+chars,20' }],
  ['thinking turned off', { ...opus, thinking: { type: 'disabled' } }, { behave: 'thinking,2+chars,20' }],
  ['an unknown model', { model: 'claude-9' }],
  ['no max_tokens', { max_tokens: undefined }],
  ['a wrong key', {}, { key: 'sk-wrong' }],
]

const functions = {
  tools: [{ functionDeclarations: TOOLS.map((name) => ({ name, parametersJsonSchema: PARAMETERS })) }],
}
const said = (text: string): Body => ({ contents: [{ role: 'user', parts: [{ text }] }] })

const GOOGLE: readonly Asked[] = [
  [
    'the model last',
    {
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ text: 'Well,' }] },
      ],
    },
  ],
  ['plain', {}],
  ['a limit', { generationConfig: { maxOutputTokens: 3 } }],
  ['two tools', { ...functions, ...said(USE_BOTH) }],
  ['two tools, in pieces', { ...functions, ...said(USE_BOTH) }, { behave: 'partial-args,4' }],
  ['two tools, after thinking', { ...functions, ...said(USE_BOTH) }, { behave: 'thinking' }],
  ['an unexpected call', { ...functions, ...said(USE_BOTH) }, { behave: 'finish,UNEXPECTED_TOOL_CALL' }],
  [
    'shown thoughts',
    { generationConfig: { thinkingConfig: { includeThoughts: true } } },
    { behave: 'thinking,2+chars,20' },
  ],
  ['a schema', { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: PARAMETERS } }],
  [
    'a whole conversation',
    {
      systemInstruction: { parts: [{ text: 'Be brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'See' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: { at: 'it' } }, thoughtSignature: 's' }] },
        { role: 'user', parts: [{ functionResponse: { name: 'look', response: 'cat', parts: [{}] } }] },
      ],
    },
  ],
  ['no contents', { contents: undefined }],
  ['a wrong key', {}, { key: 'sk-wrong' }],
  ['an unknown model', {}, { at: '/google/v1beta/models/gemini-9:generateContent' }],
  ['no key', {}, { at: `/google${GEMINI}:generateContent`, key: null }],
  [
    'a result with a reference that names no file',
    { contents: [{ parts: [{ functionResponse: { response: { list: [{ $ref: '#/$defs/A' }] } } }] }] },
  ],
  [
    'a description beside a reference',
    { generationConfig: { responseJsonSchema: { properties: { a: { $ref: '#', description: 'x' } } } } },
  ],
]

const agentTools = { tools: TOOLS.map((name) => ({ type: 'function', name, parameters: PARAMETERS })) }

const AGENT: readonly Asked[] = [
  ['plain', {}],
  ['a limit', { max_output_tokens: 2 }],
  ['a preset', { model: undefined, preset: 'fast' }],
  ['two tools', { ...agentTools, input: USE_BOTH }],
  ['two tools, after thinking', { ...agentTools, input: USE_BOTH }, { behave: 'thinking' }],
  ['a schema', { response_format: schema }],
  [
    'a whole conversation',
    {
      instructions: 'Be brief',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url: PNG },
          ],
        },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":"it"}' },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'A cat' }] },
      ],
    },
  ],
  ['neither model nor preset', { model: undefined }],
  ['a wrong key', {}, { key: 'sk-wrong' }],
  ['the other path', { stream: true }, { at: '/perplexity/v1/responses' }],
]

const afterHello = (...messages: Body[]): Body => ({ messages: [{ role: 'user', content: 'Hello' }, ...messages] })
const ordered = (...roles: string[]): Body => afterHello(...roles.map((role) => ({ role, content: 'x' })))
const lookedFor = (id: string): Body =>
  afterHello(
    { role: 'assistant', tool_calls: [{ id, function: { name: 'look', arguments: '{}' } }] },
    { role: 'tool', content: 'A cat' },
  )

const MISTRAL: readonly Asked[] = [
  ['plain', {}],
  ['three choices', { n: 3 }],
  ['a limit', { max_tokens: 3 }],
  ['two tools', { ...openAiTools, ...user(USE_BOTH) }],
  ['a schema', { response_format: schema }],
  ['shown thoughts', { reasoning_effort: 'high' }, { behave: 'thinking,2+chars,20' }],
  [
    'two tools, after thinking',
    { ...openAiTools, ...user(USE_BOTH), reasoning_effort: 'high' },
    { behave: 'thinking' },
  ],
  ['an answer that goes on', afterHello({ role: 'assistant', content: 'A', prefix: true })],
  ['an answer that was begun', ordered('assistant')],
  ['a call', lookedFor('D681PevKs')],
  ['a call with an id of ten characters', lookedFor('D681PevKsX')],
  ['system after assistant', ordered('assistant', 'system')],
  ['system after tool', ordered('assistant', 'tool', 'system')],
  ['user after tool', ordered('assistant', 'tool', 'user')],
  ['tool after user', ordered('tool')],
  ['store', { store: false }],
  ['max_completion_tokens', { max_completion_tokens: 9 }],
  ['stream_options', { stream_options: {} }],
  ['user', { user: 'u' }],
  ['seed', { seed: 7 }],
  ['a name', { messages: [{ role: 'user', content: 'Hello', name: 'Ann' }] }],
  ['an unknown model', { model: 'mistral-9' }],
  ['a wrong key', {}, { key: 'wrong' }],
]

export const REQUESTS: Readonly<Record<Dialect, readonly Asked[]>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  google: GOOGLE,
  perplexity: AGENT,
  mistral: MISTRAL,
}

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

/** Behaviours whose code knows no provider. Another request shows each provider's form of the answer. */
const AT_ONE_PROVIDER: Readonly<Partial<Record<Dialect, string>>> = {
  openai: ' echo,3 chars,5 length tool-call,2 html',
  anthropic: ' truncate malformed crlf 503,2 mid-error',
  google: ' finish,MODEL_ARMOR',
  perplexity: ' odd-usage,cost',
}

/** Returns a request for each behaviour. Twenty characters are two pieces, so that a stream is short. */
export const behavioursOf = (dialect: Dialect): Asked[] =>
  `${AT_EVERY_PROVIDER}${AT_ONE_PROVIDER[dialect] ?? ''}`
    .split(' ')
    .map((names) => [names, dialect === 'openai' ? streamedUsage : {}, { behave: `chars,20+${names}` }])

/** Behaviours of time and of the connection (emulator-behaviours.test.ts), of size, and of readings (emulator-reader.test.ts). */
export const NOT_IN_THE_TRANSCRIPT: readonly string[] =
  'slow until-released slow-body silent pause never cut split huge big stream wrong-enum answer vary obey redirect'.split(
    ' ',
  )

/** Text of so many tokens. */
const tokens = (count: number, letter = 'a'): string => letter.repeat(count * 4)
const FIVE_MINUTES = { type: 'ephemeral' }
const HOUR = { type: 'ephemeral', ttl: '1h' }
const block = (text: string, mark?: Body): Body => ({ type: 'text', text, ...(mark && { cache_control: mark }) })
const asking = (...content: Body[]): Body => ({ role: 'user', content })

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
