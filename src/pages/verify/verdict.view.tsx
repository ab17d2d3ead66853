// Verifier page: shows the verdict, each finding in the library's own sentence, and what the check does not prove.
import { NOT_PROVEN } from '../../evidence/verify/verification-finding.ts'
import type { ReportedFinding, Verdict } from '../../evidence/verify/findings-report.ts'
import { CopyButton } from '../parts/copy-button.view.tsx'
import { formatElapsed, formatNumber, plural } from '../text/format.ts'
import type { Checked } from './run-check.ts'

const VERDICT_TEXTS: Readonly<Record<Verdict, { title: string; tone: string; sentence: string }>> = {
  valid: {
    title: 'Valid',
    tone: 'good',
    sentence: 'All of it is whole, and signed by keys that you gave.',
  },
  not_proven: {
    title: 'Not proven',
    tone: 'warn',
    sentence: 'Nothing is wrong with it, and no key that you gave vouches for all of it.',
  },
  invalid: { title: 'Not valid', tone: 'bad', sentence: 'Something in it is wrong. Do not rely on any of it.' },
  unreadable: {
    title: 'Not checked',
    tone: 'bad',
    sentence: 'Something in it could not be read, so not everything was checked.',
  },
}

export function VerdictView({ checked }: { checked: Checked }) {
  const { report, isLines, notProven, tookMs } = checked
  const { title, tone, sentence } = VERDICT_TEXTS[report.verdict]
  return (
    <div class="stack">
      <div class={`notice ${tone} stack`}>
        <h2>{title}</h2>
        <p>{sentence}</p>
        {isLines && <p class="number">{countsOf(checked)}</p>}
      </div>
      {report.findings.length > 0 && (
        <ul class="list" aria-label="What was found">
          {report.findings.map((shown, at) => (
            <FindingItem key={String(at)} shown={shown} />
          ))}
        </ul>
      )}
      {notProven.length > 0 && (
        <section class="stack">
          <h3>What this does not say</h3>
          <ul>
            {notProven.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </section>
      )}
      <p class="row small soft">
        <span>Checked in this browser in {formatElapsed(tookMs)}.</span>
        <span>
          The findings as JSON: <CopyButton text={JSON.stringify(report, null, 2)} what="the findings as JSON" />
        </span>
      </p>
    </div>
  )
}

function countsOf({ report: { checked, invalid, unreadable, findings } }: Checked): string {
  const counts = `${plural(checked, 'line')} checked, ${formatNumber(invalid)} invalid, ${formatNumber(unreadable)} unreadable.`
  const listed = findings.filter(({ valid }) => !valid).length
  return invalid + unreadable > listed ? `${counts} The first ${formatNumber(listed)} are listed.` : counts
}

function FindingItem({ shown }: { shown: ReportedFinding }) {
  const { kind, line, reason, code } = shown
  return (
    <li class="stack-s">
      <p class="row">
        <Badge shown={shown} />
        <strong>{kind.replaceAll('_', ' ')}</strong>
        {line !== undefined && <span class="number soft">line {formatNumber(line)}</span>}
      </p>
      {'subject' in shown && shown.subject !== '' && <p class="hash soft">{shown.subject}</p>}
      {reason !== null && (
        <p>
          {withFieldNames(reason)} <code class="soft">{code}</code>
        </p>
      )}
    </li>
  )
}

function Badge({ shown: { kind, valid, code } }: { shown: ReportedFinding }) {
  if (valid && code !== null) return <span class="badge warn">note</span>
  if (valid) return <span class="badge good">valid</span>
  if (kind === 'unreadable') return <span class="badge bad">unreadable</span>
  return code === NOT_PROVEN ? <span class="badge warn">not proven</span> : <span class="badge bad">not valid</span>
}

/** Replacements in a finding's sentence: the command's option by the page's field. */
const FIELDS: readonly [string, string][] = [
  ['check it with --profile accept-1', 'choose a person’s decision under “What it is”'],
  ['as --proof and --head', 'under “Proof of inclusion” and “Signed head”'],
  ['It needs --proof or --tiles', 'It needs a proof that the log only grew'],
  ['than --max-age allows', 'than you allow'],
  ['within --max-age', 'within the age you allow'],
]

const withFieldNames = (reason: string): string =>
  FIELDS.reduce((sentence, [option, field]) => sentence.replace(option, field), reason)
