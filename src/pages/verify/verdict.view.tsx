// Verifier page: shows the verdict, each finding in a sentence and in the library's exact terms, the record's facts, and what the check
// does not prove.
import { NOT_PROVEN } from '../../evidence/verify/verification-finding.ts'
import { isDemoOrganisation } from '../../platform/ids.ts'
import type { ReportedFinding, Verdict } from '../../evidence/verify/findings-report.ts'
import { CopyButton } from '../parts/copy-button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { blocked, failed, info, proven, unproven, type IconPaths } from '../parts/icons.ts'
import { Band, Seal } from '../parts/ornament.view.tsx'
import { OutcomeBadge } from '../parts/outcome-badge.view.tsx'
import { Facts } from '../parts/page-blocks.view.tsx'
import { formatElapsed, formatMoment, formatNumber, plural } from '../text/format.ts'
import { provenText, noteText, nameOfFinding } from './finding-text.ts'
import type { RecordFacts } from './record-facts.ts'
import type { Checked } from './run-check.ts'
import { publishedNote } from './verifier-inputs.ts'

type Words = { title: string; look: string; sign: IconPaths; sentence: string }

const VERDICT_TEXTS: Readonly<Record<Verdict, Words>> = {
  valid: {
    title: 'Valid',
    look: 'valid',
    sign: proven,
    sentence: 'Signed by keys that you gave, and unchanged since.',
  },
  not_proven: {
    title: 'Not proven',
    look: 'unproven',
    sign: unproven,
    sentence: 'Nothing in it is wrong, but what you gave does not prove all of it.',
  },
  invalid: {
    title: 'Not valid',
    look: 'invalid',
    sign: blocked,
    sentence: 'Something in it is wrong. Do not rely on any of it.',
  },
  unreadable: {
    title: 'Not checked',
    look: 'invalid',
    sign: failed,
    sentence: 'Something in it could not be read, so not everything was checked.',
  },
}

const BY_PUBLISHED_KEYS =
  'Signed by keys that this service publishes, and unchanged since: you trust the service for them.'

type Props = { checked: Checked; isPublished: boolean; isExample: boolean }

export function VerdictView({ checked, isPublished, isExample }: Props) {
  const { report, isLines, notProven, tookMs, record, facts } = checked
  const isValid = report.verdict === 'valid'
  const { title, look, sign, sentence } = VERDICT_TEXTS[report.verdict]
  return (
    <section class="sheet lifted verdict-sheet">
      {isValid && <Band />}
      <div class={`verdict-head ${look}`}>
        {isValid ? <Seal /> : <Icon of={sign} />}
        <div>
          <h2 tabIndex={-1}>{title}</h2>
          <p>{isValid && isPublished ? `${BY_PUBLISHED_KEYS} ${publishedNote()}` : sentence}</p>
          {isExample ? (
            <p>
              <span class="badge warn">An invented example</span> Anybody can sign with its key.
            </p>
          ) : (
            isDemoOrganisation(record?.organisation ?? facts?.organisation ?? '') && (
              <p class="badge warn">Invented data</p>
            )
          )}
          {isLines && <p class="number">{countsOf(checked)}</p>}
        </div>
      </div>
      {report.findings.length > 0 && (
        <ul class="plain findings-list" aria-label="What was found">
          {(isLines ? report.findings : faultsFirst(report.findings)).map((shown, at) => (
            <FindingItem
              key={String(at)}
              shown={shown}
              main={report.findings[0]?.kind ?? shown.kind}
              isTerse={record !== null || facts !== null}
            />
          ))}
        </ul>
      )}
      {isValid && record !== null && <RecordAsSigned record={record} />}
      {isValid && facts !== null && <Facts facts={facts.list} />}
      {report.verdict === 'invalid' && (
        <section class="stack-s not-said">
          <h3>What to do</h3>
          <ul>
            <li>Ask for the original, as it was answered or saved, and check that.</li>
            <li>If it stays not valid, send the findings to the issuer.</li>
          </ul>
        </section>
      )}
      {report.verdict !== 'invalid' && notProven.length > 0 && (
        <section class="stack-s not-said">
          <h3>What this does not say</h3>
          <ul>
            {notProven.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </section>
      )}
      {!isLines && <ExactTerms findings={report.findings} />}
      <div class="sheet-foot soft">
        <span>Checked in this browser in {formatElapsed(tookMs)}.</span>
        <span>
          The findings as JSON: <CopyButton text={JSON.stringify(report, null, 2)} what="the findings as JSON" />
        </span>
        <button type="button" class="as-link no-print" onClick={() => print()}>
          Print this result
        </button>
      </div>
    </section>
  )
}

const faultsFirst = (findings: readonly ReportedFinding[]): readonly ReportedFinding[] =>
  findings.toSorted((one, other) => Number(one.valid) - Number(other.valid))

/** The findings as the library names them: what an auditor quotes, or looks for in the documents. */
const ExactTerms = ({ findings }: { findings: readonly ReportedFinding[] }) => (
  <details>
    <summary>The findings in exact terms</summary>
    <ul class="plain hash soft">
      {findings.map((shown, at) => (
        <li key={String(at)}>
          {[shown.kind, signOf(shown)[0], 'subject' in shown && shown.subject, shown.code].filter(Boolean).join(' · ')}
        </li>
      ))}
    </ul>
  </details>
)

const RecordAsSigned = ({ record }: { record: RecordFacts }) => (
  <Facts
    facts={[
      [
        'Decision',
        <>
          <OutcomeBadge outcome={record.outcome} />{' '}
          <span class="soft small">
            signed as <code>{record.signed}</code>
          </span>
        </>,
      ],
      ['Decided', formatMoment(new Date(record.timestamp), false)],
      ['Record', <code>{record.id}</code>],
      ['Organisation', <code>{record.organisation}</code>],
      ['Model', record.model],
      ['Rules applied', <code>{record.rules.join(', ')}</code>],
      ['Request hash', <code>{record.requestHash}</code>],
    ]}
  />
)

function countsOf({ report: { checked, invalid, unreadable, findings } }: Checked): string {
  const counts = `${plural(checked, 'line')} checked, ${formatNumber(invalid)} invalid, ${formatNumber(unreadable)} unreadable.`
  const listed = findings.filter(({ valid }) => !valid).length
  return invalid + unreadable > listed ? `${counts} The first ${formatNumber(listed)} are listed.` : counts
}

type FindingProps = {
  shown: ReportedFinding
  /** The kind of the document's own finding, which comes first. */
  main: ReportedFinding['kind']
  /** True if the facts below say what the finding is about. */
  isTerse: boolean
}

function FindingItem({ shown, main, isTerse }: FindingProps) {
  const { kind, line, reason, code, valid } = shown
  const subject = 'subject' in shown && shown.subject !== '' && <p class="hash soft">{shown.subject}</p>
  const [word, look, sign] = signOf(shown)
  const where = line !== undefined && <span class="number soft">line {formatNumber(line)}</span>
  if (valid) {
    return (
      <li class={look}>
        <Icon of={sign} />
        <div>
          <p>
            {where} {code === null ? provenText(shown, main) : noteText(shown, main)}
          </p>
          {/* The sentence about a coverage entry has its subject. */}
          {!isTerse && !(kind === 'coverage' && code === null) && subject}
        </div>
      </li>
    )
  }
  return (
    <li class={look}>
      <Icon of={sign} />
      <div>
        <p>
          <strong>{nameOfFinding(kind, main)}</strong> <span class="finding-word">{word}</span> {where}
        </p>
        {reason !== null && (
          <p>
            {withFieldNames(reason)} <code class="soft">{code}</code>
          </p>
        )}
        {!isTerse && subject}
      </div>
    </li>
  )
}

function signOf({ kind, valid, code }: ReportedFinding): [word: string, look: string, sign: IconPaths] {
  if (valid && code !== null) return ['note', 'note', info]
  if (valid) return ['valid', 'proven', proven]
  if (kind === 'unreadable') return ['unreadable', 'broken', failed]
  return code === NOT_PROVEN ? ['not proven', 'note', unproven] : ['not valid', 'broken', blocked]
}

/** Replacements in a finding's sentence: the command's option by the page's field. */
const FIELDS: readonly [string | RegExp, string][] = [
  ['give that with --answer', 'check that, with the error under “Answer”'],
  [/check it with --profile [\w-]+/, 'if it is to be one, choose it under “What it is”'],
  ['as --proof and --head', 'under “Proof of inclusion” and “Signed head”'],
  ['It needs --proof or --tiles', 'It needs a proof that the log only grew'],
  ['than --max-age allows', 'than you allow'],
  ['within --max-age', 'within the age you allow'],
]

const withFieldNames = (reason: string): string =>
  FIELDS.reduce((sentence, [option, field]) => sentence.replace(option, field), reason)
