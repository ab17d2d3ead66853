import { expect } from 'vitest'
import { outcomeOf } from '../../../support/e2e/golden/call-outcome.ts'
import type { Script } from '../../../support/e2e/golden/stage.ts'

const MODELS = ['gpt-4.1-mini', 'claude-haiku-4-5', 'gemini-3.5-flash-lite', 'sonar-pro']

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
  const outcomes: Record<string, string> = {}
  const ask = async (title: string, more: object = {}, headers: Record<string, string> = {}) => {
    const body = { model: 'gpt-4.1-mini', input: title, ...more }
    const outcome = outcomeOf(await send(title, key, 'POST', '/v1/responses', body, { headers }))
    if (outcome !== null) outcomes[title] = outcome
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
  expect(outcomes).toEqual(OUTCOMES)
}

const ALLOWED = 'ALLOWED by loop_guard model_allowlist rate_limit'
const SAYS = 'This is the Countersign emulator, not a model. You sent 1 message,'

/** How each call ended, as `outcomeOf` says it. */
const OUTCOMES: Record<string, string> = {
  'gpt-4.1-mini': `completed, 0.000031 €, ${ALLOWED}, ${SAYS} 12 characters.`,
  'gpt-4.1-mini, streamed': `completed, 0.000032 €, ${ALLOWED}, ${SAYS} 22 characters.`,
  'claude-haiku-4-5': `completed, 0.000098 €, ${ALLOWED}, ${SAYS} 16 characters.`,
  'claude-haiku-4-5, streamed': `completed, 0.000101 €, ${ALLOWED}, ${SAYS} 26 characters.`,
  'gemini-3.5-flash-lite': `completed, 0.000049 €, ${ALLOWED}, ${SAYS} 21 characters.`,
  'gemini-3.5-flash-lite, streamed': `completed, 0.000049 €, ${ALLOWED}, ${SAYS} 31 characters.`,
  'sonar-pro': `completed, 0.000046 €, ${ALLOWED}, ${SAYS} 9 characters.`,
  'sonar-pro, streamed': `completed, 0.000048 €, ${ALLOWED}, ${SAYS} 19 characters.`,
  'a function is called': `completed, 0.000013 €, ${ALLOWED}, find_clinic{"town":"emulator"}`,
  'a function is called, streamed': `completed, 0.000014 €, ${ALLOWED}, {"town":"emulator"}`,
  'what the function said': `completed, 0.000034 €, ${ALLOWED}, This is the Countersign emulator, not a model. You sent 3 messages, 44 characters.`,
  'instructions and limits': `completed, 0.000033 €, ${ALLOWED}, This is the Countersign emulator, not a model. You sent 2 messages, 32 characters.`,
  'a JSON schema': `completed, 0.000009 €, ${ALLOWED}, {"town":"emulator"}`,
  'the answer ends: length': `incomplete, 0.000032 €, ${ALLOWED}, ${SAYS} 23 characters.`,
  'the answer ends: length, streamed': `incomplete, 0.000033 €, ${ALLOWED}, ${SAYS} 33 characters.`,
  'the answer ends: refusal': `completed, 0.000028 €, ${ALLOWED}, This is the Countersign emulator. It was told to decline this request.`,
  'the answer ends: refusal, streamed': `completed, 0.000029 €, ${ALLOWED}, This is the Countersign emulator. It was told to decline this request.`,
  'the answer ends: content-filter': `incomplete, 0.000003 €, ${ALLOWED}`,
  'the answer ends: content-filter, streamed': `incomplete, 0.000004 €, ${ALLOWED}`,
  'the provider fails: 500': 'provider_error, 0 €',
  'the provider fails: 429,1': 'rate_limit_exceeded, 0 €',
  'the provider fails: refuse,400,temperature': 'invalid_request, 0 €',
  'the provider fails: context': 'invalid_request, 0 €',
  'the provider fails in a stream: mid-error': 'provider_error, about 0.000019 €, This is the Countersign ',
  'the provider fails in a stream: truncate': 'provider_error, about 0.000019 €, This is the Countersign ',
  'the provider is too late': 'provider_timeout, about 0.000005 €',
  'with an idempotency-key': `completed, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 1. time': `completed, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 2. time': `completed, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 3. time': `completed, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 4. time': `completed, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 5. time': 'loop_detected, 0 €, loop',
  'the same for the 6. time': 'loop_detected, 0 €, loop',
}
