// How busy the organisation is whose counts are looked through, and what is worked out of them.

export const BUSY = { key: 50, model: 8, use_case: 20 } as const
export const COUNTED_DAYS = 365
export const CALLS_AN_HOUR = 2000

export const LOOKS = ['rates', 'days', 'model', 'key'] as const
export type Look = (typeof LOOKS)[number]
