// Publishes a file. One write, the last, changes the version that answers come from.
import type { FileRefusal } from './dataset.ts'
import { type FileToPublish, planPublication, type PublicationPlan } from './plan-publication.ts'
import type { DatasetVersion, Manifest } from './stored-version.schema.ts'
import type { Acceptance, Concern } from './succession.policy.ts'
import type { WaitingListStore } from './waiting-lists.store.ts'

// KV takes many writes at once; more than a few only help until the connection is full.
const WRITES_AT_ONCE = 8

export interface Publication extends FileToPublish {
  /** The unusual facts that the operator accepts. */
  accept?: readonly Acceptance[] | undefined
  onProgress?: ((progress: PublishProgress) => void) | undefined
}

/** `done` of `total` writes; the last one is the pointer. */
export interface PublishProgress {
  step: 'file' | 'lists' | 'manifest' | 'pointer'
  done: number
  total: number
}

export type PublishOutcome =
  | { outcome: 'published'; manifest: Manifest; served: Manifest | null; warnings: string[] }
  | { outcome: 'refused'; line: number | null; reason: string }
  | { outcome: 'not_accepted'; concerns: Concern[] }
  /** Another publication changed the served version meanwhile; `served` is the new one. */
  | { outcome: 'overtaken'; served: DatasetVersion | null }

/**
 * Reads the file and writes it only if all of it is valid. The bytes go to R2, the lists and manifest to KV, the pointer last. An
 * interruption leaves the earlier version served; run the same command again.
 */
export async function publishDataset(store: WaitingListStore, publication: Publication): Promise<PublishOutcome> {
  const plan = await planPublication(store, publication)
  if (!plan.ok) return refused(plan)
  const concerns = concernsLeft(plan.concerns, publication.accept)
  if (concerns.length > 0) return { outcome: 'not_accepted', concerns }
  const overtaken = await writePlan(store, plan, publication)
  if (overtaken !== null) return overtaken
  const { manifest, served, warnings } = plan
  return { outcome: 'published', manifest, served, warnings }
}

/** Returns the concerns that the operator has not accepted. */
export function concernsLeft(concerns: readonly Concern[], accepted: readonly Acceptance[] = []): Concern[] {
  return concerns.filter(({ accept }) => !accepted.includes(accept))
}

async function writePlan(
  store: WaitingListStore,
  { version, manifest, lists, pointer }: PublicationPlan,
  { bytes, onProgress }: Publication,
): Promise<Extract<PublishOutcome, { outcome: 'overtaken' }> | null> {
  const total = lists.length + 3
  let done = 0
  const wrote = (step: PublishProgress['step']): void => {
    done += 1
    onProgress?.({ step, done, total })
  }

  await store.saveFile(version.hash, bytes)
  wrote('file')
  for (let start = 0; start < lists.length; start += WRITES_AT_ONCE) {
    await Promise.all(
      lists.slice(start, start + WRITES_AT_ONCE).map(async ({ key, value }) => {
        await store.saveLists(key, value)
        wrote('lists')
      }),
    )
  }
  const manifestKey = await store.saveManifest(manifest)
  wrote('manifest')
  // The file was compared with the version served at that time. Against another one it could be older or smaller.
  const found = await store.lookUpPointer()
  const now = found.outcome === 'ok' ? found.pointer : null
  if (now?.manifestKey !== pointer?.manifestKey) return { outcome: 'overtaken', served: now?.version ?? null }
  await store.savePointer({ format: 1, version, source: manifest.source, manifestKey })
  wrote('pointer')
  return null
}

function refused({ line, reason }: FileRefusal): PublishOutcome {
  return { outcome: 'refused', line, reason }
}
