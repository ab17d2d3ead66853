// The folded copy of a text: each character as the ASCII that a reader would take it for.
import { foldCodePoint, MARK } from '../../../platform/ascii-fold.ts'
import { CopyBuilder } from './matching-copy.ts'
import type { MatchingCopy } from './matching-copy.ts'
import type { SourceUnits } from './source-units.ts'

/** The folded copy of a text. Printable ASCII, nearly all of a letter, goes straight through. */
export function foldText(text: string): MatchingCopy {
  const builder = new CopyBuilder(text.length)
  let offset = 0
  for (let index = 0; index < text.length; index += 1, offset += 1) {
    const code = text.charCodeAt(index)
    if (code >= 0x20 && code < 0x7f) {
      builder.append(code, offset, offset + 1)
      continue
    }
    const codePoint = text.codePointAt(index) ?? code
    if (codePoint > 0xffff) index += 1
    appendFolded(builder, codePoint, offset, offset + 1)
  }
  return builder.build()
}

export function foldUnits(units: SourceUnits): MatchingCopy {
  const builder = new CopyBuilder(units.codePoints.length)
  units.codePoints.forEach((codePoint, index) => {
    appendFolded(builder, codePoint, units.starts[index] ?? 0, units.ends[index] ?? 0)
  })
  return builder.build()
}

function appendFolded(builder: CopyBuilder, codePoint: number, start: number, end: number): void {
  const fold = foldCodePoint(codePoint)
  for (let index = 0; index < fold.length; index += 1) {
    if (fold[index] === MARK) builder.extendLast(end)
    else builder.append(fold.charCodeAt(index), start, end)
  }
}
