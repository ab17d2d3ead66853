// Organisations to export, and their exports read back.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { ALL, openParts, receiptAt, storeTiles, type OpenedLedger } from '../../organisation/journal/archived-ledger.ts'
import type { Asker, Managed } from '../managed.ts'

export const PATH = '/api/settings/export'

export type Listed = Record<string, unknown> & { id: string | number; object: string }

export type Exported = {
  sections: string[]
  tree_size: number
  organisation: Listed
  settings: Listed
  unreadable_entries: number
  complete: boolean
} & Record<
  | 'account'
  | 'members'
  | 'keys'
  | 'notifications'
  | 'policies'
  | 'approvals'
  | 'statements'
  | 'anomalies'
  | 'usage'
  | 'audit'
  | 'receipts',
  Listed[]
>

/** Throws for what is no whole JSON. */
export async function exportJson({ ask }: Asker, query = ''): Promise<Exported> {
  const response = await ask('GET', `${PATH}${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return response.json()
}

export const objectOf = (managed: Managed) =>
  env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(managed.organisation.id))

/** The object reads what it holds anew afterwards. */
const inLedger = <T>(managed: Managed, work: (parts: OpenedLedger) => T | Promise<T>): Promise<T> =>
  runInDurableObject(objectOf(managed), async (_, { storage, id }) => work(openParts(storage, id.toString())))

/** So many entries more: every other one is a receipt of this key, the rest are kept for a month. */
export async function fillLedger(managed: Managed, count: number, publicKey: string): Promise<void> {
  await inLedger(managed, ({ storage, journal }) =>
    storage.transactionSync(() => {
      const now = Date.now()
      for (let n = 0; n < count; n += 1) {
        if (n % 2 === 1) journal.append({ kind: 'operator_act', content: { n } }, now)
        else journal.appendReceipt(receiptAt(now, 365, publicKey, managed.organisation.id), now)
      }
    }),
  )
  await managed.organisation.evict()
}

/** As the upkeep of a later day does it: all that is in a complete tile. */
export const putAway = (managed: Managed): Promise<void> =>
  inLedger(managed, async (parts) => {
    await storeTiles(parts)
    const later = Date.now() + 8 * DAY_MS
    while (await parts.leaving.step(parts.archiveLimits(ALL, later), later)) continue
  })

/** The service with an object that is asked for pages by this feature's method. `first` is told how often that was done before. */
export function watchingPages(
  first: (asked: number) => void | Promise<void>,
  pages: `${string}.${string}` = 'export.readEntries',
): object {
  let asked = 0
  const [feature, method] = pages.split('.')
  const { ORGANISATIONS } = env
  const watch = (stub: DurableObjectStub): DurableObjectStub =>
    new Proxy(stub, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name)
        return name === feature && typeof found === 'function' ? watchFeature(found) : found
      },
    })
  const watchFeature = (target: object): object =>
    new Proxy(target, {
      get(_, name) {
        const found: unknown = Reflect.get(target, name)
        if (name !== method || typeof found !== 'function') return found
        return async (...given: unknown[]): Promise<unknown> => {
          await first(asked++)
          return Reflect.apply(found, target, given)
        }
      },
    })
  return {
    ORGANISATIONS: {
      getByName: (name: string) => watch(ORGANISATIONS.getByName(name)),
    },
  }
}
