// A key as people go by it: its name, or its id where that cannot be had.
import type { Key } from '../../keys/key.schema.ts'

export const KeyName = ({ id, keys }: { id: string; keys: ReadonlyMap<string, Key> }) => (
  <>{keys.get(id)?.name ?? <span class="hash">{id}</span>}</>
)
