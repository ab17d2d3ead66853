// Verifier page: shows the verdict, each finding in a sentence and in the library's exact terms, the record's facts, and what the check
// does not prove.
import { NOT_PROVEN } from '../../evidence/verify/verification-finding.ts'
import { isDemoOrganisation } from '../../platform/ids.ts'
import type { ReportedFinding, Verdict } from '../../evidence/verify/findings-report.ts'
import { Badge } from '../parts/badge.view.tsx'
import { LinkButton } from '../parts/button.view.tsx'
import { CopyButton } from '../parts/copy-button.view.tsx'
import type { Tone } from '../parts/drawn.ts'
import { blocked, failed, info, proven, unproven, type IconPaths } from '../parts/icons.ts'
import { SignedOutcome } from '../parts/record-sheet.view.tsx'
import { Facts, Section, Sentences } from '../parts/page-blocks.view.tsx'
import { Finding, VerdictSheet } from '../parts/verdict.view.tsx'
import { formatElapsed, formatMoment, formatNumber, plural } from '../text/format.ts'
import { WHOSE_KEYS } from './not-proven.ts'
import type { RecordFacts } from './record-facts.ts'
import type { Checked } from './run-check.ts'
import type { ChosenTrust } from './verifier-inputs.ts'
import { Hash, OffPaper, OnPaper, Soft, Stack, Text } from '../parts/layout.view.tsx'

type Words = readonly [title: string, tone: Tone | undefined, icon: IconPaths, sentence: string]

const VERDICT_TEXTS: Readonly<Record<Verdict, Words>> = {
  valid: ['Valid', 'good', proven, 'Signed by keys that you gave, and unchanged since.'],
  not_proven: ['Not proven', undefined, unproven, 'Nothing that was checked is wrong, but not all of it is proven.'],
  invalid: ['Not valid', 'bad', blocked, 'Something in it is wrong. Do not rely on any of it.'],
  unreadable: ['Not checked', undefined, failed, 'Something in it could not be read, so not everything was checked.'],
}

const BY_PUBLISHED_KEYS =
  'Signed by keys that this service publishes, and unchanged since: you trust the service for them.'

const BY_EXAMPLE_KEY = 'Signed by the example’s key, and unchanged since.'

const UNCHANGED = 'The record is unchanged since it was signed. Who signed it is not known.'

const validWords = (note: string, isPublished: boolean, isExample: boolean): Words =>
  note !== ''
    ? ['Development key', 'warn', unproven, `Unchanged since it was signed, but not by a key to rely on. ${note}`]
    : isPublished
      ? ['Valid', 'good', proven, BY_PUBLISHED_KEYS]
      : isExample
        ? ['Valid', 'good', proven, BY_EXAMPLE_KEY]
        : VERDICT_TEXTS.valid

type Props = { checked: Checked; trust: ChosenTrust; isExample: boolean }

export function VerdictView({ checked, trust, isExample }: Props) {
  const { report, words, isLines, unread, notProven, tookMs, file, note, record, facts } = checked
  const isValid = report.verdict === 'valid'
  const nextSteps = NEXT_STEPS[report.verdict]
  const [found, apart] = words.arranged(report.findings, isLines)
  const items = (some: readonly ReportedFinding[]) => (
    <Stack as="ul" gap={2} label="What was found">
      {some.map((shown, at) => (
        <FindingItem
          key={String(at)}
          shown={shown}
          words={words}
          main={report.findings[0]?.kind ?? shown.kind}
          isTerse={record !== null || facts !== null}
          isTrusted={note === ''}
        />
      ))}
    </Stack>
  )
  const isUnchanged = trust === 'none' && report.verdict === 'not_proven' && !isLines
  const isByDevelopmentKey = report.verdict === 'not_proven' && note !== ''
  const [title, tone, icon, sentence] = isValid
    ? validWords(note, trust === 'published', isExample)
    : VERDICT_TEXTS[report.verdict]
  return (
    <VerdictSheet
      {...{ title, tone, icon }}
      head={
        <>
          <p>
            {report.checked === 0 ? `Nothing was checked. ${unread ?? ''}` : isUnchanged ? UNCHANGED : sentence}{' '}
            {isByDevelopmentKey && note}
          </p>
          {isExample ? (
            <p>
              <Badge tone="warn">An invented example</Badge>
            </p>
          ) : (
            isDemoOrganisation(record?.organisation ?? facts?.organisation ?? '') && (
              <p>
                <Badge tone={tone === 'warn' ? undefined : 'warn'}>Invented data</Badge>
              </p>
            )
          )}
          {isLines && (
            <Text as="p" isNumber>
              {countsOf(checked)}
            </Text>
          )}
          <OnPaper>
            {file.name}, checked {formatMoment(file.at, false)}. SHA-256: <Hash>{file.sha256}</Hash>
          </OnPaper>
        </>
      }
      foot={
        report.checked > 0 && (
          <>
            <span>Checked in this browser in {formatElapsed(tookMs)}.</span>
            <OffPaper>
              The findings as JSON: <CopyButton text={JSON.stringify(report, null, 2)} what="the findings as JSON" />
            </OffPaper>
            <OffPaper>
              <LinkButton onClick={() => print()}>Print this result</LinkButton>
            </OffPaper>
          </>
        )
      }
    >
      {unread === null && found.length > 0 && items(found)}
      {apart.length > 0 && (
        <details>
          <summary>What the log says</summary>
          {items(apart)}
        </details>
      )}
      {isValid && record !== null && <RecordAsSigned record={record} />}
      {isValid && facts !== null && <Facts facts={facts.list} />}
      {nextSteps !== undefined ? (
        <Section title="What to do" level={3}>
          <Sentences of={nextSteps} />
        </Section>
      ) : (
        notProven.length > 0 && (
          <Section title="What this does not say" level={3}>
            <Sentences of={isExample ? notProven.filter((gap) => gap !== WHOSE_KEYS) : notProven} />
          </Section>
        )
      )}
      {!isLines && <ExactTerms findings={report.findings} />}
    </VerdictSheet>
  )
}

const NEXT_STEPS: Readonly<Partial<Record<Verdict, readonly string[]>>> = {
  invalid: [
    'Ask for the original, as it was answered or saved, and check that.',
    'If it stays not valid, send the findings to the issuer.',
  ],
  unreadable: ['Choose the file as it was saved, or copy all of its text again.'],
}

/** The findings as the library names them: what an auditor quotes, or looks for in the documents. */
const ExactTerms = ({ findings }: { findings: readonly ReportedFinding[] }) => (
  <details>
    <summary>The findings in exact terms</summary>
    <Stack as="ul" gap={2}>
      {findings.map((shown, at) => (
        <li key={String(at)}>
          <Hash>
            {[shown.kind, signOf(shown)[0], 'subject' in shown && shown.subject, shown.code]
              .filter(Boolean)
              .join(' · ')}
          </Hash>
        </li>
      ))}
    </Stack>
  </details>
)

const RecordAsSigned = ({ record }: { record: RecordFacts }) => (
  <Facts
    facts={[
      ['Decision', <SignedOutcome outcome={record.outcome} signed={record.signed} />],
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
  const listed = findings.filter(({ valid, line }) => !valid && line !== undefined).length
  return invalid + unreadable > listed ? `${counts} The first ${formatNumber(listed)} are listed.` : counts
}

type FindingProps = Pick<Checked, 'words'> & {
  shown: ReportedFinding
  /** The kind of the document's own finding, which comes first. */
  main: ReportedFinding['kind']
  /** True if the facts below say what the finding is about. */
  isTerse: boolean
  /** False if only a key for development signed it: nothing is green then. */
  isTrusted: boolean
}

function FindingItem({ shown, words, main, isTerse, isTrusted }: FindingProps) {
  const { provenText, noteText, nameOfFinding, plainWords, reasonText } = words
  const { kind, line, reason, code, valid } = shown
  const [word, tone, icon] = signOf(shown)
  const isUnread = kind === 'unreadable'
  // The sentence about a coverage entry has its subject.
  const hasSubject =
    'subject' in shown && shown.subject !== '' && !isTerse && (!valid || kind !== 'coverage' || code !== null)
  const where = line !== undefined && <Soft isNumber>line {formatNumber(line)}</Soft>
  return (
    <Finding tone={isTrusted || !valid ? tone : undefined} icon={icon}>
      <p>
        {valid ? (
          <>
            {where} {code === null ? provenText(shown, main) : noteText(shown, main)}
          </>
        ) : (
          <>
            <strong>{isUnread ? (reason ?? word) : nameOfFinding(kind, main)}</strong>{' '}
            {!isUnread && <Soft as="b">{word}</Soft>} {where}
          </>
        )}
      </p>
      {!valid && !isUnread && reason !== null && (
        <p>
          {reasonText(shown)} {code !== NOT_PROVEN && <code>{code}</code>}
        </p>
      )}
      {hasSubject && (
        <Soft as="p">
          <Hash>{plainWords(shown.subject)}</Hash>
        </Soft>
      )}
    </Finding>
  )
}

/** What the document says of itself, which nothing outside it confirms: no tick. */
const STATED: ReadonlySet<ReportedFinding['kind']> = new Set(['keys', 'coverage', 'answer_scan'])

function signOf({ kind, valid, code }: ReportedFinding): [word: string, tone: Tone | undefined, icon: IconPaths] {
  if (valid && code !== null) return ['note', undefined, info]
  if (valid) return STATED.has(kind) ? ['valid', undefined, info] : ['valid', 'good', proven]
  if (kind === 'unreadable') return ['unreadable', 'bad', failed]
  return code === NOT_PROVEN ? ['not proven', undefined, unproven] : ['not valid', 'bad', blocked]
}
