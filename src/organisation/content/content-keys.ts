// Derives the keys that seal an organisation's stored content from its newest data key for content, and destroys that data key.
import { createHmac } from 'node:crypto'
import type { DataKey } from '../journal/archive-bucket.store.ts'
import { DataKeysStore } from '../journal/data-keys.store.ts'
import { ContentCleaningStore } from './content-cleaning.store.ts'
import {
  deriveContentKey,
  contentPlaceOf,
  readContentName,
  type ContentKind,
  type ContentPlace,
  type ContentPlan,
} from './content-object.ts'

type ContentIdentity = { attestationId: string; kind: ContentKind; expiresAt: number }

export class ContentKeys {
  readonly #object: string
  readonly #line: DataKeysStore
  readonly #cleaning: ContentCleaningStore

  /** @param object the organisation's name in the names of its R2 objects */
  constructor(sql: SqlStorage, object: string) {
    this.#object = object
    this.#line = new DataKeysStore(sql, 'content')
    this.#cleaning = new ContentCleaningStore(sql)
  }

  /** Returns the key that content will be sealed with, before its name is known. Call it inside a turn, as `place`. */
  plan(expiresAt: number, now: number): ContentPlan {
    const { fingerprint } = this.#line.newest() ?? this.#begin(now)
    return { fingerprint, expiresAt }
  }

  /** Returns where to store content. Call it inside a turn. Throws for an erased organisation. */
  place(wanted: ContentIdentity, now: number): ContentPlace {
    const key = this.#line.newest() ?? this.#begin(now)
    return contentPlaceOf(key, { object: this.#object, ...wanted })
  }

  /** Returns where content was stored under the key with a fingerprint; null if that key was destroyed. */
  find(wanted: ContentIdentity, fingerprint: string): ContentPlace | null {
    const key = this.#line.newest()
    return key?.fingerprint === fingerprint ? contentPlaceOf(key, { object: this.#object, ...wanted }) : null
  }

  /** Returns the key of the object with a name; null if that key was destroyed. */
  open(name: string, attestationId: string): Pick<ContentPlace, 'name' | 'key'> | null {
    const key = this.#line.newest()
    return key !== null && this.canRead(name) ? { name, key: deriveContentKey(key, attestationId) } : null
  }

  /** Returns an HMAC of the parts, which reveals nothing about them without the key. Call it inside a turn. */
  tag(parts: readonly string[], now: number): Uint8Array {
    const key = this.#line.newest() ?? this.#begin(now)
    return new Uint8Array(createHmac('sha256', key.bytes).update(JSON.stringify(parts)).digest())
  }

  /** Returns true if the key that sealed the object with this name still exists. */
  canRead(name: string): boolean {
    const key = this.#line.newest()
    return key !== null && readContentName(name)?.fingerprint === key.fingerprint
  }

  /** Destroys the key, so no content is readable; the alarm deletes it. Call it inside a turn. False if there was none. */
  destroy(now: number): boolean {
    const cleaning = this.#cleaning.read()
    if (cleaning === null || this.#line.newest() === null) return false
    this.#line.destroy()
    // A cleaning that was done at this very moment must be done again.
    this.#cleaning.write({ cleanedAt: Math.min(cleaning.cleanedAt, now - 1), destroyedAt: now })
    return true
  }

  #begin(now: number): DataKey {
    if (this.#cleaning.read() === null) this.#cleaning.begin(now)
    return this.#line.current()
  }
}
