import type { Script } from '../../../support/e2e/golden/stage.ts'

const TOOL = { name: 'find_clinic', input_schema: { type: 'object', properties: { town: { type: 'string' } } } }

/** `/v1/messages`: the same calls in Anthropic's format, and the counts of tokens. */
export const messages: Script = async ({ stage, send }) => {
  const { id } = await stage.organisation('Messages', [])
  const key = await stage.key(id)
  const ask = (title: string, more: object = {}, headers: Record<string, string> = {}) => {
    const body = { model: 'gpt-4.1-mini', max_tokens: 64, messages: [{ role: 'user', content: title }], ...more }
    return send(title, key, 'POST', '/v1/messages', body, { headers })
  }
  for (const model of ['gpt-4.1-mini', 'claude-haiku-4-5']) {
    await ask(model, { model })
    await ask(`${model}, streamed`, { model, stream: true })
  }
  stage.emulator.behave('openai', ['tool-call'])
  await ask('a tool is called', { tools: [TOOL] })
  stage.emulator.behave('openai', ['tool-call'])
  await ask('a tool is called, streamed', { tools: [TOOL], stream: true })
  await ask(
    'something is left out',
    { thinking: { type: 'adaptive', display: 'omitted' } },
    { 'anthropic-beta': 'a-1' },
  )
  for (const fault of ['500', '529', '429,1', 'context']) {
    stage.emulator.behave('openai', Array<string>(4).fill(fault))
    await ask(`the provider fails: ${fault}`)
    stage.emulator.reset()
  }
  stage.emulator.behave('openai', ['mid-error'])
  await ask('the provider fails in a stream', { stream: true })
  stage.emulator.behave('openai', ['never', 'never'])
  await ask('the provider is too late', {}, { 'x-aqta-deadline-ms': '1000' })
  stage.emulator.reset()
  await ask('an unknown model', { model: 'gpt-0' })
  await ask('no limit', { max_tokens: undefined })
  await ask('a member that is refused', { container: 'x' })
  const repeat = { 'idempotency-key': 'say-once' }
  await ask('with an idempotency-key', {}, repeat)
  await ask('another request with it', {}, repeat)
  const poor = await stage.organisation('No budget', [], { monthly_budget_eur: 0 })
  const poorKey = await stage.key(poor.id)
  const body = { model: 'gpt-4.1-mini', max_tokens: 64, messages: [{ role: 'user', content: 'x' }] }
  await send('a message without a budget', poorKey, 'POST', '/v1/messages', body)
  await send('a count of tokens', key, 'POST', '/v1/messages/count_tokens', body)
  await send('a count for an unknown model', key, 'POST', '/v1/messages/count_tokens', { ...body, model: 'gpt-0' })
  const limited = await stage.key(id, { requests_per_minute: 1 })
  for (let count = 1; count <= 11; count += 1) {
    await send(`count ${count} of ten a minute`, limited, 'POST', '/v1/messages/count_tokens', body)
  }
  const version = { headers: { 'anthropic-version': '2023-06-01' } }
  await send('models in the shape of Anthropic', key, 'GET', '/v1/models?limit=2', undefined, version)
  await send('no such model in that shape', key, 'GET', '/v1/models/gpt-0', undefined, version)
}
