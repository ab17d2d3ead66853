// What the bench has its Worker do that needs no object.

/** The native ones do nothing but what the runtime does over the same bytes. */
export const SIGNATURE_WORK = ['sign', 'native sign', 'verify', 'native verify'] as const

/** Five hundred calls' details are packed and sealed. */
export const SEALING = 'seal'

export type SignatureWork = (typeof SIGNATURE_WORK)[number]
export type Work = SignatureWork | typeof SEALING
