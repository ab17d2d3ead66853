// What the bench has its Worker do.

/** In an object. `bare`: the entry without the tree. `kept`: what stays once the details are gone, with a receipt each. */
export const LEDGER_WORK = ['append', 'bare', 'kept', 'head', 'inclusion', 'consistency'] as const

/** In the Worker. The native ones do nothing but what the runtime does over the same bytes. */
export const SIGNATURE_WORK = ['sign', 'native sign', 'verify', 'native verify'] as const

export type LedgerWork = (typeof LEDGER_WORK)[number]
export type SignatureWork = (typeof SIGNATURE_WORK)[number]
export type Work = LedgerWork | SignatureWork
