// What a key is called where only its id is known.
import type { Key } from '../../../keys/key.schema.ts'
import type { List } from '../../../platform/list.schema.ts'

/** The id itself where the name is not known, or the person may not see keys. */
export const keyName = (id: string, keys: List<Key> | null): string =>
  keys?.data.find((key) => key.id === id)?.name ?? id
