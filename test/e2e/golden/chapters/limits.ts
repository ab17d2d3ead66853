import { expect } from 'vitest'
import type { Script } from '../../../support/e2e/golden/stage.ts'

const body = (text: string) => ({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: text }] })

/** Goes over each limit, and shows the headers that say how much is left. */
export const limits: Script = async ({ stage, send }) => {
  const exact = { exactLimits: true }
  const minute = await stage.organisation('Limits', [])
  const slow = await stage.key(minute.id, { requests_per_minute: 2 })
  for (const count of ['first', 'second', 'third']) {
    await send(`the ${count} of two calls a minute`, slow, 'POST', '/v1/chat/completions', body(count), exact)
  }
  const daily = await stage.key(minute.id, { prefix: 'vk_test_', requests_per_day: 2 })
  for (const count of ['first', 'second', 'third']) {
    await send(`the ${count} of two calls a day`, daily, 'GET', '/v1/datasets', undefined, exact)
  }
  const monthly = await stage.organisation('Monthly', [], { tier: 'enterprise', requests_per_month: 1 })
  const monthlyKey = await stage.key(monthly.id)
  await send('the first call of one a month', monthlyKey, 'POST', '/v1/chat/completions', body('first'), exact)
  await send('the second call of one a month', monthlyKey, 'POST', '/v1/chat/completions', body('second'), exact)
  await send(
    'the second call of one a month, in the other format',
    monthlyKey,
    'POST',
    '/v1/responses',
    { model: 'gpt-4.1-mini', input: 'x' },
    exact,
  )
  const poor = await stage.organisation('Budget', [], { monthly_budget_eur: 0 })
  const poorKey = await stage.key(poor.id)
  await send('a call without a budget', poorKey, 'POST', '/v1/chat/completions', body('first'), exact)
  await send(
    'a call without a budget, in the other format',
    poorKey,
    'POST',
    '/v1/responses',
    { model: 'gpt-4.1-mini', input: 'x' },
    exact,
  )
  const free = await stage.organisation('Free', [], { tier: 'free' })
  const freeKey = await stage.key(free.id)
  await send(
    'a model that the tier does not have',
    freeKey,
    'POST',
    '/v1/chat/completions',
    { ...body('x'), model: 'claude-opus-4-8' },
    exact,
  )
  const narrow = await stage.organisation('Narrow', [], { enabled_providers: ['google'] })
  const narrowKey = await stage.key(narrow.id)
  await send('a provider that is not enabled', narrowKey, 'POST', '/v1/chat/completions', body('x'), exact)
  const models = await send('the models of one provider', narrowKey, 'GET', '/v1/models', undefined, exact)
  expect(models.json.data.map(({ id }) => id)).toEqual(['gemini-3.8-flash', 'gemini-3.5-flash-lite'])
  await send('a model of a provider that is not enabled', narrowKey, 'GET', '/v1/models/gpt-4.1-mini', undefined, exact)
}
