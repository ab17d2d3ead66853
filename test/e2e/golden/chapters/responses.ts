import type { Script } from '../../../support/e2e/golden/stage.ts'

const MODELS = ['gpt-4.1-mini', 'claude-haiku-4-5', 'gemini-3.7-flash', 'sonar-pro']

const TOOL = {
  type: 'function',
  name: 'find_clinic',
  parameters: {
    type: 'object',
    properties: { town: { type: 'string' } },
    required: ['town'],
    additionalProperties: false,
  },
  strict: true,
}

/** `/v1/responses`: the same calls in the other wire format. */
export const responses: Script = async ({ stage, send }) => {
  const { id } = await stage.organisation('Responses', [])
  const key = await stage.key(id)
  let asked = 0
  const ask = (title: string, more: object = {}, headers: Record<string, string> = {}) => {
    asked += 1
    return send(
      title,
      key,
      'POST',
      '/v1/responses',
      { model: 'gpt-4.1-mini', input: `Question ${asked}`, ...more },
      { headers },
    )
  }
  for (const model of MODELS) {
    await ask(model, { model })
    await ask(`${model}, streamed`, { model, stream: true })
  }
  stage.emulator.behave('openai', ['tool-call'])
  await ask('a function is called', { tools: [TOOL] })
  stage.emulator.behave('openai', ['tool-call'])
  await ask('a function is called, streamed', { tools: [TOOL], stream: true })
  await ask('what the function said', {
    input: [
      { role: 'user', content: 'Which clinic?' },
      { type: 'function_call', call_id: 'call_1', name: 'find_clinic', arguments: '{"town":"Ennis"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'None' },
    ],
    tools: [TOOL],
  })
  await ask('instructions and limits', {
    instructions: 'Be short.',
    max_output_tokens: 40,
    temperature: 0.1,
    store: false,
  })
  await ask('a JSON schema', {
    text: {
      format: {
        type: 'json_schema',
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
  for (const behaviour of ['length', 'refusal', 'content-filter']) {
    stage.emulator.behave('openai', [behaviour])
    await ask(`the answer ends: ${behaviour}`)
    stage.emulator.behave('openai', [behaviour])
    await ask(`the answer ends: ${behaviour}, streamed`, { stream: true })
  }
  for (const fault of ['500', '429,1', 'refuse,400,temperature', 'context']) {
    stage.emulator.behave('openai', Array<string>(4).fill(fault))
    await ask(`the provider fails: ${fault}`)
    stage.emulator.reset()
  }
  for (const fault of ['mid-error', 'truncate']) {
    stage.emulator.behave('openai', Array<string>(4).fill(fault))
    await ask(`the provider fails in a stream: ${fault}`, { stream: true })
    stage.emulator.reset()
  }
  stage.emulator.behave('openai', ['never', 'never'])
  await ask('the provider is too late', {}, { 'x-aqta-deadline-ms': '1000' })
  stage.emulator.reset()
  await ask('an unknown model', { model: 'gpt-0' })
  await ask('no input', { input: undefined })
  await ask('a conversation that is stored', { store: true })
  await ask('an earlier response', { previous_response_id: 'resp_1' })
  await ask('an unknown member', { colour: 'blue' })
  const repeat = { 'idempotency-key': 'ask-once' }
  await ask('with an idempotency-key', { input: 'Once' }, repeat)
  await ask('again with it', { input: 'Once' }, repeat)
  await ask('another request with it', { input: 'Twice' }, repeat)
  for (let count = 1; count <= 6; count += 1) await ask(`the same for the ${count}. time`, { input: 'Loop' })
}
