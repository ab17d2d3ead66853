// The checklist's sentences in the words of the pages.
import { withoutRoutes } from '../../text/reword-text.ts'

/** Nouns of the API and of the checklist's text, and the ones that pages say. */
const NOUNS: readonly (readonly [of: RegExp, word: string])[] = [
  [
    /^Bias detection was run within (\d+ days), and its anomalies are explained\./g,
    'Comparisons of the last $1, and their anomalies.',
  ],
  [/^Groups are compared, and differences explained$/g, 'Groups are compared, and do not differ'],
  [/ between them without an explanation\./g, ' between them.'],
  [/\ban act in the ledger\b/g, 'an entry of the log'],
  [/\bledger\b/g, 'log'],
  [/\bentries with their leaves\b/g, 'entries with their proofs'],
  [/\bthe hash of each against its leaf\b/g, 'the hash of each against the one in the log'],
  [/\bthe hash of its leaf\b/g, 'the hash that is in the log'],
  [/\breceipt(s?)\b/g, 'record$1'],
  [/\bReceipts\b/g, 'Records'],
  [/\bdeclared cohorts\b/g, 'the policy’s comparison groups'],
  [/\bcohort(s?)\b/g, 'comparison group$1'],
  [/\bdisparity\b/g, 'difference'],
  [/\bdisparities\b/g, 'differences'],
  [/“stated”/g, '“explained”'],
]

/** A sentence of the checklist in the words of the pages. */
export const inPageWords = (text: string): string =>
  NOUNS.reduce(
    (changed, [of, word]) => changed.replaceAll(of, word),
    withoutRoutes(text.replace('runs GET /api/compliance/bias-detection', 'runs a comparison')),
  )
