import type { Script } from '../../../support/e2e/golden/stage.ts'

const MODELS = ['gpt-4.1-mini', 'claude-haiku-4-5', 'gemini-3.7-flash', 'sonar-pro']

const TOOL = {
  type: 'function',
  function: {
    name: 'find_clinic',
    description: 'Finds a clinic',
    parameters: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
  },
}

const FAULTS = [
  '400',
  '401',
  '403',
  '429,1',
  '500',
  '503',
  'refuse,400,temperature',
  'context',
  'quota',
  'html',
  'malformed',
  'empty-choices',
]

/** `/v1/chat/completions`: four providers, whole and streamed, and every refusal. */
export const chat: Script = async ({ stage, send }) => {
  const { id } = await stage.organisation('Chat', [])
  const key = await stage.key(id)
  const manager = await stage.key(id, { scopes: ['manage'] })
  let asked = 0
  const ask = (
    title: string,
    more: object = {},
    { caller = key, headers = {} }: { caller?: typeof key; headers?: Record<string, string> } = {},
  ) => {
    asked += 1
    const body = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: `Question ${asked}` }], ...more }
    return send(title, caller, 'POST', '/v1/chat/completions', body, { headers })
  }

  for (const model of MODELS) {
    await ask(model, { model })
    await ask(`${model}, streamed`, { model, stream: true })
    await ask(`${model}, streamed with usage`, { model, stream: true, stream_options: { include_usage: true } })
    stage.emulator.behave(providerOf(model), ['tool-call'])
    await ask(`${model} calls a function`, { model, tools: [TOOL] })
    stage.emulator.behave(providerOf(model), ['tool-call'])
    await ask(`${model} calls a function, streamed`, { model, tools: [TOOL], stream: true })
  }
  await ask('two choices', { n: 2 })
  await ask('a JSON object', { response_format: { type: 'json_object' } })
  await ask('a JSON schema', {
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'clinic',
        strict: true,
        schema: {
          type: 'object',
          properties: { town: { type: 'string' } },
          required: ['town'],
          additionalProperties: false,
        },
      },
    },
  })
  await ask('parameters', {
    temperature: 0.2,
    top_p: 0.9,
    max_completion_tokens: 50,
    stop: ['END'],
    seed: 7,
    user: 'u-1',
  })
  for (const behaviour of ['length', 'refusal', 'content-filter', 'no-usage']) {
    stage.emulator.behave('openai', [behaviour])
    await ask(`the answer ends: ${behaviour}`)
    stage.emulator.behave('openai', [behaviour])
    await ask(`the answer ends: ${behaviour}, streamed`, { stream: true })
  }
  for (const fault of FAULTS) {
    stage.emulator.behave('openai', Array<string>(4).fill(fault))
    await ask(`the provider fails: ${fault}`)
    stage.emulator.reset()
  }
  for (const fault of ['mid-error', 'cut', 'truncate', 'malformed']) {
    stage.emulator.behave('openai', Array<string>(4).fill(fault))
    await ask(`the provider fails in a stream: ${fault}`, { stream: true })
    stage.emulator.reset()
  }
  stage.emulator.behave('openai', ['never', 'never'])
  await ask('the provider is too late', {}, { headers: { 'x-aqta-deadline-ms': '1000' } })
  stage.emulator.reset()

  await ask('a use case', {}, { headers: { 'x-aqta-use-case': 'letters' } })
  await ask('an unknown cohort', {}, { headers: { 'x-aqta-cohort': 'b' } })
  await ask('an unknown model', { model: 'gpt-0' })
  await ask('no model', { model: undefined })
  await ask('no messages', { messages: [] })
  await ask('a role that is none', { messages: [{ role: 'judge', content: 'x' }] })
  await ask('an unknown member', { colour: 'blue' })
  await ask('a member that is dropped', { model: 'claude-haiku-4-5', logit_bias: { 50256: 1 } })
  await ask(
    'a member that is refused',
    { model: 'claude-haiku-4-5', logit_bias: { 50256: 1 } },
    { headers: { 'x-aqta-unsupported': 'refuse' } },
  )
  await ask('a temperature that is too high', { temperature: 3 })
  await ask('a key that only manages', {}, { caller: manager })
  const repeat = { headers: { 'idempotency-key': 'ask-once' } }
  const same = { messages: [{ role: 'user', content: 'Once' }] }
  await ask('with an idempotency-key', same, repeat)
  await ask('again with it', same, repeat)
  await ask('another request with it', { messages: [{ role: 'user', content: 'Twice' }] }, repeat)
  for (let count = 1; count <= 6; count += 1)
    await ask(`the same for the ${count}. time`, { messages: [{ role: 'user', content: 'Loop' }] })
}

const providerOf = (model: string) =>
  model.startsWith('claude')
    ? 'anthropic'
    : model.startsWith('gemini')
      ? 'google'
      : model.startsWith('sonar')
        ? 'perplexity'
        : 'openai'
