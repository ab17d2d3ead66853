// What an erasure consists of, step by step. Pure.

/** In this order. */
export const ERASURE_STEPS = [
  'close',
  'settle',
  'publish',
  'seal',
  'data_keys',
  'sealed_objects',
  'details',
  'tables',
  'registrations',
  'record',
  'register',
] as const

export type ErasureStep = (typeof ERASURE_STEPS)[number]
