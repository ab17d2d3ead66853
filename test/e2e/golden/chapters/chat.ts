import { expect } from 'vitest'
import { outcomeOf } from '../../../support/e2e/golden/call-outcome.ts'
import type { Script } from '../../../support/e2e/golden/stage.ts'

const MODELS = ['gpt-4.1-mini', 'claude-haiku-4-5', 'gemini-3.5-flash-lite', 'sonar-pro']

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
  const outcomes: Record<string, string> = {}
  const ask = async (
    title: string,
    more: object = {},
    { caller = key, headers = {} }: { caller?: typeof key; headers?: Record<string, string> } = {},
  ) => {
    const body = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: title }], ...more }
    const answer = await send(title, caller, 'POST', '/v1/chat/completions', body, { headers })
    const outcome = outcomeOf(answer)
    if (outcome !== null) outcomes[title] = outcome
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
  expect(outcomes).toEqual(OUTCOMES)
}

const providerOf = (model: string) =>
  model.startsWith('claude')
    ? 'anthropic'
    : model.startsWith('gemini')
      ? 'google'
      : model.startsWith('sonar')
        ? 'perplexity'
        : 'openai'

const ALLOWED = 'ALLOWED by loop_guard model_allowlist rate_limit'
const SAYS = 'This is the Countersign emulator, not a model. You sent 1 message,'

/** How each call ended, as `outcomeOf` says it. */
const OUTCOMES: Record<string, string> = {
  'gpt-4.1-mini': `stop, 0.000031 €, ${ALLOWED}, ${SAYS} 12 characters.`,
  'gpt-4.1-mini, streamed': `stop, 0.000032 €, ${ALLOWED}, ${SAYS} 22 characters.`,
  'gpt-4.1-mini, streamed with usage': `stop, 0.000033 €, ${ALLOWED}, ${SAYS} 33 characters.`,
  'gpt-4.1-mini calls a function': `tool_calls, 0.000014 €, ${ALLOWED}, find_clinic{"town":"emulator"}`,
  'gpt-4.1-mini calls a function, streamed': `tool_calls, 0.000015 €, ${ALLOWED}, find_clinic{"town":"emulator"}`,
  'claude-haiku-4-5': `stop, 0.000098 €, ${ALLOWED}, ${SAYS} 16 characters.`,
  'claude-haiku-4-5, streamed': `stop, 0.000101 €, ${ALLOWED}, ${SAYS} 26 characters.`,
  'claude-haiku-4-5, streamed with usage': `stop, 0.000104 €, ${ALLOWED}, ${SAYS} 37 characters.`,
  'claude-haiku-4-5 calls a function': `tool_calls, 0.000044 €, ${ALLOWED}, find_clinic{"town":"emulator"}`,
  'claude-haiku-4-5 calls a function, streamed': `tool_calls, 0.000046 €, ${ALLOWED}, find_clinic{"town":"emulator"}`,
  'gemini-3.5-flash-lite': `stop, 0.000049 €, ${ALLOWED}, ${SAYS} 21 characters.`,
  'gemini-3.5-flash-lite, streamed': `stop, 0.000049 €, ${ALLOWED}, ${SAYS} 31 characters.`,
  'gemini-3.5-flash-lite, streamed with usage': `stop, 0.00005 €, ${ALLOWED}, ${SAYS} 42 characters.`,
  'gemini-3.5-flash-lite calls a function': `tool_calls, 0.000021 €, ${ALLOWED}, find_clinic{"town":"emulator"}`,
  'gemini-3.5-flash-lite calls a function, streamed': `tool_calls, 0.000021 €, ${ALLOWED}, find_clinic{"town":"emulator"}`,
  'sonar-pro': `stop, 0.000046 €, ${ALLOWED}, ${SAYS} 9 characters.`,
  'sonar-pro, streamed': `stop, 0.000048 €, ${ALLOWED}, ${SAYS} 19 characters.`,
  'sonar-pro, streamed with usage': `stop, 0.000049 €, ${ALLOWED}, ${SAYS} 30 characters.`,
  'sonar-pro calls a function': `tool_calls, 0.00002 €, ${ALLOWED}, find_clinic{"town":"emulator"}`,
  'sonar-pro calls a function, streamed': `tool_calls, 0.00002 €, ${ALLOWED}, find_clinic{"town":"emulator"}`,
  'two choices': `stop, 0.000062 €, ${ALLOWED}, ${SAYS} 11 characters.${SAYS} 11 characters.`,
  'a JSON object': `stop, 0.000022 €, ${ALLOWED}, {"emulator":"countersign","messages":1,"characters":13}`,
  'a JSON schema': `stop, 0.000009 €, ${ALLOWED}, {"town":"emulator"}`,
  parameters: `stop, 0.000031 €, ${ALLOWED}, ${SAYS} 10 characters.`,
  'the answer ends: length': `length, 0.000032 €, ${ALLOWED}, ${SAYS} 23 characters.`,
  'the answer ends: length, streamed': `length, 0.000033 €, ${ALLOWED}, ${SAYS} 33 characters.`,
  'the answer ends: refusal': `stop, 0.000028 €, ${ALLOWED}, This is the Countersign emulator. It was told to decline this request.`,
  'the answer ends: refusal, streamed': `stop, 0.000029 €, ${ALLOWED}, This is the Countersign emulator. It was told to decline this request.`,
  'the answer ends: content-filter': `content_filter, 0.000003 €, ${ALLOWED}`,
  'the answer ends: content-filter, streamed': `content_filter, 0.000004 €, ${ALLOWED}`,
  'the answer ends: no-usage': `stop, about 0.000045 €, ${ALLOWED}, ${SAYS} 25 characters.`,
  'the answer ends: no-usage, streamed': `stop, about 0.000046 €, ${ALLOWED}, ${SAYS} 35 characters.`,
  'the provider fails: 400': 'invalid_request, 0 €',
  'the provider fails: 401': 'provider_error, 0 €',
  'the provider fails: 403': 'provider_error, 0 €',
  'the provider fails: 429,1': 'rate_limit_exceeded, 0 €',
  'the provider fails: 500': 'provider_error, 0 €',
  'the provider fails: 503': 'service_unavailable, 0 €',
  'the provider fails: refuse,400,temperature': 'invalid_request, 0 €',
  'the provider fails: context': 'invalid_request, 0 €',
  'the provider fails: quota': 'provider_error, 0 €',
  'the provider fails: html': 'provider_error, 0 €',
  'the provider fails: malformed': 'provider_error, about 0.000006 €',
  'the provider fails: empty-choices': 'provider_error, about 0.000033 €',
  'the provider fails in a stream: mid-error': 'provider_error, about 0.000019 €, This is the Countersign ',
  'the provider fails in a stream: cut': 'provider_error, about 0.000018 €, This is the Countersign ',
  'the provider fails in a stream: truncate': 'provider_error, about 0.000019 €, This is the Countersign ',
  'the provider fails in a stream: malformed': 'provider_error, about 0.000013 €, This is the ',
  'the provider is too late': 'provider_timeout, about 0.000005 €',
  'a use case': `stop, 0.000031 €, ${ALLOWED}, ${SAYS} 10 characters.`,
  'with an idempotency-key': `stop, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 1. time': `stop, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 2. time': `stop, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 3. time': `stop, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 4. time': `stop, 0.000029 €, ${ALLOWED}, ${SAYS} 4 characters.`,
  'the same for the 5. time': 'loop_detected, 0 €, loop',
  'the same for the 6. time': 'loop_detected, 0 €, loop',
}
