// What the bench has its Worker do.

/**
 * In an object. `bare`: the entry without the tree. `call`: both entries of a chat call. `kept`: what stays of them once their
 * details have left. `public leaf`, `public head`: a receipt in the public log; a receipt and a head over it.
 */
export const LEDGER_WORK = [
  'append',
  'bare',
  'call',
  'kept',
  'head',
  'inclusion',
  'consistency',
  'public leaf',
  'public head',
] as const

/** In the Worker. The native ones do nothing but what the runtime does over the same bytes. */
export const SIGNATURE_WORK = ['sign', 'native sign', 'verify', 'native verify'] as const

/** In the Worker: five hundred calls' details are packed and sealed. */
export const SEALING = 'seal'

export type LedgerWork = (typeof LEDGER_WORK)[number]
export type SignatureWork = (typeof SIGNATURE_WORK)[number]
export type Work = LedgerWork | SignatureWork | typeof SEALING
