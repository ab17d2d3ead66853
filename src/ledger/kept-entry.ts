/** What is kept of an entry, as long as its retention says. Times in milliseconds since the epoch. */
export type KeptEntry = {
  readonly position: number
  readonly kind: string
  /** The time it counts for. */
  readonly at: number
  readonly expiresAt: number
  readonly entry: Uint8Array<ArrayBuffer>
  /** JSON of what is known beside the entry. */
  readonly facts: string | null
}
