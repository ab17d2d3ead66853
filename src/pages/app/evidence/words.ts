// The words of records and of what is found about them, each with the look that goes with it.

type Look = 'good' | 'warn' | 'bad' | 'soft'

export const OUTCOMES = ['passed', 'blocked', 'suppressed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const OUTCOME_LOOKS: Readonly<Record<Outcome, Look>> = { passed: 'good', blocked: 'bad', suppressed: 'warn' }

export const RESULT_LOOKS = { pass: 'good', fail: 'bad', not_available: 'soft' } as const

export const RESULT_WORDS = { pass: 'pass', fail: 'fail', not_available: 'not available' } as const

export const inWords = (name: string): string => name.replaceAll('_', ' ')
