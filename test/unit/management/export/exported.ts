// Organisations to export, and their exports read back.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describeDecision } from '../../../../src/attestation/record.ts'
import { Archive } from '../../../../src/ledger/archive.ts'
import { LedgerStore } from '../../../../src/ledger/ledger.store.ts'
import { DataKeysStore } from '../../../../src/organisation/data-keys.store.ts'
import { DAY_MS } from '../../../../src/platform/clock.ts'
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
} & Record<'account' | 'members' | 'keys' | 'policies' | 'usage' | 'audit' | 'receipts', Listed[]>

/** Throws for what is no whole JSON. */
export async function exportJson({ ask }: Asker, query = ''): Promise<Exported> {
  const response = await ask('GET', `${PATH}${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return response.json()
}

const objectOf = (managed: Managed) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(managed.organisation.id))

const inStorage = <T>(managed: Managed, work: (storage: DurableObjectStorage, id: string) => T | Promise<T>) =>
  runInDurableObject(objectOf(managed), (_, { storage, id }) => work(storage, id.toString()))

/** So many entries more: every other one is a receipt of this key, the rest are kept for a month. */
export const fillLedger = (managed: Managed, count: number, publicKey: string): Promise<void> =>
  inStorage(managed, (storage) =>
    storage.transactionSync(() => {
      const ledger = new LedgerStore(storage.sql)
      const now = Date.now()
      for (let n = 0; n < count; n += 1) {
        if (n % 2 === 1) ledger.appendEntry('referral_decision', { n }, now)
        else ledger.appendReceipt(recordOf(managed, publicKey, now), { n }, now, 365)
      }
    }),
  )

const recordOf = ({ organisation }: Managed, publicKey: string, decidedAt: number) =>
  describeDecision(
    {
      attestationId: crypto.randomUUID(),
      traceId: `tr_${'0'.repeat(32)}`,
      organisationId: organisation.id,
      requestHash: '0'.repeat(64),
      model: 'gpt-4.1-mini',
      outcome: 'ALLOWED',
      policies: ['rate_limit', 'loop_guard'],
      costPreventedMicroeur: 0,
      decidedAt,
    },
    publicKey,
  )

/** As the upkeep of a later day does it. */
export const putAway = (managed: Managed): Promise<void> =>
  inStorage(managed, async (storage, ledger) => {
    const dataKeys = new DataKeysStore(storage.sql)
    const archive = new Archive({ storage, bucket: env.FILES, dataKeys, ledger })
    while (await archive.sweep(Number.MAX_SAFE_INTEGER, Date.now() + 8 * DAY_MS)) continue
  })

/** The service with an object that is asked for pages by this. `first` is told how often that was done before. */
export function watchingPages(first: (asked: number) => void | Promise<void>, pages = 'readEntries'): object {
  let asked = 0
  const { ORGANISATIONS } = env
  const watch = (stub: DurableObjectStub): DurableObjectStub =>
    new Proxy(stub, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        if (name !== pages || typeof method !== 'function') return method
        return async (...given: unknown[]): Promise<unknown> => {
          await first(asked++)
          return Reflect.apply(method, target, given)
        }
      },
    })
  return {
    ORGANISATIONS: {
      idFromName: (name: string) => ORGANISATIONS.idFromName(name),
      get: (id: DurableObjectId) => watch(ORGANISATIONS.get(id)),
    },
  }
}
