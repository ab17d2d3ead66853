// What an organisation wants done about each shape that its prompts may hold.
import { z } from 'zod'
import { SHAPES, type Shape } from '../../identifiers/identifier-shapes.ts'

export const PII_ACTIONS = ['report', 'redact', 'block', 'ignore'] as const
export type PiiAction = (typeof PII_ACTIONS)[number]

/** `default` is for the shapes that are not named. */
export const PiiScanSchema = z.strictObject({
  default: z.enum(PII_ACTIONS),
  shapes: z.partialRecord(z.enum(SHAPES), z.enum(PII_ACTIONS)).default({}),
})

export type PiiScan = z.infer<typeof PiiScanSchema>

export const actionFor = ({ default: otherwise, shapes }: PiiScan, shape: Shape): PiiAction =>
  shapes[shape] ?? otherwise

/** How often each shape was found, those that are ignored left out. */
export type ShapeCounts = Readonly<Partial<Record<Shape, number>>>

/** The shapes found because of which a request is not let through, in the order in which they are listed; mostly none. */
export const blockingShapes = (scan: PiiScan, found: ShapeCounts): Shape[] =>
  SHAPES.filter((shape) => (found[shape] ?? 0) > 0 && actionFor(scan, shape) === 'block')
