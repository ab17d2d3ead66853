// Front page: shows a reading: the decision in words, both readers side by side, and the matching published lists.
import { Button } from '../parts/button.view.tsx'
import { useState } from 'preact/hooks'
import type { Reading, ReadResponse, UnavailableReason } from '../../referral/read.schema.ts'
import { CopyableText } from '../parts/copy-button.view.tsx'
import { formatMoment, formatPercent } from '../text/format.ts'
import type { AgeGroup } from './referral-requests.ts'
import type { KeyInUse } from './key-choice.view.tsx'
import { PublishedLists } from './published-lists.view.tsx'

type Props = { answer: ReadResponse; at: string; keyHeld: KeyInUse }

export function ReadingAnswer({ answer, at, keyHeld }: Props) {
  const { decision, readers, because, sandbox, record } = answer
  return (
    <section class="stack-l" aria-labelledby="decision">
      <div class="stack">
        <p class="only-print">A reading by Countersign, {location.origin}. The letter is not printed.</p>
        <div class={`notice${decision === 'ask' ? ' warn' : ''}`}>
          <h2 id="decision">{decisionSentence(answer)}</h2>
          <p>{because}</p>
        </div>
        <div class="pair">
          {readers.map((reading) => (
            <ReaderCard key={reading.model} reading={reading} />
          ))}
        </div>
        <p class="small soft">
          {sandbox
            ? 'From recorded readings of an invented letter: no model was asked.'
            : 'Read by two models at two providers.'}{' '}
          How often a reader repeated its answer says nothing about whether it is right. Read{' '}
          <time dateTime={at}>{formatMoment(new Date(at), false)}</time>.
        </p>
        <p class="no-print">
          <Button onClick={() => print()}>Print this reading</Button>
        </p>
        {record !== undefined && (
          <details>
            <summary>The record, to keep beside the referral</summary>
            <CopyableText line={JSON.stringify(record, null, 2)} what="the record" />
          </details>
        )}
      </div>
      <ListsToShow answer={answer} keyHeld={keyHeld} />
    </section>
  )
}

/** Returns the decision as a sentence, for the screen and for screen readers. */
export function decisionSentence({ decision, specialty, ageGroup }: ReadResponse): string {
  if (decision === 'ask' || specialty === null) return 'Ask: the clinician chooses.'
  return `Yes: ${specialty}${ageGroup === null ? '' : `, ${AGE_IN_WORDS[ageGroup]}`}.`
}

const AGE_IN_WORDS: Readonly<Record<AgeGroup, string>> = { Adult: 'adult', Child: 'child' }

const WHY_UNAVAILABLE: Readonly<Record<UnavailableReason, string>> = {
  timeout: 'It did not answer in time.',
  provider_error: 'Its provider failed.',
  invalid_answer: 'It gave no answer from the published list.',
  no_majority: 'It gave no single answer more often than any other.',
}

function ReaderCard({ reading }: { reading: Reading }) {
  const { model, available, reason, specialty, ageGroup, consistency } = reading
  return (
    <section class="card stack" aria-label={model}>
      <h3>{model}</h3>
      {available ? (
        <>
          <p class="figure">
            <b>{specialty ?? 'None of the published specialties'}</b>
          </p>
          <p>{ageGroup === null ? 'No age group' : ageGroup}</p>
          <p class="small soft">The same in {formatPercent(consistency)} of its repeated readings.</p>
        </>
      ) : (
        <>
          <p class="figure">
            <b>No reading</b>
          </p>
          <p>{WHY_UNAVAILABLE[reason ?? 'invalid_answer']}</p>
        </>
      )}
    </section>
  )
}

type ListChoice = { specialty: string; ageGroup: AgeGroup }

/** Shows the lists of the agreed specialty and age group. If the readers disagree, the visitor chooses. */
function ListsToShow({ answer, keyHeld }: Omit<Props, 'at'>) {
  const agreed = agreedChoice(answer)
  const [chosen, setChosen] = useState<ListChoice | null>(null)
  const choice = agreed ?? chosen
  const named = namedChoices(answer)
  return (
    <>
      {agreed === null && named.length > 0 && (
        <div class="stack no-print">
          <h3>Look at published lists</h3>
          <p>What was named, in the readers’ order. Looking decides nothing.</p>
          <ul class="plain row">
            {named.map((one) => (
              <li key={one.specialty + one.ageGroup}>
                <button
                  type="button"
                  class="button"
                  aria-pressed={chosen?.specialty === one.specialty && chosen.ageGroup === one.ageGroup}
                  onClick={() => setChosen(one)}
                >
                  {one.specialty}, {AGE_IN_WORDS[one.ageGroup]}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {choice !== null && <PublishedLists {...choice} keyHeld={keyHeld} />}
    </>
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
