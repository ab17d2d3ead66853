// The keys that sealed details are sealed under, as whoever keeps them gives them out.

export type DataKey = {
  number: number
  bytes: Uint8Array<ArrayBuffer>
  /** Tells the key from any other of the same number, and nothing of the key itself. */
  fingerprint: string
}

export type DataKeys = {
  /** The key to seal under. */
  current(): DataKey
  /** Null when it has been destroyed. */
  find(number: number): DataKey | null
}
