// The front page: try the referral service with a letter, see both readings and the published lists, try held actions.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ReadResponse } from '../../referral/read.schema.ts'
import type { Problem, Answer } from '../api/send-request.ts'
import { ProblemNotice } from '../parts/answer-notices.view.tsx'
import { readLetter, tryHeldAction } from './referral-requests.ts'
import { KeyChoice, isSandbox, initialKey, takeKeyFromUrl, type KeyInUse } from './key-choice.view.tsx'
import { FIRST_LETTER, isExample, type Letter } from './letters.ts'
import { ExampleChoice, LetterForm, MarkedLetter } from './letter-form.view.tsx'
import {
  refusedIdentifiers,
  identifierNames,
  findIdentifierPlaces,
  loadGuard,
  toTextFieldPlaces,
  type Guard,
  type IdentifierPlace,
} from './letter-identifiers.ts'
import { ListsToShow, NoReadingYet, ReadingAnswer, decisionSentence } from './reading.view.tsx'
import { showIn, showInIsland } from '../parts/island.ts'
import { ExampleRecord } from './example-record.view.tsx'
import { CodeTabs } from '../parts/code-tabs.view.tsx'
import { GATEWAY, READING } from './code-samples.ts'
import type { HeldResponse, HeldAction } from '../../referral/actions.ts'
import { Notice, Facts, Sentences } from '../parts/page-blocks.view.tsx'
import { enableSearch } from '../search/open-search.ts'
import { OnlyRead, Stack, Note } from '../parts/layout.view.tsx'
import { Button } from '../parts/button.view.tsx'
import { Verdict } from '../parts/letter.view.tsx'
import { PlainList, SignRow } from '../parts/surfaces.view.tsx'
import { blocked } from '../parts/icons.ts'

type Outcome =
  | { state: 'none' | 'asking' | 'no_key' | 'no_example' | 'found_here' }
  | { state: 'found_there'; places: readonly IdentifierPlace[] }
  | { state: 'read'; body: ReadResponse; at: string }
  | { state: 'held'; body: HeldResponse }
  | { state: 'refused'; problem: Problem }

function TryIt({ firstKey, guard }: { firstKey: KeyInUse | null; guard: Guard }) {
  const [key, setKey] = useState(firstKey)
  const [letter, setLetter] = useState<Letter>(FIRST_LETTER)
  const [outcome, setOutcome] = useState<Outcome>({ state: 'none' })
  const keyField = useRef<HTMLInputElement>(null)
  const result = useRef<HTMLDivElement>(null)
  const reading = useRef<AbortController>(null)
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
  const places = outcome.state === 'found_there' ? outcome.places : findIdentifierPlaces(letter.text, guard)

  const askForKey = (): void => {
    setOutcome({ state: 'no_key' })
    keyField.current?.focus()
  }
  const read = async (): Promise<void> => {
    const reason = reasonNotToSend(letter, key, places)
    if (reason === 'no_key') return askForKey()
    if (reason !== null) setOutcome({ state: reason })
    if (reason !== null || key === null) return
    setOutcome({ state: 'asking' })
    const asked = (reading.current = new AbortController())
    const answer = await readLetter(letter, key, asked.signal).catch(() => null)
    if (answer === null || reading.current !== asked) return
    if (answer.outcome === 'refused') setOutcome(outcomeOfRefusal(letter, answer.problem))
    else if (answer.body.decision === 'held') setOutcome({ state: 'held', body: answer.body })
    else setOutcome({ state: 'read', body: answer.body, at: new Date().toISOString() })
  }
  const change = (changed: Letter): void => {
    // A reading that is under way is of another letter.
    reading.current?.abort()
    reading.current = null
    setLetter(changed)
    setOutcome({ state: 'none' })
  }

  // What a reading leads to has its own places on the page.
  useLayoutEffect(() => {
    showIn(
      '#lists',
      outcome.state === 'read' && key !== null && <ListsToShow key={outcome.at} answer={outcome.body} keyHeld={key} />,
    )
    showIn('#held', <HeldActions keyInUse={key} onKeyWanted={askForKey} />)
  }, [outcome, key])

  return (
    <>
      <ExampleChoice letter={letter} onChange={change} />
      <LetterForm
        letter={letter}
        isAsking={outcome.state === 'asking'}
        onChange={change}
        onRead={() => void read()}
        places={places}
      />
      <div ref={result}>
        <Result outcome={outcome} places={places} text={letter.text} />
      </div>
      <KeyChoice keyInUse={key} isWanted={outcome.state === 'no_key'} onChoose={setKey} field={keyField} />
      <OnlyRead as="p" role="status">
        {statusText(outcome, places)}
      </OnlyRead>
    </>
  )
}

/** What came of the letter, in the room that is kept for it. */
function Result({ outcome, places, text }: { outcome: Outcome; places: readonly IdentifierPlace[]; text: string }) {
  if (places.length > 0) return <MarkedLetter text={text} places={places} />
  if (outcome.state === 'no_example') return <NotAnExample />
  if (outcome.state === 'refused') return <ProblemNotice problem={outcome.problem} />
  if (outcome.state === 'held') return <HeldAnswer answer={outcome.body} />
  if (outcome.state === 'read') return <ReadingAnswer answer={outcome.body} at={outcome.at} />
  return <NoReadingYet isAsking={outcome.state === 'asking'} />
}

/** Returns why the letter cannot be sent, or null. */
function reasonNotToSend(letter: Letter, key: KeyInUse | null, places: readonly IdentifierPlace[]) {
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

const STATUS: Readonly<Record<Exclude<Outcome['state'], 'found_here' | 'found_there' | 'read'>, string>> = {
  none: '',
  asking: 'Both readers are reading.',
  no_key: 'Nothing was sent: a key is needed.',
  no_example: 'Nothing was sent: a sandbox key reads the example letters only.',
  held: 'Held: this is not the service’s to decide.',
  refused: '',
}

function statusText(outcome: Outcome, places: readonly IdentifierPlace[]): string {
  if (outcome.state === 'read') return decisionSentence(outcome.body)
  if (outcome.state === 'found_here') return `Nothing was sent: the letter holds ${identifierNames(places)}.`
  return outcome.state === 'found_there'
    ? `Refused: the letter holds ${identifierNames(places)}. Nothing of it is stored.`
    : STATUS[outcome.state]
}

const NotAnExample = () => (
  <Notice tone="warn" title="Nothing was sent. A sandbox key reads the example letters only, unchanged.">
    Identifiers are marked in your own text all the same. To have it read, use a live key, and only with an invented
    letter; or choose an example again.
  </Notice>
)

const NoGuard = () => (
  <Notice tone="warn" title="Reload the page.">
    Its check for identifiers did not load, so it sends no letter.
  </Notice>
)

showIn('#reading-code', <CodeTabs title="Read a letter" what="the call" tabs={READING} />)
showIn('#gateway-code', <CodeTabs title="Call a model" what="the call" tabs={GATEWAY} />)
showIn('#record', <ExampleRecord />)
const [firstKey, guard] = await Promise.all([initialKey(), loadGuard()])

/** The name of each action, and in a few words why it is refused. */
const ACTIONS: Readonly<Record<HeldAction, readonly [name: string, why: string]>> = {
  choose_destination: ['Choose a hospital', 'A clinical decision'],
  submit_referral: ['Send the referral', 'It commits the patient'],
  assign_urgency: ['Set the urgency', 'The clinician’s to set'],
  rank_suitability: ['Rank by suitability', 'Not in the figures'],
  book_appointment: ['Book an appointment', 'It commits a hospital'],
}

const NAMES = Object.keys(ACTIONS).filter((name): name is HeldAction => name in ACTIONS)

function HeldActions({ keyInUse, onKeyWanted }: { keyInUse: KeyInUse | null; onKeyWanted: () => void }) {
  const [answer, setAnswer] = useState<Answer<HeldResponse> | null>(null)
  const [asking, setAsking] = useState<HeldAction | null>(null)
  const ask = async (action: HeldAction): Promise<void> => {
    if (keyInUse === null) return onKeyWanted()
    if (asking !== null) return
    setAsking(action)
    setAnswer(await tryHeldAction(action, keyInUse))
    setAsking(null)
  }
  return (
    <Stack isOffPaper>
      <PlainList>
        {NAMES.map((action) => (
          <SignRow
            key={action}
            icon={blocked}
            tone="bad"
            title={<b>{ACTIONS[action][0]}</b>}
            about={ACTIONS[action][1]}
          >
            <Button
              label={`Ask for it: ${ACTIONS[action][0]}`}
              isDisabled={asking !== null}
              aria-pressed={answer?.outcome === 'answered' && answer.body.action === action}
              onClick={() => void ask(action)}
            >
              Ask for it
            </Button>
          </SignRow>
        ))}
      </PlainList>
      <div aria-live="polite">
        {answer?.outcome === 'answered' && <HeldAnswer answer={answer.body} />}
        {answer?.outcome === 'refused' && <ProblemNotice problem={answer.problem} />}
      </div>
    </Stack>
  )
}

function HeldAnswer({ answer }: { answer: HeldResponse }) {
  const title = `Held: ${ACTIONS[answer.action][0].toLowerCase()}`
  return (
    <Stack as="section" label={title}>
      <Verdict icon={blocked} tone="bad" title={title}>
        {answer.because}
      </Verdict>
      <Facts
        facts={[
          ['Who holds this', <strong>{answer.who_holds_this}</strong>],
          ['What the figures establish', <Sentences of={answer.established} />],
          ['What they cannot tell about this patient', <Sentences of={answer.cannot_tell_you_about_this_patient} />],
        ]}
      />
      <Note as="p">{answer.note}</Note>
    </Stack>
  )
}

showInIsland(guard === null ? <NoGuard /> : <TryIt firstKey={firstKey} guard={guard} />)
enableSearch()
