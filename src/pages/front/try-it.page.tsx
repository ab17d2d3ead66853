// The front page: try the referral service with a letter, see both readings and the published lists, try held actions.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ReadResponse } from '../../referral/read.schema.ts'
import type { Problem } from '../api/send-request.ts'
import { ProblemNotice, Skeleton } from '../parts/answer-notices.view.tsx'
import { readLetter } from './referral-requests.ts'
import { HeldActions, HeldAnswer } from './held-actions.view.tsx'
import { KeyChoice, isSandbox, initialKey, takeKeyFromUrl, type KeyInUse } from './key-choice.view.tsx'
import { FIRST_LETTER, isExample, type Letter } from './letters.ts'
import { LetterForm } from './letter-form.view.tsx'
import {
  refusedIdentifiers,
  identifierNames,
  findIdentifierPlaces,
  toTextFieldPlaces,
  type IdentifierPlace,
} from './letter-identifiers.ts'
import { ReadingAnswer, decisionSentence } from './reading.view.tsx'
import { showInIsland } from '../parts/island.ts'
import type { HeldResponse } from '../../referral/actions.ts'
import { Notice } from '../parts/page-blocks.view.tsx'
import '../search/open-search.ts'

type Outcome =
  | { state: 'none' | 'asking' | 'no_key' | 'no_example' | 'found_here' }
  | { state: 'found_there'; places: readonly IdentifierPlace[] }
  | { state: 'read'; body: ReadResponse; at: string }
  | { state: 'held'; body: HeldResponse }
  | { state: 'refused'; problem: Problem }

export function TryIt({ firstKey }: { firstKey: KeyInUse | null }) {
  const [key, setKey] = useState(firstKey)
  const [letter, setLetter] = useState<Letter>(FIRST_LETTER)
  const [outcome, setOutcome] = useState<Outcome>({ state: 'none' })
  const keyField = useRef<HTMLInputElement>(null)
  const result = useRef<HTMLDivElement>(null)
  // A layout effect runs before anything else can change the URL.
  useLayoutEffect(() => {
    const take = (): void => setKey((held) => takeKeyFromUrl() ?? held)
    // The link may have changed while the page waited for the shared key.
    take()
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  useLayoutEffect(() => {
    if (outcome.state !== 'none') result.current?.scrollIntoView({ block: 'nearest' })
  }, [outcome])
  const places = outcome.state === 'found_there' ? outcome.places : findIdentifierPlaces(letter.text)

  const read = async (): Promise<void> => {
    const reason = reasonNotToSend(letter, key, places)
    if (reason !== null) setOutcome({ state: reason })
    if (reason === 'no_key') keyField.current?.focus()
    if (reason !== null || key === null) return
    setOutcome({ state: 'asking' })
    const answer = await readLetter(letter, key)
    if (answer.outcome === 'refused') setOutcome(outcomeOfRefusal(letter, answer.problem))
    else if (answer.body.decision === 'held') setOutcome({ state: 'held', body: answer.body })
    else setOutcome({ state: 'read', body: answer.body, at: new Date().toISOString() })
  }

  const keyChoice = (
    <KeyChoice keyInUse={key} isWanted={outcome.state === 'no_key'} onChoose={setKey} field={keyField} />
  )

  return (
    <>
      <div class="card stack no-print">
        {key === null && keyChoice}
        <LetterForm
          letter={letter}
          places={places}
          isAsking={outcome.state === 'asking'}
          onChange={(changed) => {
            setLetter(changed)
            setOutcome({ state: 'none' })
          }}
          onRead={() => void read()}
        />
        {key !== null && keyChoice}
      </div>
      <p class="only-read" role="status">
        {statusText(outcome, places)}
      </p>
      <div ref={result} class="stack-l">
        {outcome.state === 'asking' && <Skeleton lines={14} />}
        {outcome.state === 'no_example' && <NotAnExample />}
        {outcome.state === 'refused' && <ProblemNotice problem={outcome.problem} />}
        {outcome.state === 'held' && <HeldAnswer answer={outcome.body} />}
        {outcome.state === 'read' && key !== null && (
          <ReadingAnswer answer={outcome.body} at={outcome.at} keyHeld={key} />
        )}
      </div>
      <HeldActions keyInUse={key} onKeyWanted={() => setOutcome({ state: 'no_key' })} />
    </>
  )
}

/** Returns why the letter cannot be sent, or null. */
function reasonNotToSend(
  letter: Letter,
  key: KeyInUse | null,
  places: readonly IdentifierPlace[],
): 'no_key' | 'no_example' | 'found_here' | null {
  if (places.length > 0) return 'found_here'
  if (key === null) return 'no_key'
  return isSandbox(key) && !isExample(letter.text) ? 'no_example' : null
}

function outcomeOfRefusal({ text }: Letter, problem: Problem): Outcome {
  const identifiers = refusedIdentifiers(problem)
  return identifiers.length === 0
    ? { state: 'refused', problem }
    : { state: 'found_there', places: toTextFieldPlaces(text, identifiers) }
}

function statusText(outcome: Outcome, places: readonly IdentifierPlace[]): string {
  switch (outcome.state) {
    case 'none':
      return ''
    case 'asking':
      return 'Both readers are reading.'
    case 'no_key':
      return 'Nothing was sent: a key is needed.'
    case 'no_example':
      return 'Nothing was sent: a sandbox key reads the example letters only.'
    case 'found_here':
      return `Nothing was sent: the letter holds ${identifierNames(places)}.`
    case 'found_there':
      return `Refused: the letter holds ${identifierNames(places)}. Nothing of it is stored.`
    case 'read':
      return decisionSentence(outcome.body)
    case 'held':
      return 'Held: this is not the service’s to decide.'
    case 'refused':
      return ''
  }
}

function NotAnExample() {
  return (
    <Notice look="warn stack" title="Nothing was sent. A sandbox key reads the example letters only, as they stand.">
      Identifiers are marked in your own text all the same. To have it read, use a live key, and only with an invented
      letter; or choose an example again.
    </Notice>
  )
}

showInIsland(<TryIt firstKey={await initialKey()} />)
