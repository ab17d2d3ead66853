// Words for each feature that a tier may lack: a title that says what it does, and three lines.
import type { PageFeature } from '../../pages.ts'

type Words = { title: string; lines: readonly [string, string, string] }

export const LACKING_WORDS: Readonly<Record<PageFeature, Words>> = {
  human_approval: {
    title: 'A person decides before the text is sent',
    lines: [
      'Choose use cases, models or costs that wait',
      'Nobody can approve a request of their own key',
      'Each decision has a signed record, with who decided',
    ],
  },
  analytics: {
    title: 'See how calls ended and what they cost',
    lines: [
      'Calls, tokens and cost of up to 400 days',
      'By outcome, model, key or use case',
      'Compared with the days before, and as CSV',
    ],
  },
  all_calls: {
    title: 'Search all calls',
    lines: [
      'Every call, for as long as its details are kept',
      'By outcome, rule, key, model or use case, with a search',
      'The list that you chose as a file (CSV)',
    ],
  },
  bias_detection: {
    title: 'See where groups of calls are served differently',
    lines: [
      'Groups of calls compared by how they ended, with intervals',
      'Unusual days, with what was expected and what was seen',
      'Explanations of your people beside them',
    ],
  },
  compliance_report: {
    title: 'Read a compliance report as data',
    lines: [
      'Every control, with what was asked and what was found',
      'How calls ended in the period, and what they cost',
      'Its SHA-256 is in the log, so a change would show',
    ],
  },
  pdf_report: {
    title: 'Hand over a compliance report as a PDF',
    lines: [
      'Every control, with what was asked and what was found',
      'How calls ended in the period, and what they cost',
      'Drawn from data whose SHA-256 is in the log',
    ],
  },
  medical_receipts: {
    title: 'See the calls that have to do with patients',
    lines: [
      'The use cases that your policy names as medical',
      'Each with its signed record, decisions of people and proofs',
      'As a file that somebody else can check',
    ],
  },
}
