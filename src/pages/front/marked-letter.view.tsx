// The letter with its identifiers marked and named, before any of it is sent.
import { Button } from '../parts/button.view.tsx'
import { plural } from '../text/format.ts'
import { namesOf, piecesOf, type Place } from './places.ts'

type Given = { text: string; places: readonly Place[]; onShow: (place: Place) => void }

export function MarkedLetter({ text, places, onShow }: Given) {
  return (
    <div class="notice warn stack">
      <p>
        {plural(places.length, 'place')} to remove before it is sent: the letter holds {namesOf(places)}. Nothing has
        left this page.
      </p>
      <ul class="plain row">
        {places.map((place) => (
          <li key={place.start}>
            <Button onClick={() => onShow(place)}>Show the {place.name}</Button>
          </li>
        ))}
      </ul>
      <p class="letter">
        {piecesOf(text, places).map((piece, at) =>
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
