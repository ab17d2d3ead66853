// What the bench has an object do with its ledger.

/** `bare`: the entry without the tree. `kept`: what stays once the details are gone, with a receipt for every leaf. */
export const WORK = ['append', 'bare', 'kept', 'head', 'inclusion', 'consistency'] as const

export type Work = (typeof WORK)[number]
