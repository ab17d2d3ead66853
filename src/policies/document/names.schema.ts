// Members of a policy that are named by what they are for: a use case, or a key.
import { z } from '@hono/zod-openapi'

const MOST_NAMES = 100

/** As `x-aqta-use-case` declares it. */
export const USE_CASE = /^[a-z0-9][a-z0-9._-]{0,63}$/
export const USE_CASE_RULE = 'up to 64 of a-z, 0-9, dot, hyphen and underscore'

export const useCaseName = z.string().regex(USE_CASE, USE_CASE_RULE)

export const useCases = <T extends z.ZodType>(value: T) => boundedRecord(useCaseName, value)

export const keyId = z.string().regex(/^key_[0-9a-f-]{36}$/, 'the id of a key, key_…')

export const keyIds = <T extends z.ZodType>(value: T) => boundedRecord(keyId, value)

/** Undefined where the record has none: every object has a member named `constructor`, which is not ours. */
export const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined

const boundedRecord = <T extends z.ZodType>(name: z.ZodString, value: T) =>
  z.record(name, value).refine((record) => Object.keys(record).length <= MOST_NAMES, `at most ${MOST_NAMES} members`)
