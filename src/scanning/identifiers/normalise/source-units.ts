// A text as code points, each with the stretch of the original that it stands for, on its way into a matching copy.

export type SourceUnits = { codePoints: number[]; starts: number[]; ends: number[] }

export function sourceUnits(text: string): SourceUnits {
  const units: SourceUnits = { codePoints: [], starts: [], ends: [] }
  let offset = 0
  for (const character of text) {
    units.codePoints.push(character.codePointAt(0) ?? 0)
    units.starts.push(offset)
    offset += 1
    units.ends.push(offset)
  }
  return units
}
