// The store of waiting lists, opened from the operator's machine.
import { createWaitingListStore, type WaitingListStore } from '../src/referral/waiting-lists/waiting-lists.store.ts'
import { withBindings, type StorageOptions } from './bindings.ts'

export function withDatasetStore<Result>(
  options: StorageOptions,
  work: (store: WaitingListStore) => Promise<Result>,
): Promise<Result> {
  return withBindings(options, ({ DATASETS, FILES }) =>
    work(createWaitingListStore({ kv: DATASETS, r2: FILES, now: Date.now })),
  )
}
