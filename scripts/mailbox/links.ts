// Where a text has links, for the page, which makes them clickable, and for the terminal.

/** Sentences end in what may also stand in an address. */
const LINK = /https?:\/\/[!#-;=?-~]{0,2000}[\w/#=&~+-]/g

export type Piece = { link: boolean; text: string }

/** The text, cut at its links. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: link, index } of text.matchAll(LINK)) {
    pieces.push({ link: false, text: text.slice(end, index) }, { link: true, text: link })
    end = index + link.length
  }
  return [...pieces, { link: false, text: text.slice(end) }].filter((piece) => piece.text !== '')
}

export const linksIn = (text: string): string[] =>
  piecesOf(text)
    .filter(({ link }) => link)
    .map((piece) => piece.text)
