// What is kept of an entry beside its leaf, as long as its retention says.

export type Details = {
  readonly position: number
  readonly kind: string
  /** When the entry was written, and when its retention is over: milliseconds since the epoch. */
  readonly at: number
  readonly expiresAt: number
  readonly entry: Uint8Array<ArrayBuffer>
  /** JSON of what is known beside the entry. */
  readonly facts: string | null
}
