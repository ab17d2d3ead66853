// Collects a text that arrives in pieces and is needed whole at the end. It joins the pieces into blocks of some thousand
// characters, because many small strings would take many times the memory of their text.

const BLOCK_CHARACTERS = 8_192

/** The most bytes that a character takes in memory. */
const CHARACTER_BYTES = 2

export type TextBuffer = ReturnType<typeof createTextBuffer>

export function createTextBuffer() {
  const blocks: string[] = []
  let pieces: string[] = []
  let pieceCharacters = 0
  let characters = 0

  function join(): void {
    if (pieces.length > 0) blocks.push(pieces.join(''))
    pieces = []
    pieceCharacters = 0
  }

  return {
    add(piece: string): void {
      pieces.push(piece)
      pieceCharacters += piece.length
      characters += piece.length
      if (pieceCharacters >= BLOCK_CHARACTERS) join()
    },
    text(): string {
      join()
      return blocks.join('')
    },
    bytes: (): number => characters * CHARACTER_BYTES,
  }
}
