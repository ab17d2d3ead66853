// Front page: shows a reading: the decision in words, both readers side by side, and the matching published lists.
import { useState } from 'preact/hooks'
import type { Reading, ReadResponse, UnavailableReason } from '../../referral/read.schema.ts'
import { CopyableText } from '../parts/copy-button.view.tsx'
import { person, proven } from '../parts/icons.ts'
import { formatMoment, formatPercent } from '../text/format.ts'
import type { AgeGroup } from './referral-requests.ts'
import type { KeyInUse } from './key-choice.view.tsx'
import { PublishedLists } from './published-lists.view.tsx'
import { Columns, Note, OffPaper, OnPaper, Row, Stack, Title } from '../parts/layout.view.tsx'
import { ReaderCard, Verdict } from '../parts/letter.view.tsx'
import { EmptyNotice } from '../parts/surfaces.view.tsx'
import { Button, LinkButton } from '../parts/button.view.tsx'

type Props = { answer: ReadResponse; at: string }

export function ReadingAnswer({ answer, at }: Props) {
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
