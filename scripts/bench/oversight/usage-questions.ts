// What is asked about a year of counts, and how many there are.
export const YEAR_DAYS = 365

/** The year's first day, in whole days since the epoch. */
export const FIRST_DAY = 20_454
export const LAST_DAY = FIRST_DAY + YEAR_DAYS - 1

/** Each day has a row for each of their combinations. */
export type Year = { keys: number; models: number; useCases: number; endings: number }

export const YEARS: readonly Year[] = [
  { keys: 10, models: 5, useCases: 1, endings: 3 },
  { keys: 50, models: 8, useCases: 3, endings: 3 },
]

export const rowsOf = ({ keys, models, useCases, endings }: Year): number =>
  YEAR_DAYS * keys * models * useCases * endings

type Question = {
  bucket: 'day' | 'month' | 'total'
  by: 'all' | 'model' | 'key' | 'use_case' | 'outcome'
  filter?: { key: string }
  days?: number
}

/** Of a year where no days are said. Each is answered with the largest page there is, and with latencies where these are kept so. */
const QUESTIONS = {
  'by day': { bucket: 'day', by: 'all' },
  'by day and model': { bucket: 'day', by: 'model' },
  'by day and outcome': { bucket: 'day', by: 'outcome' },
  'by day and use case': { bucket: 'day', by: 'use_case' },
  'by day and key, 92 days': { bucket: 'day', by: 'key', days: 92 },
  'by month and key': { bucket: 'month', by: 'key' },
  'by model': { bucket: 'total', by: 'model' },
  'by key': { bucket: 'total', by: 'key' },
  'by use case': { bucket: 'total', by: 'use_case' },
  'by outcome': { bucket: 'total', by: 'outcome' },
  'by day of one key': { bucket: 'day', by: 'all', filter: { key: 'key-1' } },
  '30 days by day and model': { bucket: 'day', by: 'model', days: 30 },
  '92 days by model of one key': { bucket: 'total', by: 'model', filter: { key: 'key-1' }, days: 92 },
} as const satisfies Record<string, Question>

export const QUESTION_NAMES = Object.keys(QUESTIONS)

export const findQuestion = (wanted: string): Question | undefined =>
  Object.entries(QUESTIONS).find(([name]) => name === wanted)?.[1]
