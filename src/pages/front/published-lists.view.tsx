// Front page: shows the published waiting lists of a specialty, in the order of the file, each with its source.
import { useAnswer } from '../api/use-answer.ts'
import { CopyableValue } from '../parts/copy-button.view.tsx'
import { Answered } from '../parts/answer-notices.view.tsx'
import { figures, Table, type Column } from '../parts/table.view.tsx'
import { formatDay, formatNumber } from '../text/format.ts'
import { fetchWaitingLists, type AgeGroup, type WaitingLists } from './referral-requests.ts'
import { Sentences, Section, Facts } from '../parts/page-blocks.view.tsx'
import type { KeyInUse } from './key-choice.view.tsx'
import { Remark } from '../parts/surfaces.view.tsx'
import { Columns, Note, Row, Stack } from '../parts/layout.view.tsx'

type Props = { specialty: string; ageGroup: AgeGroup; keyHeld: KeyInUse }
type WaitingList = WaitingLists['waitingLists'][number]

export function PublishedLists({ specialty, ageGroup, keyHeld }: Props) {
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

function columnsOf({ waitingLists, datasetVersion }: WaitingLists): Column<WaitingList>[] {
  return [
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
}

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
