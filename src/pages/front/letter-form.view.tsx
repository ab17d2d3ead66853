// Front page: the form for the letter, an example or the visitor's own. It marks identifiers while the visitor types.
import { Button, Submit, submitHandler } from '../parts/button.view.tsx'
import { Field } from '../parts/field-frame.view.tsx'
import { formatNumber, plural } from '../text/format.ts'
import {
  countLetterCharacters,
  EXAMPLE_GROUPS,
  findExampleLetter,
  MOST_LETTER_CHARACTERS,
  type Letter,
} from './letters.ts'
import { type IdentifierPlace, identifierNames, splitAtIdentifiers } from './letter-identifiers.ts'
import { useRef } from 'preact/hooks'

type Props = {
  letter: Letter
  places: readonly IdentifierPlace[]
  isAsking: boolean
  onChange: (letter: Letter) => void
  onRead: () => void
}

export function LetterForm({ letter, places, isAsking, onChange, onRead }: Props) {
  const area = useRef<HTMLTextAreaElement>(null)
  const characters = countLetterCharacters(letter.text)
  const fault = faultOf(letter.text, characters)
  const show = ({ start, end }: IdentifierPlace): void => {
    area.current?.focus()
    area.current?.setSelectionRange(start, end)
  }
  return (
    <form
      class="stack"
      onSubmit={submitHandler(() => {
        if (fault === null && !isAsking) onRead()
      })}
    >
      <Field label="Letter">
        {(control) => (
          <select
            {...control}
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
        )}
      </Field>
      <Field
        label="Text"
        hint={
          <>
            {formatNumber(characters)} of {formatNumber(MOST_LETTER_CHARACTERS)} characters. Names, addresses and towns
            are not found by the guard: remove them yourself.
            {letter.action !== null && (
              <>
                {' '}
                Sent with the action <code>{letter.action}</code>.
              </>
            )}
          </>
        }
        fault={letter.text === '' ? null : fault}
      >
        {(control) => (
          <textarea
            {...control}
            ref={area}
            rows={7}
            spellcheck={false}
            autocomplete="off"
            value={letter.text}
            onInput={({ currentTarget: { value } }) =>
              onChange({ exampleId: null, text: value, action: letter.action })
            }
          />
        )}
      </Field>
      {places.length > 0 && <MarkedLetter text={letter.text} places={places} onShow={show} />}
      <p class="row">
        <Submit label={isAsking ? 'Reading …' : 'Read the letter'} isDisabled={isAsking || fault !== null} />
        {letter.text === '' && <span class="soft small">Type or paste an invented letter first.</span>}
      </p>
    </form>
  )
}

function faultOf(text: string, characters: number): string | null {
  if (text.trim() === '') return 'There is nothing to read yet.'
  if (characters <= MOST_LETTER_CHARACTERS) return null
  return `${plural(characters - MOST_LETTER_CHARACTERS, 'character')} too many: shorten it.`
}

type MarkedLetterProps = { text: string; places: readonly IdentifierPlace[]; onShow: (place: IdentifierPlace) => void }

/** Shows the letter with its identifiers marked and named, before any of it is sent. */
export function MarkedLetter({ text, places, onShow }: MarkedLetterProps) {
  return (
    <div class="notice warn stack">
      <p>
        {plural(places.length, 'place')} to remove before it is sent: the letter holds {identifierNames(places)}.
        Nothing has left this page.
      </p>
      <ul class="plain row">
        {places.map((place) => (
          <li key={place.start}>
            <Button onClick={() => onShow(place)}>Show the {place.name}</Button>
          </li>
        ))}
      </ul>
      <p class="letter">
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
      </p>
    </div>
  )
}
