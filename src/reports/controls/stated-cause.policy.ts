// The causes that a person may name in a statement about an anomaly, a disparity or an incident.

export const STATED_CAUSES = ['provider', 'own_change', 'expected', 'not_known'] as const

export type StatedCause = (typeof STATED_CAUSES)[number]

export const CAUSE_NAMES: Readonly<Record<StatedCause, string>> = {
  provider: 'Provider',
  own_change: 'Our change',
  expected: 'Expected',
  not_known: 'Not known',
}
