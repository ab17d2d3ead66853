// Says in a sentence what a finding of the verifier means. The library's own terms are shown apart.
import type { ReportedFinding } from '../../evidence/verify/findings-report.ts'
import { formatNumber } from '../text/format.ts'

type Kind = ReportedFinding['kind']

/**
 * The sentences of valid findings. `#`: an entry and the number of entries, left out if the finding does not name them. A name of
 * two words is of the second kind, beside a document of the first.
 */
const PROVEN: Readonly<Partial<Record<Kind | `${Kind} ${Kind}`, string>>> = {
  record: 'The record is signed, and nothing in it was changed.',
  request: 'The record is about the request that you gave.',
  facts: 'The record’s id is that of the facts beside it: who asked, which provider, why.',
  organisation_log: 'The record is # in the organisation’s log.',
  public_log: 'Its hash is # in the public log.',
  inclusion: 'It is # in the log.',
  settlement: 'How the call ended was added to the same log later.',
  keys: 'By the list of keys inside it, the key was valid at that time.',
  anchor: 'The public log has an entry for the state of the organisation’s log.',
  head: 'The head of the log is signed.',
  consistency: 'The log only grew between the two heads.',
  checkpoint: 'The log’s key signed the checkpoint.',
  'older checkpoint': 'The log’s key signed the older checkpoint.',
  witnesses: 'Enough of the witnesses that you trust cosigned it.',
  age: 'It is no older than you allow.',
  acceptance: 'A decision of a person is signed.',
  approval: 'The state of the approval follows from the signed decisions.',
  subject: 'The record that people decided about is signed.',
  receipt: 'The file is signed, and agrees with the record in it.',
  export: 'The export is complete.',
  reading: 'The reading is signed, and nothing in it was changed.',
  letter: 'The letter is the one that was read.',
  'reading settlement': 'The entry has this reading’s hash.',
  'reading inclusion': 'The log has this reading’s hash: it is #.',
  outcome: 'The choice is signed, and nothing in it was changed.',
  'outcome subject': 'The choice is about the reading that you gave, and follows from it.',
}

/** A valid finding in a sentence, or its name where it has none. @param main the kind of the document's own finding */
export function provenText({ kind, ...shown }: ReportedFinding, main: Kind): string {
  if (kind === 'answer' && 'subject' in shown) return `The answer that you gave is what was sent: ${shown.subject}.`
  if (kind === 'coverage' && 'subject' in shown)
    return `The log says: ${plainWords(shown.subject.replaceAll(COUNTERS, ''))}.`
  if (kind === 'answer_scan' && 'subject' in shown) return `The answer was searched: ${shown.subject}.`
  const sentence = PROVEN[`${main} ${kind}`] ?? PROVEN[kind]
  if (sentence === undefined) return `${nameOfFinding(kind, main)}: valid.`
  const [, entry, entries] = /.*leaf (\d+) of (\d+)/.exec('subject' in shown ? shown.subject : '') ?? []
  if (entry === undefined) return sentence.replace('# ', '')
  return sentence.replace('#', `entry ${formatNumber(Number(entry))} of ${formatNumber(Number(entries))}`)
}

type Findings = readonly ReportedFinding[]

/** True for a statement of the log about its software, which nothing outside it confirms. */
const isApart = ({ kind, valid, code }: ReportedFinding): boolean => kind === 'coverage' && valid && code === null

const isFirst = ({ kind, valid }: ReportedFinding, isLines: boolean): boolean => (isLines ? kind === 'export' : !valid)

/** The findings in their order on the page: faults first, or of lines what holds for all; and those of lines that are folded. */
export function arranged(findings: Findings, isLines: boolean): readonly [shown: Findings, apart: Findings] {
  const { apart = [], shown = [] } = Object.groupBy(findings, (one) => (isLines && isApart(one) ? 'apart' : 'shown'))
  return [shown.toSorted((one, other) => Number(isFirst(other, isLines)) - Number(isFirst(one, isLines))), apart]
}

/** The names of counters behind each reason, which their sums at the end repeat. */
const COUNTERS = / \((?!not counted)[^)]*\)/g

const NOTES: Readonly<Record<string, string>> = {
  not_anchored: 'The public log has no entry for the organisation’s log yet, or it was left out of this file.',
  not_anchored_yet:
    'The public log has an entry for an older state of the organisation’s log, without its newest entries.',
  facts_not_covered: 'The log has no hash of the facts of some decisions: an older version recorded them.',
  other_kind: 'Some entries are of an unknown kind. Only their place in the log is checked.',
  coverage_absent: 'The log does not say which software made some decisions.',
  coverage_elsewhere: 'What the log says of the software that made some decisions is not in this file.',
  facts_withheld: 'The facts of the decision were left out of this file.',
  answer_not_covered: 'The log has no hash of the answer, so no copy of it can be proven.',
  answers_not_searched: 'Nothing of the answer was searched.',
  only_the_signed_part: 'Only the signed part is proven. The rest has the same id, letter and decision.',
  rest_unchanged: 'No change was found in the rest of the file. Its proofs need a key.',
  only_the_record:
    'Only its record is proven, not its text, model, usage or cost. Give its evidence file here, and the answer beside it.',
}

export const noteText = (shown: ReportedFinding, main: Kind): string =>
  NOTES[shown.code ?? ''] ?? `${provenText(shown, main)} ${plainWords(shown.reason ?? '')}`

const NAMES: Readonly<Partial<Record<keyof typeof PROVEN, string>>> = {
  acceptance: 'Decision of a person',
  receipt: 'File',
  organisation_log: 'Organisation’s log',
  settlement: 'How it ended',
  'reading settlement': 'Log entry',
  outcome: 'Choice',
  'outcome subject': 'Reading that it is about',
}

export function nameOfFinding(kind: Kind, main: Kind): string {
  const words = NAMES[`${main} ${kind}`] ?? NAMES[kind] ?? kind.replaceAll('_', ' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** Replacements in the library's sentences: the command's option by the page's field, and a code or a leaf by the page's word. */
const FIELDS: readonly [RegExp, string][] = [
  [/give that with --answer/, 'check that, with the error under “Answer”'],
  [/check it with --profile [\w-]+/, 'if it is to be one, choose it under “Kind”'],
  [
    /It is not a settlement: the entry is not its tag.*/,
    'What it says, such as its cost, is not what the log’s entry says.',
  ],
  [/It has a member that evidence bundles do not have/, 'It has a member that such files do not have'],
  [/as --proof and --head/, 'under “Proof of inclusion” and “Signed head”'],
  [/It needs --proof or --tiles/, 'It needs a proof that the log only grew'],
  [/than --max-age allows/, 'than you allow'],
  [/within --max-age/, 'within the age you allow'],
  [/\brefused\.(?=\w)/g, 'refused for '],
  [/\bother_calls\b/g, 'other calls'],
  [/\ba leaf\b/g, 'an entry'],
  [/\bleaf\b/g, 'entry'],
  [/\bleaves\b/g, 'entries'],
  [/\bLeaf\b/g, 'Entry'],
  [/\bLeaves\b/g, 'Entries'],
]

/** Returns the reason in the words of the page. @param kind decides whether the same sentence is about the record or the whole file */
export const reasonText = ({ kind, reason }: Pick<ReportedFinding, 'kind' | 'reason'>): string =>
  plainWords(kind === 'receipt' ? (reason ?? '').replace('over this record', 'over this file') : (reason ?? ''))

export const plainWords = (text: string): string =>
  FIELDS.reduce((sentence, [option, field]) => sentence.replace(option, field), text)
