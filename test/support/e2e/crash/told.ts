// What an organisation's object says that it holds in memory.
import { z } from 'zod'

export const ToldSchema = z.object({
  /** Where the state that is held differs from what all events at hand come to. */
  differences: z.array(z.string()),
  /** Where what a start would read, with the newest snapshot, differs from that. */
  differencesAtStart: z.array(z.string()),
  /** Where what was counted of its calls differs from what its entries come to. */
  usageDifferences: z.array(z.string()),
  /** The position of the next entry. */
  next: z.int(),
  months: z.array(z.object({ month: z.int(), requests: z.int(), spentMicroeur: z.int(), reservedMicroeur: z.int() })),
  open: z.array(z.object({ position: z.int(), microeur: z.int() })),
  /** Readings that have begun and not ended. */
  readings: z.array(z.object({ position: z.int(), microeur: z.int() })),
  /** What readings cost in a UTC day. */
  days: z.array(z.object({ keyId: z.string(), day: z.int(), microeur: z.int() })),
  settingsVersion: z.int(),
  policyVersion: z.int(),
  /** Those that may still be decided or used. */
  approvals: z.array(z.object({ id: z.string(), state: z.string() })),
  /** The counted calls of the whole organisation, on the last day on which it had any. */
  today: z.object({ day: z.int(), calls: z.int() }),
})

export type Told = z.infer<typeof ToldSchema>
