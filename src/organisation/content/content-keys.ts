// Derives the keys of an organisation's content: one for each object, from the newest key of the line.
import { createHmac } from 'node:crypto'
import type { DataKey } from '../journal/sealed-object.ts'
import { DataKeysStore } from '../journal/data-keys.store.ts'
import { ContentCleaningStore } from './content-cleaning.store.ts'
import { keyOfContent, placeOfContent, readContentName, type ContentKind, type ContentPlace } from './content-object.ts'

type Wanted = { attestationId: string; kind: ContentKind; expiresAt: number }

export class ContentKeys {
  readonly #object: string
  readonly #line: DataKeysStore
  readonly #cleaning: ContentCleaningStore

  /** @param object names the organisation in the names of its objects */
  constructor(sql: SqlStorage, object: string) {
    this.#object = object
    this.#line = new DataKeysStore(sql, 'content')
    this.#cleaning = new ContentCleaningStore(sql)
  }

  /** Returns where content is to be put. Belongs inside a turn. Throws for an erased organisation. */
  place(wanted: Wanted, now: number): ContentPlace {
    const key = this.#line.newest() ?? this.#begin(now)
    return placeOfContent(key, { object: this.#object, ...wanted })
  }

  /** Returns where content was put under the key of a fingerprint; null if that key was destroyed. */
  find(wanted: Wanted, fingerprint: string): ContentPlace | null {
    const key = this.#line.newest()
    return key?.fingerprint === fingerprint ? placeOfContent(key, { object: this.#object, ...wanted }) : null
  }

  /** The same by its name. */
  open(name: string, attestationId: string): Pick<ContentPlace, 'name' | 'key'> | null {
    const key = this.#line.newest()
    return key !== null && this.canRead(name) ? { name, key: keyOfContent(key, attestationId) } : null
  }

  /** Returns an HMAC of the parts, which says nothing of them without the key. Belongs inside a turn. */
  tag(parts: readonly string[], now: number): Uint8Array {
    const key = this.#line.newest() ?? this.#begin(now)
    return new Uint8Array(createHmac('sha256', key.bytes).update(JSON.stringify(parts)).digest())
  }

  /** True if the key that content is sealed under, by its name, still exists. */
  canRead(name: string): boolean {
    const key = this.#line.newest()
    return key !== null && readContentName(name)?.fingerprint === key.fingerprint
  }

  /** All content is noise from here on, and deleted by the alarm. Belongs inside a turn. False where there was none. */
  destroy(now: number): boolean {
    const cleaning = this.#cleaning.read()
    if (cleaning === null || this.#line.newest() === null) return false
    this.#line.destroy()
    // Whatever was done in this very moment is done again.
    this.#cleaning.write({ cleanedAt: Math.min(cleaning.cleanedAt, now - 1), destroyedAt: now })
    return true
  }

  #begin(now: number): DataKey {
    if (this.#cleaning.read() === null) this.#cleaning.begin(now)
    return this.#line.current()
  }
}
