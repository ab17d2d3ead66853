// How much of each shape a scan finds, and how often what it names is that. Pure.
import type { Shape } from '../../../src/scanning/identifiers/identifier-shapes.ts'
import { shareOf, type Share } from '../measures.ts'
import type { LabelledText, Span } from './labelled-text.ts'

export type ShapeMeasure = {
  readonly shape: Shape
  /** Of what is there, how much was found under its name. */
  readonly recall: Share
  /** Of what was found under the name, how much is that. */
  readonly precision: Share
  /** Of what is there, how much was found under any name. */
  readonly anyName: Share
}

/** What is found counts where it overlaps what is there. @param nameOf maps shapes that count as one to one of them */
export function measureShapes(
  texts: readonly LabelledText[],
  found: readonly (readonly Span[])[],
  { shapes, nameOf }: { shapes: readonly Shape[]; nameOf: (shape: Shape) => Shape },
): ShapeMeasure[] {
  const rows = texts.map(({ spans }, at) => ({ there: named(spans, nameOf), found: named(found[at] ?? [], nameOf) }))
  return shapes.map((shape) => {
    const tally = { there: 0, met: 0, anyName: 0, found: 0, right: 0 }
    for (const row of rows) {
      const there = row.there.filter((span) => span.shape === shape)
      const named = row.found.filter((span) => span.shape === shape)
      tally.there += there.length
      tally.met += there.filter((span) => named.some((one) => overlap(span, one))).length
      tally.anyName += there.filter((span) => row.found.some((one) => overlap(span, one))).length
      tally.found += named.length
      tally.right += named.filter((one) => there.some((span) => overlap(span, one))).length
    }
    return {
      shape,
      recall: shareOf(tally.met, tally.there),
      precision: shareOf(tally.right, tally.found),
      anyName: shareOf(tally.anyName, tally.there),
    }
  })
}

const named = (spans: readonly Span[], nameOf: (shape: Shape) => Shape): Span[] =>
  spans.map(({ shape, start, end }) => ({ shape: nameOf(shape), start, end }))

const overlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end
