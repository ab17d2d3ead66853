// The local KV and R2 of the test runtime, with a clock that tests turn, and a KV that can be made to fail.
import { env } from 'cloudflare:workers'
import type { DatasetSource } from '../../../../src/referral/waiting-lists/stored-version.ts'
import { publishDataset, type Publication } from '../../../../src/referral/waiting-lists/publish-dataset.ts'
import { createWaitingListService } from '../../../../src/referral/waiting-lists/waiting-lists.service.ts'
import {
  createWaitingListStore,
  type WaitingListStore,
} from '../../../../src/referral/waiting-lists/waiting-lists.store.ts'

export const SOURCE: DatasetSource = {
  publisher: 'Invented Publisher',
  title: 'invented.csv',
  url: 'https://publisher.example/invented.csv',
  acknowledgement: 'Invented figures.',
  kind: 'outpatient',
}

/** Everything that a publication needs beside its file, so that nothing is guessed or asked. */
export const EXPLICIT = {
  publishedOn: '2026-10-09',
  today: '2026-10-10',
  source: SOURCE,
  kind: 'outpatient',
  accept: ['older', 'smaller', 'incomplete', 'new-names'],
} as const

/** One isolate: its own memory and clock over the shared storage. */
export function openIsolate({ kv = env.DATASETS, r2 = env.FILES } = {}) {
  const clock = { now: Date.parse('2026-10-10T09:00:00Z') }
  const store = createWaitingListStore({ kv, r2, now: () => clock.now })
  return { clock, store, service: createWaitingListService({ store }) }
}

/** A binding on which the calls named fail, and every call is counted. */
export function watch<Binding extends object>(binding: Binding, failing: ReadonlySet<PropertyKey> = new Set()) {
  const calls: PropertyKey[] = []
  const watched = new Proxy(binding, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => {
        calls.push(name)
        if (failing.has(name)) return Promise.reject(new Error('storage is down'))
        return Reflect.apply(member, target, args)
      }
    },
  })
  return { calls, watched }
}

export async function publishOk(
  store: WaitingListStore,
  publication: Partial<Publication> & Pick<Publication, 'bytes'>,
) {
  const outcome = await publishDataset(store, { ...EXPLICIT, ...publication })
  if (outcome.outcome !== 'published') throw new Error(JSON.stringify(outcome))
  return outcome
}
