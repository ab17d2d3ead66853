// Front page: shows a reading: the decision in words, both readers side by side, and the matching published lists.
import { useState } from 'preact/hooks'
import type { Reading, ReadResponse, UnavailableReason } from '../../referral/read.schema.ts'
import { CopyableText } from '../parts/copy-button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { person, proven } from '../parts/icons.ts'
import { formatMoment, formatPercent } from '../text/format.ts'
import type { AgeGroup } from './referral-requests.ts'
import type { KeyInUse } from './key-choice.view.tsx'
import { PublishedLists } from './published-lists.view.tsx'

type Props = { answer: ReadResponse; at: string }

export function ReadingAnswer({ answer, at }: Props) {
  const { readers, because, sandbox, record } = answer
  const asks = answer.decision === 'ask'
  return (
    <section class="result" aria-labelledby="decision">
      <p class="only-print">A reading by Countersign, {location.origin}. The letter is not printed.</p>
      <div class="readers">
        {readers.map((reading) => (
          <ReaderCard key={reading.model} reading={reading} />
        ))}
      </div>
      <div class={asks ? 'verdict asks' : 'verdict'}>
        <Icon of={asks ? person : proven} />
        <div>
          <h2 id="decision">{decisionSentence(answer)}</h2>
          <p>{because}</p>
        </div>
      </div>
      <p class="small soft">
        {sandbox
          ? 'From recorded readings of an invented letter: no model was asked.'
          : 'Read by two models at two providers.'}{' '}
        How often a reader repeated its answer says nothing about whether it is right. Read{' '}
        <time dateTime={at}>{formatMoment(new Date(at), false)}</time>.
      </p>
      <p class="row small no-print">
        {agreedChoice(answer) !== null && <a href="#lists">See the published waiting lists</a>}
        {agreedChoice(answer) === null && namedChoices(answer).length > 0 && (
          <a href="#lists">Look at published lists</a>
        )}
        <button type="button" class="as-link" onClick={() => print()}>
          Print this reading
        </button>
      </p>
      {record !== undefined && (
        <details>
          <summary>The record, to keep beside the referral</summary>
          <CopyableText line={JSON.stringify(record, null, 2)} what="the record" />
        </details>
      )}
    </section>
  )
}

/** The room for a reading, before there is one. */
export const NoReadingYet = ({ isAsking }: { isAsking: boolean }) => (
  <div class="result no-print" aria-busy={isAsking}>
    <div class="readers">
      {['Reader A', 'Reader B'].map((name) => (
        <div key={name} class="reader ghost">
          <p>
            <strong>{name}</strong>
          </p>
          <p>{isAsking ? 'Reading …' : 'Names a specialty, without seeing what the other named.'}</p>
        </div>
      ))}
    </div>
    <div class="verdict ghost">
      <Icon of={proven} />
      <p class="soft">Yes, only if both name the same. If they differ, it asks: the clinician chooses.</p>
    </div>
  </div>
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

function ReaderCard({ reading }: { reading: Reading }) {
  const { model, available, reason, specialty, ageGroup, consistency } = reading
  return (
    <section class="reader" aria-label={model}>
      <h2>{model}</h2>
      {available ? (
        <>
          <b>{specialty ?? 'None of the published specialties'}</b>
          <p>
            {ageGroup ?? 'No age group'}. The same in {formatPercent(consistency)} of its repeated readings.
          </p>
        </>
      ) : (
        <>
          <b>No reading</b>
          <p>{WHY_UNAVAILABLE[reason ?? 'invalid_answer']}</p>
        </>
      )}
    </section>
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
    <div class="section wide stack-l">
      {agreed === null && (
        <div class="stack no-print">
          <h2 class="title">Look at published lists</h2>
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
    </div>
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
