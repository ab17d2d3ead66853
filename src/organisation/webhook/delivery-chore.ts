// The chore by which messages leave: with the Worker's settings as they are when it is done.
import { deliverDue, deliveryDueAt, type Delivering } from '../../notifications/deliver.ts'
import { readConfig } from '../../platform/config.ts'
import type { Chore } from '../upkeep.ts'

export function deliveryChore(env: object, parts: Pick<Delivering, 'outbox' | 'takeTurn'>): Chore {
  const settings = (): ReturnType<Delivering['settings']> => {
    const { peppers, webhooks } = readConfig(env)
    return { peppers, rules: webhooks, resolverUrl: webhooks.resolverUrl, fetch: async (url, init) => fetch(url, init) }
  }
  return {
    failure: 'messages_not_delivered',
    dueAt: (now) => deliveryDueAt(parts.outbox, now),
    run: (now) => deliverDue({ ...parts, settings }, now),
  }
}
