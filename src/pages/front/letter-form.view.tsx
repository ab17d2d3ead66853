// Front page: the form for the letter, an example or the visitor's own. It marks identifiers while the visitor types.
import { Button, Submit, submitHandler } from '../parts/button.view.tsx'
import { CardFoot, Letter as LetterAsWritten, Segments } from '../parts/surfaces.view.tsx'
import { LetterCard } from '../parts/letter.view.tsx'
import { Notice } from '../parts/page-blocks.view.tsx'
import { Row, Text } from '../parts/layout.view.tsx'
import { useUniqueId } from '../parts/field-frame.view.tsx'
import { formatNumber, plural } from '../text/format.ts'
import {
  countLetterCharacters,
  EXAMPLE_GROUPS,
  findExampleLetter,
  MOST_LETTER_CHARACTERS,
  type Letter,
} from './letters.ts'
import { type IdentifierPlace, identifierNames, splitAtIdentifiers } from './letter-identifiers.ts'

/** The letters that are one press away, each for another result. */
const SHORTCUTS = [
  ['Readers agree', 'cardiology-exertional-chest-tightness'],
  ['Readers differ', 'differ-adult-upper-abdominal-pain'],
  ['Asks for a booking', 'held-book-appointment'],
] as const

type ChoiceProps = { letter: Letter; onChange: (letter: Letter) => void }

export const ExampleChoice = ({ letter, onChange }: ChoiceProps) => (
  <Segments label="Example letters" isOffPaper>
    {SHORTCUTS.map(([name, id]) => {
      const example = findExampleLetter(id)
      return (
        example !== null && (
          <button key={id} type="button" aria-pressed={letter.exampleId === id} onClick={() => onChange(example)}>
            {name}
          </button>
        )
      )
    })}
  </Segments>
)

type Props = ChoiceProps & { isAsking: boolean; onRead: () => void; places: readonly IdentifierPlace[] }

export function LetterForm({ letter, isAsking, onChange, onRead, places }: Props) {
  const characters = countLetterCharacters(letter.text)
  const fault = faultOf(letter.text, characters)
  const isFaulty = letter.text !== '' && fault !== null
  const hintId = useUniqueId()
  return (
    <LetterCard
      onSubmit={submitHandler(() => {
        if (fault === null && !isAsking) onRead()
      })}
      head={
        <>
          <h2>Draft referral letter</h2>
          <select
            aria-label="Letter"
            value={letter.exampleId ?? ''}
            onChange={({ currentTarget: { value } }) =>
              onChange(findExampleLetter(value) ?? { exampleId: null, text: '', action: null })
            }
          >
            {EXAMPLE_GROUPS.map(({ title, examples }) => (
              <optgroup key={title} label={title}>
                {examples.map((example) => (
                  <option key={example.id} value={example.id}>
                    {example.title}
                  </option>
                ))}
              </optgroup>
            ))}
            <optgroup label="Your own">
              <option value="">An invented letter of your own</option>
            </optgroup>
          </select>
        </>
      }
    >
      <textarea
        id={LETTER_TEXT}
        aria-label="Text"
        aria-describedby={hintId}
        aria-invalid={letter.text !== '' && (fault !== null || places.length > 0)}
        placeholder="Type or paste an invented letter."
        spellcheck={false}
        autocomplete="off"
        value={letter.text}
        onInput={({ currentTarget: { value } }) => onChange({ exampleId: null, text: value, action: letter.action })}
      />
      <CardFoot look="row">
        <Submit label={isAsking ? 'Reading …' : 'Read the letter'} isDisabled={isAsking || fault !== null} />
        <Text as="p" id={hintId} size="small" tone={isFaulty ? 'fault' : 'soft'}>
          {isFaulty ? fault : hintOf(letter.exampleId !== null, characters)}
          {!isFaulty && letter.action !== null && (
            <>
              {' '}
              Sent with the action <code>{letter.action}</code>.
            </>
          )}
        </Text>
      </CardFoot>
    </LetterCard>
  )
}

const LETTER_TEXT = 'letter-text'

const hintOf = (isExample: boolean, characters: number): string =>
  isExample
    ? 'An invented patient.'
    : `${formatNumber(characters)} of ${formatNumber(MOST_LETTER_CHARACTERS)} characters. Names, addresses and towns are not found by the guard: remove them yourself.`

function faultOf(text: string, characters: number): string | null {
  if (text.trim() === '') return 'There is nothing to read yet.'
  if (characters <= MOST_LETTER_CHARACTERS) return null
  return `${plural(characters - MOST_LETTER_CHARACTERS, 'character')} too many: shorten it.`
}

/** Selects the place in the letter's field. */
function show({ start, end }: IdentifierPlace): void {
  const field = document.querySelector<HTMLTextAreaElement>(`#${LETTER_TEXT}`)
  field?.focus()
  field?.setSelectionRange(start, end)
}

/** Shows the letter with its identifiers marked and named, before any of it is sent. */
export function MarkedLetter({ text, places }: { text: string; places: readonly IdentifierPlace[] }) {
  return (
    <Notice
      tone="warn"
      title={
        <>
          {plural(places.length, 'place')} to remove before it is sent: the letter holds {identifierNames(places)}.
          Nothing has left this page.
        </>
      }
    >
      <Row>
        {places.map((place) => (
          <Button key={place.start} onClick={() => show(place)}>
            Show the {place.name}
          </Button>
        ))}
      </Row>
      <LetterAsWritten>
        {splitAtIdentifiers(text, places).map((piece, at) =>
          piece.place === null ? (
            piece.text
          ) : (
            <mark key={at}>
              <span>{piece.text}</span>
              <small> {piece.place.name}</small>
            </mark>
          ),
        )}
      </LetterAsWritten>
    </Notice>
  )
}
