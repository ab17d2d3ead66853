// Front page: shows a reading: the decision in words, both readers side by side, and the matching published lists.
import { useState } from 'preact/hooks'
import type { Reading, ReadResponse, UnavailableReason } from '../../referral/read.schema.ts'
import { CopyableText, CopyableValue } from '../parts/copy-button.view.tsx'
import { person, proven } from '../parts/icons.ts'
import { formatMoment, formatPercent, formatDay, formatNumber } from '../text/format.ts'
import { type AgeGroup, fetchWaitingLists, type WaitingLists } from './referral-requests.ts'
import type { KeyInUse } from './key-choice.view.tsx'
import { Columns, Note, OffPaper, OnPaper, Row, Stack, Title } from '../parts/layout.view.tsx'
import { ReaderCard, Verdict } from '../parts/letter.view.tsx'
import { EmptyNotice, Remark } from '../parts/surfaces.view.tsx'
import { Button, LinkButton } from '../parts/button.view.tsx'
import { useAnswer } from '../api/use-answer.ts'
import { Answered } from '../parts/answer-notices.view.tsx'
import { figures, Table, type Column } from '../parts/table.view.tsx'
import { Sentences, Section, Facts } from '../parts/page-blocks.view.tsx'

export function ReadingAnswer({ answer, at }: { answer: ReadResponse; at: string }) {
  const { readers, because, sandbox, record } = answer
  const asks = answer.decision === 'ask'
  return (
    <Stack as="section" labelledBy="decision">
      <OnPaper>A reading by Countersign, {location.origin}. The letter is not printed.</OnPaper>
      <Columns least={13}>
        {readers.map((reading) => (
          <ReadingCard key={reading.model} reading={reading} />
        ))}
      </Columns>
      <Verdict
        icon={asks ? person : proven}
        tone={asks ? 'warn' : undefined}
        id="decision"
        title={decisionSentence(answer)}
      >
        {because}
      </Verdict>
      <Note as="p">
        {sandbox
          ? 'From recorded readings of an invented letter: no model was asked.'
          : 'Read by two models at two providers.'}{' '}
        How often a reader repeated its answer says nothing about whether it is right. Read{' '}
        <time dateTime={at}>{formatMoment(new Date(at), false)}</time>.
      </Note>
      <Row as="p" size="small" isOffPaper>
        {agreedChoice(answer) !== null && <a href="#lists">See the published waiting lists</a>}
        {agreedChoice(answer) === null && namedChoices(answer).length > 0 && (
          <a href="#lists">Look at published lists</a>
        )}
        <LinkButton onClick={() => print()}>Print this reading</LinkButton>
      </Row>
      {record !== undefined && (
        <details>
          <summary>The record, to keep beside the referral</summary>
          <CopyableText line={JSON.stringify(record, null, 2)} what="the record" />
        </details>
      )}
    </Stack>
  )
}

/** The room for a reading, before there is one. */
export const NoReadingYet = ({ isAsking }: { isAsking: boolean }) => (
  <OffPaper aria-busy={isAsking}>
    <Stack>
      <Columns least={13}>
        {['Reader A', 'Reader B'].map((name) => (
          <EmptyNotice key={name} title={name}>
            {isAsking ? 'Reading …' : 'Names a specialty, without seeing what the other named.'}
          </EmptyNotice>
        ))}
      </Columns>
      <EmptyNotice title="Yes, only if both name the same">If they differ, it asks: the clinician chooses.</EmptyNotice>
    </Stack>
  </OffPaper>
)

/** Returns the decision as a sentence, for the screen and for screen readers. */
export function decisionSentence({ decision, specialty, ageGroup }: ReadResponse): string {
  if (decision === 'ask' || specialty === null) return 'Ask: the clinician chooses.'
  return `Yes: ${specialty}${ageGroup === null ? '. Adult or child is not agreed: the clinician says' : `, ${AGE_IN_WORDS[ageGroup]}`}.`
}

const AGE_IN_WORDS: Readonly<Record<AgeGroup, string>> = { Adult: 'adult', Child: 'child' }

const WHY_UNAVAILABLE: Readonly<Record<UnavailableReason, string>> = {
  timeout: 'It did not answer in time.',
  provider_error: 'Its provider failed.',
  invalid_answer: 'It gave no answer from the published list.',
  no_majority: 'It gave no single answer more often than any other.',
}

function ReadingCard({ reading }: { reading: Reading }) {
  const { model, available, reason, specialty, ageGroup, consistency } = reading
  const title = available ? (specialty ?? 'None of the published specialties') : 'No reading'
  return (
    <ReaderCard by={model} title={title}>
      {available
        ? `${ageGroup ?? 'No age group'}. The same in ${formatPercent(consistency)} of its repeated readings.`
        : WHY_UNAVAILABLE[reason ?? 'invalid_answer']}
    </ReaderCard>
  )
}

type ListChoice = { specialty: string; ageGroup: AgeGroup }

/** Shows the lists of the agreed specialty and age group. If the readers disagree, the visitor chooses. */
export function ListsToShow({ answer, keyHeld }: { answer: ReadResponse; keyHeld: KeyInUse }) {
  const agreed = agreedChoice(answer)
  const [chosen, setChosen] = useState<ListChoice | null>(null)
  const choice = agreed ?? chosen
  const named = namedChoices(answer)
  if (agreed === null && named.length === 0) return null
  return (
    <Stack gap={8}>
      {agreed === null && (
        <Stack isOffPaper>
          <Title>Look at published lists</Title>
          <p>What was named, in the readers’ order. Looking decides nothing.</p>
          <Row>
            {named.map((one) => (
              <Button
                key={one.specialty + one.ageGroup}
                aria-pressed={chosen?.specialty === one.specialty && chosen.ageGroup === one.ageGroup}
                onClick={() => setChosen(one)}
              >
                {one.specialty}, {AGE_IN_WORDS[one.ageGroup]}
              </Button>
            ))}
          </Row>
        </Stack>
      )}
      {choice !== null && <PublishedLists {...choice} keyHeld={keyHeld} />}
    </Stack>
  )
}

const agreedChoice = ({ specialty, ageGroup }: ReadResponse): ListChoice | null =>
  specialty === null || ageGroup === null ? null : { specialty, ageGroup }

/** Returns the specialties and age groups that readers named, without duplicates. A reading without age group counts for both. */
function namedChoices({ readers }: ReadResponse): ListChoice[] {
  const all = readers.flatMap(({ available, specialty, ageGroup }): ListChoice[] => {
    if (!available || specialty === null) return []
    return (ageGroup === null ? (['Adult', 'Child'] as const) : [ageGroup]).map((one) => ({ specialty, ageGroup: one }))
  })
  return all.filter(
    (one, at) => all.findIndex((other) => other.specialty === one.specialty && other.ageGroup === one.ageGroup) === at,
  )
}

type ListsProps = { specialty: string; ageGroup: AgeGroup; keyHeld: KeyInUse }
type WaitingList = WaitingLists['waitingLists'][number]

function PublishedLists({ specialty, ageGroup, keyHeld }: ListsProps) {
  const answer = useAnswer(
    (signal) => fetchWaitingLists({ specialty, ageGroup }, keyHeld, signal),
    [specialty, ageGroup, keyHeld],
  )
  return (
    <Section
      title={
        <>
          Published waiting lists: {specialty}, {ageGroup.toLowerCase()}
        </>
      }
    >
      <Answered answer={answer} lines={16}>
        {(lists) => <Figures lists={lists} />}
      </Answered>
    </Section>
  )
}

function Figures({ lists }: { lists: WaitingLists }) {
  const { waitingLists, source, datasetVersion, cannotEstablish } = lists
  const limitsOfEachList = [...new Set(waitingLists.flatMap((list) => list.cannotEstablish))]
  return (
    <>
      {waitingLists.length === 0 ? (
        <Remark>The file publishes no list of this specialty for this age group.</Remark>
      ) : (
        <>
          <p>
            People waiting for {KINDS[source.kind]}, by how long they had waited so far. The order is that of the file
            and has no meaning.
          </p>
          <Table
            caption="Published waiting lists"
            isCaptionHidden
            columns={columnsOf(lists)}
            rows={waitingLists}
            keyOf={(list) => `${list.hospitalGroup ?? ''} ${list.hospital ?? ''}`}
          />
        </>
      )}
      <Facts
        facts={[
          [
            'Source',
            <>
              {source.publisher}, {linkIfHttps(source.url, source.title)}. {source.acknowledgement}
            </>,
          ],
          ['Archive date', formatDay(datasetVersion.archiveDate)],
          ['Published', formatDay(datasetVersion.publishedOn)],
          [
            'SHA-256 of the file',
            <Row>
              <CopyableValue value={datasetVersion.hash} what="the SHA-256" />
              <a href={fileOf(datasetVersion.hash)}>Download the file</a>
            </Row>,
          ],
        ]}
      />
      <details open>
        <summary>What these figures cannot establish</summary>
        <Columns>
          {limitsOfEachList.length > 0 && (
            <Stack gap={2}>
              <h3>Each list</h3>
              <Sentences of={limitsOfEachList} />
            </Stack>
          )}
          <Stack gap={2}>
            <h3>All of them together</h3>
            <Sentences of={cannotEstablish} />
          </Stack>
        </Columns>
      </details>
    </>
  )
}

const KINDS: Readonly<Record<WaitingLists['source']['kind'], string>> = {
  outpatient: 'a first outpatient appointment',
  inpatient_day_case: 'treatment as an inpatient or a day case',
  gi_endoscopy: 'a gastrointestinal endoscopy',
}

const fileOf = (hash: string): string => `/v1/files/${encodeURIComponent(hash)}`

/** Returns a link only if the URL is https. SECURITY: data may contain any URL. */
const linkIfHttps = (url: string | null, title: string) =>
  url?.startsWith('https:') === true ? <a href={url}>{title}</a> : title

const columnsOf = ({ waitingLists, datasetVersion }: WaitingLists): Column<WaitingList>[] => [
  {
    name: 'Hospital',
    cell: ({ hospital, hospitalCode, hospitalGroup, source, archiveDate, publishedOn }) => (
      <>
        {hospital ?? 'All: the file names no hospitals'}
        {hospitalGroup !== null && <Note as="div">{hospitalGroup}</Note>}
        {hospitalCode !== null && <Note as="div">Code {hospitalCode}</Note>}
        <Note as="div">
          {source.publisher}, archive {formatDay(archiveDate)}, published {formatDay(publishedOn)},{' '}
          <a href={fileOf(datasetVersion.hash)}>file {datasetVersion.hash.slice(0, 8)}…</a>
        </Note>
      </>
    ),
  },
  ...bandsOf(waitingLists).map((name) => ({
    name,
    isNumber: true,
    cell: ({ waiting }: WaitingList) => {
      const people = waiting.find(({ band }) => band === name)?.people
      return people === undefined ? <span title="no figure in the file">–</span> : formatNumber(people)
    },
  })),
  figures('Total', ({ total }) => formatNumber(total)),
]

/** Returns every band of the lists in the order of the file. */
function bandsOf(lists: readonly WaitingList[]): string[] {
  const bands: string[] = []
  for (const { waiting } of lists) {
    let before = -1
    for (const { band } of waiting) {
      const at = bands.indexOf(band)
      if (at === -1) bands.splice(before + 1, 0, band)
      before = at === -1 ? before + 1 : at
    }
  }
  return bands
}
