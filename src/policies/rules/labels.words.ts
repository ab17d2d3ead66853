import { useCaseWords, type WordsOf } from './rule-words.ts'

export const medicalUseCases: WordsOf<'medical_use_cases'> = {
  name: 'Medical use cases',
  about:
    'The use cases whose calls leave medical receipts. Where this is off, all calls do. The tiers Healthcare and Enterprise have receipts.',
  off: 'every call counts as one',
  start: [],
  members: [{ label: 'Medical use cases', names: 'use cases', isKeptEmpty: true }],
  isLabel: true,
}

export const highRiskUseCases: WordsOf<'high_risk_use_cases'> = {
  name: 'High-risk use cases',
  about: 'Those that the organisation says are high-risk. The compliance score asks whether people approve them.',
  start: [],
  members: [{ label: 'High-risk use cases', names: 'use cases', isKeptEmpty: true }],
  isLabel: true,
}

export const bias: WordsOf<'bias'> = {
  name: 'Comparison groups',
  about:
    'Up to twelve coded labels that callers may send in x-aqta-cohort. A label can be special-category data: use codes, and only where you may.',
  off: 'calls are not compared',
  start: { cohorts: [] },
  members: [{ name: 'cohorts', label: 'Labels', names: 'labels', isKeptEmpty: true }],
  isLabel: true,
  summary: ({ cohorts }) => useCaseWords(cohorts),
}
