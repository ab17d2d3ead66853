// What each emulated provider takes of JSON Schema, in structured output and in tools, and what else stands in the way
// of either: the place of the fault is told as the provider tells it.

import { describe, expect, it } from 'vitest'
import type { Body } from './emulator-client.ts'
import { readAs } from './emulator-reading.ts'

const closed = (properties: Body, more: Body = {}): Body => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})
const optional = (count: number): Body =>
  closed(Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, { type: 'string' }])), { required: [] })
const unions = (count: number): Body =>
  closed(Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, { type: ['string', 'null'] }])))
const tree = {
  ...closed({ next: { $ref: '#/$defs/tree' } }),
  $defs: { tree: closed({ next: { $ref: '#/$defs/tree' } }) },
}

/** Each definition names the next one twice: 2^40 ways through it, and none that leads back. */
const bushy = {
  ...closed({ a: { $ref: '#/$defs/d0' } }),
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` }
      return [`d${index}`, index === 39 ? closed({}) : closed({ a: next, b: next })]
    }),
  ),
}

describe('anthropic', () => {
  const format = (schema: Body): Body => ({ output_config: { format: { type: 'json_schema', schema } } })
  const tool = (input_schema: Body, more: Body = {}): Body => ({ name: 'look', input_schema, ...more })

  it.each<[string, Body, string]>([
    ['an open object', { type: 'object', properties: {} }, 'additionalProperties'],
    ['an open object deep inside', closed({ a: { type: 'array', items: { type: 'object' } } }), 'additionalProperties'],
    [
      'additionalProperties by a schema',
      closed({}, { additionalProperties: { type: 'string' } }),
      'additionalProperties',
    ],
    ['one bound', closed({ a: { type: 'integer', minimum: 0 } }), "'integer' type: property 'minimum'"],
    ['two bounds', closed({ a: { type: 'integer', minimum: 0, maximum: 9 } }), 'properties maximum, minimum'],
    ['a length', closed({ a: { type: 'string', maxLength: 9 } }), "'maxLength'"],
    [
      'more than one item at least',
      closed({ a: { type: 'array', minItems: 2, items: { type: 'string' } } }),
      "'minItems'",
    ],
    ['items at most', closed({ a: { type: 'array', maxItems: 3, items: { type: 'string' } } }), "'maxItems'"],
    ['oneOf', closed({ a: { oneOf: [{ type: 'string' }] } }), "'oneOf'"],
    ['look-ahead in a pattern', closed({ a: { type: 'string', pattern: '^(?=a)' } }), "'pattern'"],
    ['an unknown format', closed({ a: { type: 'string', format: 'phone' } }), "'format'"],
    ['objects in an enum', closed({ a: { enum: [{}] } }), "'enum'"],
    ['recursion', tree, "'$ref'"],
    ['a reference to nothing', closed({ a: { $ref: '#/$defs/none' } }), "'$ref'"],
    ['a schema without a type', closed({ a: {} }), 'type'],
    ['25 optional members', optional(25), '25 optional'],
    ['17 unions', unions(17), '17 unions'],
  ])('refuses %s, in an output format and in a strict tool', (_case, schema, named) => {
    const asFormat = readAs('anthropic', format(schema))
    const asTool = readAs('anthropic', { tools: [tool(schema, { strict: true })] })
    const isOfAll = / (?:optional|unions)$/.test(named)
    expect([asFormat.status, asTool.status]).toEqual([400, 400])
    for (const { message } of [asFormat, asTool]) expect(message).toContain(named)
    expect(asFormat.message.startsWith('output_config.format.schema: ')).toBe(!isOfAll)
    expect(asTool.message.startsWith('tools.0.custom: ')).toBe(!isOfAll)
    expect(readAs('anthropic', { tools: [tool({ type: 'object' })] }).taken).toBe(true)
  })

  it.each<[string, Body]>([
    ['24 optional members', optional(24)],
    ['16 unions', unions(16)],
    ['definitions that are used again and again', bushy],
    [
      'a reference, a format, a simple pattern and one item at least',
      {
        ...closed({
          a: { $ref: '#/$defs/a' },
          b: { type: 'string', format: 'date' },
          c: { type: 'string', pattern: '^[a-z]+$' },
          d: { type: 'array', minItems: 1, items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
          e: { enum: ['x', 1, null], description: 'any', default: 'x', title: 'E' },
        }),
        $defs: { a: closed({}) },
      },
    ],
  ])('takes %s', (_case, schema) => {
    expect(readAs('anthropic', format(schema))).toMatchObject({ message: '', taken: true })
    expect(readAs('anthropic', { tools: [tool(schema, { strict: true })] }).taken).toBe(true)
  })

  it('counts the members of all strict schemas together, and none of the others', () => {
    const half = { tools: [tool(optional(13), { strict: true })], ...format(optional(12)) }
    expect(readAs('anthropic', half).message).toContain('25 optional')
    expect(readAs('anthropic', { tools: [tool(optional(99))], ...format(optional(12)) }).taken).toBe(true)
  })

  it.each<[string, Body, string]>([
    [
      'more than 20 strict tools',
      {
        tools: Array.from({ length: 21 }, (_, at) => ({ ...tool(closed({}), { strict: true }), name: `t${at}` })),
      },
      'tools: ',
    ],
    ['a name twice', { tools: [tool({ type: 'object' }), tool({ type: 'object' })] }, 'tools: '],
    [
      'a choice at the top of a schema',
      { tools: [tool({ type: 'object', anyOf: [] })] },
      'tools.0.custom.input_schema: ',
    ],
    [
      'a key with a space',
      { tools: [tool({ type: 'object', properties: { 'a b': {} } })] },
      'tools.0.custom.input_schema.properties: ',
    ],
    ['a tool without a schema', { tools: [{ name: 'look' }] }, 'tools.0.custom.input_schema: '],
    ['arguments that are no object', { tools: [tool({ type: 'string' })] }, 'tools.0.custom.input_schema.type: '],
    ['a choice without tools', { tool_choice: { type: 'any' } }, 'tool_choice: '],
    [
      'a choice of no tool',
      { tools: [tool({ type: 'object' })], tool_choice: { type: 'tool', name: 'leap' } },
      'tool_choice ',
    ],
  ])('refuses %s', (_case, more, place) => {
    const { status, message } = readAs('anthropic', more)
    expect(status).toBe(400)
    expect(message.startsWith(place), message).toBe(true)
  })

  it('takes a forced tool from a model that thinks as it likes, and refuses it beside a thinking budget', () => {
    const forced = { max_tokens: 4000, tools: [tool({ type: 'object' })], tool_choice: { type: 'any' } }
    const budget = { thinking: { type: 'enabled', budget_tokens: 2000 } }
    expect(readAs('anthropic', { ...forced, ...budget }).message).toContain('tool_choice')
    expect(readAs('anthropic', { ...forced, model: 'claude-sonnet-5', thinking: { type: 'adaptive' } }).taken).toBe(
      true,
    )
    expect(readAs('anthropic', { ...forced, model: 'claude-opus-5' }).taken).toBe(true)
  })
})

describe('openai', () => {
  const format = (schema: Body, strict = true): Body => ({
    response_format: { type: 'json_schema', json_schema: { name: 'reply', strict, schema } },
  })
  const tool = (parameters: Body, strict = true): Body => ({
    tools: [{ type: 'function', function: { name: 'look', strict, parameters } }],
  })

  it.each<[string, Body, string]>([
    ['an open object', { type: 'object', properties: {} }, "In context=(), 'additionalProperties'"],
    ['an optional member', closed({ a: { type: 'string' } }, { required: [] }), "'required' lacks 'a'"],
    ['a required member that is none', closed({}, { required: ['a'] }), "'required' names"],
    [
      'a fault deep inside',
      closed({ a: { type: 'array', items: { type: 'object' } } }),
      "In context=('properties', 'a', 'items')",
    ],
    ['a length', closed({ a: { type: 'string', minLength: 1 } }), "'minLength'"],
    ['oneOf', closed({ a: { oneOf: [] } }), "'oneOf'"],
    ['allOf', closed({ a: { allOf: [] } }), "'allOf'"],
    ['a list at the top', { type: 'array', items: { type: 'string' } }, 'type of the schema'],
    ['a choice at the top', closed({}, { anyOf: [] }), "'anyOf'"],
    [
      'words beside a reference',
      { ...closed({ a: { $ref: '#/$defs/a', description: 'x' } }), $defs: { a: closed({}) } },
      "'$ref'",
    ],
    ['a reference to nothing', closed({ a: { $ref: '#/$defs/a' } }), "'$ref'"],
    ['a schema without a type', closed({ a: { description: 'x' } }), "'type'"],
    ['a list without items', closed({ a: { type: 'array' } }), "'items'"],
    ['an unknown format', closed({ a: { type: 'string', format: 'uri' } }), "'format'"],
  ])('refuses %s in strict mode, by the member and the place, and takes it otherwise', (_case, schema, named) => {
    expect(readAs('openai', format(schema)).error).toMatchObject({
      error: { param: 'response_format', code: null, message: expect.stringContaining(named) as string },
    })
    expect(readAs('openai', tool(schema)).error).toMatchObject({
      error: { param: 'tools[0].function.parameters', code: 'invalid_function_parameters' },
    })
    expect(readAs('openai', format(schema, false)).taken).toBe(true)
  })

  it.each<[string, Body]>([
    ['bounds and a pattern', closed({ a: { type: 'integer', minimum: 0 }, b: { type: 'string', pattern: '^a' } })],
    ['recursion', tree],
    ['nullable members', unions(40)],
  ])('takes %s in strict mode', (_case, schema) => {
    expect(readAs('openai', format(schema))).toMatchObject({ message: '', taken: true })
  })

  it.each<[string, Body, string]>([
    ['parallel_tool_calls without tools', { parallel_tool_calls: false }, 'parallel_tool_calls'],
    ['a choice without tools', { tool_choice: 'required' }, 'tool_choice'],
    [
      'a choice of no tool',
      { ...tool(closed({})), tool_choice: { type: 'function', function: { name: 'leap' } } },
      'tool_choice',
    ],
    ['arguments that are no object', tool({ type: 'string' }, false), 'tools[0].function.parameters'],
    ['arguments without properties', tool({ type: 'object' }, false), 'tools[0].function.parameters'],
    ['a name with a space', { tools: [{ type: 'function', function: { name: 'a b' } }] }, 'tools[0].function.name'],
  ])('refuses %s', (_case, more, param) => {
    expect(readAs('openai', more).error).toMatchObject({ error: { type: 'invalid_request_error', param } })
  })
})

describe('google', () => {
  const format = (member: string, schema: Body): Body => ({
    generationConfig: { responseMimeType: 'application/json', [member]: schema },
  })
  const tools = (more: Body, toolConfig?: Body): Body => ({
    tools: [{ functionDeclarations: [{ name: 'look', ...more }] }],
    ...(toolConfig === undefined ? {} : { toolConfig: { functionCallingConfig: toolConfig } }),
  })
  const bounded = (maxItems: number): Body => closed({ a: { type: 'array', maxItems, items: { type: 'string' } } })

  it.each<[string, Body, Body]>([
    [
      'a keyword of JSON Schema in responseSchema',
      format('responseSchema', closed({})),
      {
        field: 'generation_config.response_schema',
      },
    ],
    [
      'one deep inside',
      format('responseSchema', { type: 'object', properties: { a: { type: 'string' }, b: { const: 1 } } }),
      {
        field: 'generation_config.response_schema.properties[1].value',
      },
    ],
    [
      'one in the parameters of a tool',
      tools({ parameters: { type: 'object', properties: { a: { oneOf: [] } } } }),
      {
        field: 'tools[0].function_declarations[0].parameters.properties[0].value',
      },
    ],
    ['an unknown field', { generationConfig: { userId: 'u' } }, { field: 'generation_config' }],
    [
      'a value of the wrong type',
      { generationConfig: { maxOutputTokens: 'many' } },
      { field: 'generation_config.max_output_tokens' },
    ],
  ])('refuses %s, by its place in the details', (_case, more, violation) => {
    const { status, error } = readAs('google', more)
    expect(status).toBe(400)
    expect(error).toMatchObject({
      error: {
        status: 'INVALID_ARGUMENT',
        details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] }],
      },
    })
  })

  it.each<[string, Body, string]>([
    [
      'words beside a reference',
      format('responseJsonSchema', {
        ...closed({ a: { $ref: '#/$defs/a', description: 'x' } }),
        $defs: { a: closed({}) },
      }),
      'generation_config.response_json_schema',
    ],
    ['recursion that is required', format('responseJsonSchema', tree), 'generation_config.response_json_schema'],
    [
      'both kinds of schema',
      {
        generationConfig: {
          responseMimeType: 'application/json',
          responseSchema: { type: 'object' },
          responseJsonSchema: closed({}),
        },
      },
      'response_json_schema',
    ],
    [
      'both kinds of parameters',
      tools({ parameters: { type: 'object' }, parametersJsonSchema: closed({}) }),
      'parameters_json_schema',
    ],
    [
      'a long list of bounds, without a word of why',
      format('responseJsonSchema', bounded(961)),
      'an argument is wrong',
    ],
    ['the same in a tool', tools({ parametersJsonSchema: bounded(961) }), 'an argument is wrong'],
    ['a mode without functions', { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } }, 'declarations'],
    ['names beside the mode AUTO', tools({}, { mode: 'AUTO', allowedFunctionNames: ['look'] }), 'VALIDATED'],
    ['a name that is not declared', tools({}, { mode: 'ANY', allowedFunctionNames: ['leap'] }), 'not declared'],
    ['a function twice', { tools: [{ functionDeclarations: [{ name: 'look' }, { name: 'look' }] }] }, 'twice'],
  ])('refuses %s', (_case, more, named) => {
    const { status, message } = readAs('google', more)
    expect(status).toBe(400)
    expect(message).toContain(named)
  })

  it.each<[string, Body]>([
    [
      'a closed schema with bounds',
      format('responseJsonSchema', closed({ a: { type: 'integer', minimum: 0 } }, { title: 'T' })),
    ],
    [
      'recursion in an optional property',
      format('responseJsonSchema', {
        ...tree,
        required: [],
        $defs: { tree: closed({ next: { $ref: '#/$defs/tree' } }, { required: [] }) },
      }),
    ],
    ['960 items in all', format('responseJsonSchema', bounded(960))],
    [
      'the mode VALIDATED, with names',
      tools({ parametersJsonSchema: closed({}) }, { mode: 'VALIDATED', allowedFunctionNames: ['look'] }),
    ],
    ['tools together with a schema', { ...tools({}), ...format('responseJsonSchema', closed({})) }],
  ])('takes %s', (_case, more) => {
    expect(readAs('google', more)).toMatchObject({ message: '', taken: true })
  })

  it('refuses tools together with JSON where the model is older than Gemini 3', () => {
    const both = { ...tools({}), generationConfig: { responseMimeType: 'application/json' } }
    expect(readAs('google', both, 'gemini-2.5-flash').message).toContain('application/json')
  })
})
