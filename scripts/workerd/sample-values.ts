// The invented sample as the service keeps it in KV: published by the service's own code into a store in memory.
import { sha256Hex } from '../../src/platform/sha256.ts'
import { manifestKey, POINTER_KEY } from '../../src/referral/waiting-lists/stored-version.ts'
import type { WaitingListStore } from '../../src/referral/waiting-lists/waiting-lists.store.ts'
import { publishSampleIfEmpty } from '../sample-dataset.ts'

/** Values by their KV key. */
export async function sampleValues(): Promise<Record<string, string>> {
  const values: Record<string, string> = {}
  await publishSampleIfEmpty(memoryStore(values))
  return values
}

/** Keeps what is saved to KV. Nothing is read back, and the file itself is not needed to serve its figures. */
function memoryStore(values: Record<string, string>): WaitingListStore {
  return {
    findPointer: async () => ({ outcome: 'no_dataset' }),
    lookUpPointer: async () => ({ outcome: 'no_dataset' }),
    readManifest: async () => null,
    readLists: async () => null,
    openFile: async () => ({ outcome: 'not_found' }),
    hasFile: async () => false,
    findManifest: async () => null,
    listHeld: async () => [],
    readHeld: async () => [],
    deleteManifests: async () => {},
    saveFile: async () => {},
    saveLists: async (key, value) => {
      values[key] = JSON.stringify(value)
    },
    saveManifest: async (manifest) => {
      const text = JSON.stringify(manifest)
      const key = manifestKey(manifest.version, sha256Hex(text))
      values[key] = text
      return key
    },
    savePointer: async (pointer) => {
      values[POINTER_KEY] = JSON.stringify(pointer)
    },
  }
}
