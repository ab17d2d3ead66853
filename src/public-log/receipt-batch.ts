// An organisation's object hands each receipt's id and leaf hash to the public log, and nothing else of it. Anchors of its log go the
// same way, under a source of their own.

export type HandedReceipt = {
  /** The position of the leaf in its ledger; for an anchor the size of that ledger's log. */
  position: number
  attestationId: string
  leafHash: Uint8Array
}

export type ReceiptBatch = {
  /** The object it comes from, by its own opaque id; for anchors with `/anchors` behind it. */
  source: string
  /** The position of the source's receipt before the first of these; -1 for none. */
  after: number
  /** In order. */
  receipts: HandedReceipt[]
}

/** The position of the last of the source's receipts that the log has; below `after` it wants those in between first. */
export type Taken = { takenTo: number }
