// Verifier page: shows the verdict with a drawing of what was checked, each finding in the library's own sentence, the record's facts,
// and what the check does not prove.
import { NOT_PROVEN } from '../../evidence/verify/verification-finding.ts'
import type { ReportedFinding, Verdict } from '../../evidence/verify/findings-report.ts'
import { CopyButton } from '../parts/copy-button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { blocked, failed, info, proven, unproven, type IconPaths } from '../parts/icons.ts'
import { Band, Seal } from '../parts/ornament.view.tsx'
import { OutcomeBadge } from '../parts/outcome-badge.view.tsx'
import { Facts } from '../parts/page-blocks.view.tsx'
import { formatElapsed, formatMoment, formatNumber, plural } from '../text/format.ts'
import type { RecordFacts } from './record-facts.ts'
import type { Checked } from './run-check.ts'

type Words = { title: string; look: string; sign: IconPaths; sentence: string }

const VERDICT_TEXTS: Readonly<Record<Verdict, Words>> = {
  valid: {
    title: 'Valid',
    look: 'valid',
    sign: proven,
    sentence: 'All of it is whole, and signed by keys that you gave.',
  },
  not_proven: {
    title: 'Not proven',
    look: 'unproven',
    sign: unproven,
    sentence: 'Nothing is wrong with it, and no key that you gave vouches for all of it.',
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
  'All of it is whole, and signed by keys that this service publishes: you trust the service for them.'

export function VerdictView({ checked, isPublished }: { checked: Checked; isPublished: boolean }) {
  const { report, isLines, notProven, tookMs, record } = checked
  const isValid = report.verdict === 'valid'
  const { title, look, sign, sentence } = VERDICT_TEXTS[report.verdict]
  return (
    <section class="sheet lifted verdict-sheet">
      {isValid && <Band />}
      <div class={`verdict-head ${look}`}>
        {isValid ? <Seal /> : <Icon of={sign} />}
        <div>
          <h2>{title}</h2>
          <p>{isValid && isPublished ? BY_PUBLISHED_KEYS : sentence}</p>
          {isLines && <p class="number">{countsOf(checked)}</p>}
        </div>
      </div>
      <Drawing findings={report.findings} />
      {report.findings.length > 0 && (
        <ul class="plain findings-list" aria-label="What was found">
          {report.findings.map((shown, at) => (
            <FindingItem key={String(at)} shown={shown} />
          ))}
        </ul>
      )}
      {isValid && record !== null && <RecordAsSigned record={record} />}
      {notProven.length > 0 && (
        <section class="stack-s not-said">
          <h3>What this does not say</h3>
          <ul>
            {notProven.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </section>
      )}
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

/** What holds what, in the order in which it is drawn. */
const CHAIN: readonly (readonly [kind: ReportedFinding['kind'], name: string])[] = [
  ['receipt', 'Receipt'],
  ['record', 'Record'],
  ['acceptance', 'Decision of a person'],
  ['settlement', 'How it ended'],
  ['organisation_log', 'Organisation’s log'],
  ['anchor', 'Anchor'],
  ['public_log', 'Public log'],
  ['checkpoint', 'Checkpoint'],
  ['witnesses', 'Witnesses'],
]

const LINK_SIGNS: Readonly<Record<string, IconPaths>> = { proven, broken: blocked }

/** The chain from the record to the public log, each part with its sign. The list below says the same in words. */
function Drawing({ findings }: { findings: readonly ReportedFinding[] }) {
  const links = CHAIN.flatMap(([kind, name]) => {
    const found = findings.filter((one) => one.kind === kind)
    if (found.length === 0) return []
    const isWrong = found.some(({ valid, code }) => !valid && code !== NOT_PROVEN)
    const isProven = found.every(({ valid, code }) => valid && code === null)
    return [{ name, look: isWrong ? 'broken' : isProven ? 'proven' : 'open' }]
  })
  if (links.length < 2) return null
  return (
    <ol class="plain chain" aria-hidden="true">
      {links.map(({ name, look }) => (
        <li key={name} class={look}>
          <Icon of={LINK_SIGNS[look] ?? unproven} />
          {name}
        </li>
      ))}
    </ol>
  )
}

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

/** The name in the drawing, or the kind as it is. */
function nameOf(kind: ReportedFinding['kind']): string {
  const words = CHAIN.find(([one]) => one === kind)?.[1] ?? kind.replaceAll('_', ' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

function FindingItem({ shown }: { shown: ReportedFinding }) {
  const { kind, line, reason, code } = shown
  const [word, look, sign] = signOf(shown)
  return (
    <li class={look}>
      <Icon of={sign} />
      <div>
        <p>
          <strong>{nameOf(kind)}</strong> <span class="finding-word">{word}</span>{' '}
          {line !== undefined && <span class="number soft">line {formatNumber(line)}</span>}
        </p>
        {'subject' in shown && shown.subject !== '' && <p class="hash soft">{shown.subject}</p>}
        {reason !== null && (
          <p>
            {withFieldNames(reason)} <code class="soft">{code}</code>
          </p>
        )}
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
const FIELDS: readonly [string, string][] = [
  ['check it with --profile accept-1', 'choose a person’s decision under “What it is”'],
  ['as --proof and --head', 'under “Proof of inclusion” and “Signed head”'],
  ['It needs --proof or --tiles', 'It needs a proof that the log only grew'],
  ['than --max-age allows', 'than you allow'],
  ['within --max-age', 'within the age you allow'],
]

const withFieldNames = (reason: string): string =>
  FIELDS.reduce((sentence, [option, field]) => sentence.replace(option, field), reason)
